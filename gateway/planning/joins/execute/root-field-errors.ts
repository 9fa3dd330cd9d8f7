import type { JsonObject, ResponsePath } from '../json.ts';
import type { FlattenPath } from './flatten-path.ts';
import { isFull, type LostFields, type PlanRun, reportError } from './run.ts';
import type { SubgraphError } from './services.ts';
import { pathsByNumber, type WaitingObjects } from './waiting-objects.ts';

/** The objects for which a root field was called in one run, and the results. */
export interface AskedObjects {
  readonly waiting: WaitingObjects;
  readonly paths: readonly FlattenPath[];
  /** The key under which objects store the value, by path. Undefined if the value is the object itself. */
  readonly fields: readonly (string | undefined)[];
  /** The keys that the root field returns for an object. Undefined if objects store the value under a key. */
  readonly lost: ReadonlySet<string> | undefined;
  /** The response key, by the object's index. All objects have the same key if the root field takes many. */
  readonly keys: readonly string[];
  readonly isMany: boolean;
  /** The number of the service's fields from the root to the value. */
  readonly depth: number;
  /** Whether nothing was returned for an object, by the object's index. */
  readonly isMissing: readonly boolean[];
  /** Whether the service returned something other than an object or a list of another length, by the object's index. */
  readonly isUnfit: readonly boolean[];
  /** Replaces renamed keys in a path of the response with the keys of the data. */
  restored(path: ResponsePath): ResponsePath;
}

/**
 * Reports each error at every affected object. An error may lead to no object, because it has no path or an invalid
 * one. Such an error is reported at the objects for which the service returned nothing.
 *
 * @param isLost whether there is no data at all
 * @param unfit the error for objects with an unsuitable value, unless the service reports one
 */
export function placeRootFieldErrors<Context>(
  errors: readonly SubgraphError[],
  unfit: SubgraphError,
  all: readonly AskedObjects[],
  isLost: boolean,
  run: PlanRun<Context>,
): void {
  const places = new ErrorPlaces(all, run);
  const reasons: SubgraphError[] = [];
  for (const error of errors) {
    if (isFull(run)) return;
    if (!places.report(error)) reasons.push(error);
  }
  const isExplained = reasons.length === 0;
  // If nothing was returned, the error of one field is also the reason for the others.
  if (isExplained && isLost) reasons.push(...errors.slice(0, 1));
  const missing = places.objectsWith(({ isMissing }, number) => isMissing[number] === true);
  for (const error of reasons) {
    if (isFull(run)) return;
    for (const { asked, number } of missing) places.reportAt(error, asked, number, []);
    if (missing.length === 0 && !isExplained) reportError(run, error.at(undefined));
  }
  for (const { asked, number } of places.objectsWith(({ isUnfit }, number) => isUnfit[number] === true))
    places.reportAt(unfit, asked, number, []);
}

class ErrorPlaces<Context> {
  readonly #all: readonly AskedObjects[];
  readonly #run: PlanRun<Context>;
  readonly #byKey: ReadonlyMap<string, { readonly asked: AskedObjects; readonly number: number }>;
  readonly #paths: ReadonlyMap<AskedObjects, ReadonlyMap<number, readonly ResponsePath[]>>;
  /** The response keys at or below which an error was reported. */
  readonly #reported = new Set<string>();

  constructor(all: readonly AskedObjects[], run: PlanRun<Context>) {
    this.#all = all;
    this.#run = run;
    this.#byKey = new Map(all.flatMap((asked) => asked.keys.map((key, number) => [key, { asked, number }])));
    this.#paths = new Map(all.map((asked) => [asked, pathsOf(asked, run.data)]));
  }

  /** @returns whether the error leads to an object */
  report(error: SubgraphError): boolean {
    const [key, ...rest] = error.path ?? [];
    const found = this.#byKey.get(String(key));
    if (!found) return false;
    const { asked, number } = found;
    const below = rest.slice(asked.depth - 1);
    const isPlaced = asked.isMany
      ? this.#reportInList(error, asked, below)
      : this.reportAt(error, asked, number, below);
    if (isPlaced) this.#reported.add(String(key));
    return isPlaced;
  }

  #reportInList(error: SubgraphError, asked: AskedObjects, [index, ...below]: ResponsePath): boolean {
    if (typeof index === 'number') return this.reportAt(error, asked, index, below);
    for (const number of asked.keys.keys()) this.reportAt(error, asked, number, []);
    return true;
  }

  /** @returns whether there is such an object */
  reportAt(error: SubgraphError, asked: AskedObjects, number: number, below: ResponsePath): boolean {
    const found = this.#paths.get(asked)?.get(number);
    if (!found) return false;
    const rest = asked.restored(below);
    for (const path of found) {
      if (isFull(this.#run)) break;
      reportError(this.#run, error.at([...path, ...rest]), lostAt(asked, path, rest));
    }
    return true;
  }

  /** The objects for which no error has been reported yet. */
  objectsWith(has: (asked: AskedObjects, number: number) => boolean) {
    return this.#all.flatMap((asked) =>
      asked.keys.flatMap((key, number) => (has(asked, number) && !this.#reported.has(key) ? [{ asked, number }] : [])),
    );
  }
}

function pathsOf({ waiting, paths, fields }: AskedObjects, data: JsonObject) {
  return pathsByNumber(waiting, paths, data, (index) => (fields[index] === undefined ? [] : [fields[index]]));
}

/** The fields that an object lacks because of an error of the whole object. */
function lostAt({ lost }: AskedObjects, object: ResponsePath, below: ResponsePath): LostFields | undefined {
  return lost && below.length === 0 ? { keys: lost, objects: [object] } : undefined;
}
