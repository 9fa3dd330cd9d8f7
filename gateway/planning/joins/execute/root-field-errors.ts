import type { JsonObject, ResponsePath } from '../json.ts';
import type { FlattenPath } from './flatten-path.ts';
import { isFull, type LostFields, type PlanRun, reportError } from './run.ts';
import type { SubgraphError } from './services.ts';
import { pathsByNumber, type WaitingObjects } from './waiting-objects.ts';

/** The objects that a root field was called for in one run, and what it returned for them. */
export interface AskedObjects {
  readonly waiting: WaitingObjects;
  readonly paths: readonly FlattenPath[];
  /** By path: the key under which objects have the value; undefined where it is the object itself. */
  readonly fields: readonly (string | undefined)[];
  /** The keys of what the root field returns of an object; undefined where the objects have its value under a key. */
  readonly lost: ReadonlySet<string> | undefined;
  /** By the positions of objects: the response key. The same for all, where the root field takes many objects. */
  readonly keys: readonly string[];
  readonly isMany: boolean;
  /** How many fields of the service lead from the root to the value. */
  readonly depth: number;
  /** By the positions of objects: whether there is nothing for an object. */
  readonly isMissing: readonly boolean[];
  /** By the positions of objects: whether the service returned something else than an object, or a list of another length. */
  readonly isUnfit: readonly boolean[];
  /** A path of the response with the keys of the data. */
  restored(path: ResponsePath): ResponsePath;
}

/**
 * Reports each error at every object that it concerns. One that leads to no object, because it has no path or the service made one
 * up, is reported at those that the service has returned nothing for.
 *
 * @param isLost whether there is no data at all
 * @param unfit the error of objects that something else was returned for, unless the service says why
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
  // Where nothing at all was returned, an error of one field is the reason of the others as well.
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
  /** The response keys that an error was reported at or below of. */
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

  /** The objects of which no error was reported yet. */
  objectsWith(has: (asked: AskedObjects, number: number) => boolean) {
    return this.#all.flatMap((asked) =>
      asked.keys.flatMap((key, number) => (has(asked, number) && !this.#reported.has(key) ? [{ asked, number }] : [])),
    );
  }
}

function pathsOf({ waiting, paths, fields }: AskedObjects, data: JsonObject) {
  return pathsByNumber(waiting, paths, data, (index) => (fields[index] === undefined ? [] : [fields[index]]));
}

/** What an object lacks where the error is one of the whole object. */
function lostAt({ lost }: AskedObjects, object: ResponsePath, below: ResponsePath): LostFields | undefined {
  return lost && below.length === 0 ? { keys: lost, objects: [object] } : undefined;
}
