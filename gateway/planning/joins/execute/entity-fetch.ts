import { MAX_RELAYED_ERRORS } from '../../../errors.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type ResponsePath } from '../json.ts';
import type { Fetch, RenamedKey } from '../plan/index.ts';
import {
  compileReadRepeated,
  compileSharing,
  type PlacesOfOneFetch,
  type RepeatedObjects,
  type ShareRepeated,
} from '../sharing/index.ts';
import { entityRequest } from './entity-request.ts';
import type { FlattenPath } from './flatten-path.ts';
import { copy, leaveOutFailedValues, mergeInto } from './merge.ts';
import { compileRestoring, type RestoreKeys, restoredPath, selectedKeys } from './renamed-keys.ts';
import { compileRepresentations, type Represent } from './representations.ts';
import { type FetchStep, isFull, type PlanRun, reportError } from './run.ts';
import { JsonText, type PlanScope, type SubgraphError } from './services.ts';
import { findWaiting, pathsByNumber, type WaitingObjects } from './waiting-objects.ts';

/** A fetch of entities or several of them in one request. Each has its own response key and variable. */
interface EntityGroup {
  /** The response key of the entities. */
  readonly key: string;
  readonly variable: string;
  readonly paths: readonly FlattenPath[];
  readonly represent: Represent;
  readonly restore: RestoreKeys | undefined;
  readonly renamed: readonly RenamedKey[];
  /** The keys of the entities' fields in the data. */
  readonly asked: ReadonlySet<string>;
  /** The sharing of repeated objects, by path. */
  readonly share: readonly (ShareRepeated | undefined)[];
}

/** The entities of a group in one run. */
interface PendingEntities extends WaitingObjects {
  readonly group: EntityGroup;
}

/** Compiles one request for all entities that the fetches select from a subgraph. */
export function compileEntityFetch<Context>(
  fetches: readonly Fetch[],
  pathOf: (fetch: Fetch) => FlattenPath,
  { types, clientVariables, services }: PlanScope<Context>,
  places: PlacesOfOneFetch,
): FetchStep<Context> {
  const { operation, own, questions } = entityRequest(fetches, types, clientVariables);
  const sharings = questions.map((question) =>
    question.fetches.map((fetch) => compileSharing(fetch, undefined, places, types)),
  );
  const groups = questions.map(
    (question, at): EntityGroup => ({
      key: question.key,
      variable: question.variable,
      paths: question.fetches.map(pathOf),
      represent: compileRepresentations(question.fetch.representations, types),
      restore: compileRestoring(question.renamed, types),
      renamed: question.renamed,
      asked: selectedKeys(question.selections, question.renamed),
      share: (sharings[at] ?? []).map(({ share }) => share),
    }),
  );
  const isRenamed = questions.some(({ renamed }) => renamed.length > 0);
  // All paths but the last get copies of the objects.
  const read = isRenamed
    ? undefined
    : compileReadRepeated(
        questions.flatMap(({ key }, at) => (sharings[at] ?? []).slice(-1).map((sharing) => ({ key, sharing }))),
      );
  const call = services.compile(fetches[0]?.service ?? '', operation, own, { read });
  return (run, done) => {
    const waiting = groups.map((group) => ({ group, ...findWaiting(group.paths, group.represent, run) }));
    if (waiting.every(({ texts }) => texts.length === 0)) {
      done();
      return;
    }
    const representations = waiting.map(({ group, texts }) => ({
      variable: group.variable,
      value: new JsonText(`[${texts.join(',')}]`),
    }));
    call(run, representations, (response) => {
      leaveOutFailedValues(response);
      const { data, errors } = response;
      for (const one of waiting) if (data) takeEntities(one, data[one.group.key], types, run.repeated);
      if (errors.length > 0) placeErrors(errors, waiting, run);
      done();
    });
  };
}

function takeEntities(
  { group, places }: PendingEntities,
  answer: Json | undefined,
  types: SupergraphTypes,
  repeated: RepeatedObjects,
): void {
  if (!isList(answer)) return;
  const { restore, asked, share } = group;
  if (restore) for (const entity of answer) restore(entity);
  places.forEach(({ targets, numbers }, index) => {
    // Paths select different fields, so two paths must not share an object. Objects at one path may be shared, since
    // the same fields are selected for all of them.
    const entities = index < places.length - 1 ? answer.map(copy) : answer;
    share[index]?.(entities, repeated);
    for (let at = 0; at < targets.length; at++) {
      const target = targets[at];
      const entity = entities[numbers[at] ?? 0];
      if (target && isObject(entity)) mergeInto(target, entity, types.isAbstract, asked);
    }
  });
}

/** Reports each error at every path of the affected entity. */
function placeErrors<Context>(
  errors: readonly SubgraphError[],
  waiting: readonly PendingEntities[],
  run: PlanRun<Context>,
): void {
  const located = new Map<PendingEntities, ReadonlyMap<number, readonly ResponsePath[]>>();
  const pathsIn = (one: PendingEntities) => {
    const paths = located.get(one) ?? pathsByNumber(one, one.group.paths, run.data, () => []);
    located.set(one, paths);
    return paths;
  };
  const failed = new Set<FlattenPath>();
  for (const error of errors) {
    if (isFull(run)) return;
    const [key, number, ...rest] = error.path ?? [];
    const one = waiting.find(({ group }) => group.key === key);
    const paths = one && typeof number === 'number' ? pathsIn(one).get(number) : undefined;
    if (one && paths && paths.length > 0) {
      const below = restoredPath(one.group.renamed, rest);
      const keys = below.length === 0 ? one.group.asked : undefined;
      for (const path of paths.slice(0, MAX_RELAYED_ERRORS + 1))
        reportError(run, error.at([...path, ...below]), keys && { keys, objects: [path] });
      continue;
    }
    for (const { group } of one ? [one] : waiting.filter(({ texts }) => texts.length > 0)) {
      for (const path of group.paths) {
        // The first error of a place is the reason of all fields that the place lacks.
        const lost = failed.has(path) ? undefined : { keys: group.asked, objects: objectsAt(path, run) };
        failed.add(path);
        reportError(run, error.at(path.fields), lost);
      }
    }
  }
}

function objectsAt<Context>(path: FlattenPath, { data }: PlanRun<Context>): readonly ResponsePath[] {
  return [...path.locate(data).values()].flat().slice(0, MAX_RELAYED_ERRORS + 1);
}
