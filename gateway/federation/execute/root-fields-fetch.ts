import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import type { CallObject, SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type ResponsePath } from '../json.ts';
import { type Fetch, type RenamedKey, type RootFieldCall, separateTypes } from '../plan/index.ts';
import { fieldTypeIn } from './entity-request.ts';
import type { FlattenPath } from './flatten-path.ts';
import { copy, mergeInto } from './merge.ts';
import type { PlanScope } from './plan-scope.ts';
import { compileRestoring, type RestoreKeys, restoredPath, selectedKeys } from './renamed-keys.ts';
import { compileKeyCheck, compileRepresentations, type Represent } from './representations.ts';
import { questionText, type RootFieldQuestion, RootFieldsRequest } from './root-fields-request.ts';
import { type FetchStep, type PlanRun, reportError } from './run.ts';
import type { CallService, SubgraphError } from './services.ts';
import { findWaiting, pathsByNumber, type WaitingObjects } from './waiting-objects.ts';

/** Objects that the same is asked for of, at all paths. */
interface Question extends RootFieldQuestion {
  readonly represent: Represent;
  readonly paths: readonly FlattenPath[];
  /** By path: the key under which objects have the value; undefined where it is the object itself. */
  readonly fields: readonly (string | undefined)[];
  readonly restore: RestoreKeys | undefined;
  readonly renamed: readonly RenamedKey[];
  /** The keys of what is selected of an object. */
  readonly asked: ReadonlySet<string>;
}

/** Compiled operations are kept by how many objects they ask for: lists of one field often have the same length. */
const KEPT_OPERATIONS: CacheBounds = { entries: 8, weights: [] };

/** Compiles one request for all objects that come by root fields of a service at the same time. */
export function compileRootFields<Context>(
  fetches: readonly Fetch[],
  pathOf: (fetch: Fetch) => FlattenPath,
  scope: PlanScope<Context>,
): FetchStep<Context> {
  const service = fetches[0]?.service ?? '';
  const questions = questionsOf(fetches, pathOf, service, scope);
  const request = new RootFieldsRequest(questions, scope.clientVariables);
  const kept = new SecondChanceCache<CallService<Context>>(KEPT_OPERATIONS);
  const callFor = (counts: readonly number[]): CallService<Context> => {
    const key = counts.join(' ');
    const known = kept.get(key);
    if (known) return known;
    const { operation, own, fragments } = request.operation(counts);
    const made = scope.services.compile(service, operation, own, fragments);
    kept.keep(key, made);
    return made;
  };
  return (run, done) => {
    const waiting = questions.map(({ paths, represent }) => findWaiting(paths, represent, run.data));
    if (waiting.every(({ texts }) => texts.length === 0)) {
      done();
      return;
    }
    const objects = waiting.map(({ texts }) => texts.map((text): CallObject => JSON.parse(text)));
    const call = callFor(request.fieldCounts(objects.map(({ length }) => length)));
    call(run, request.variables(objects), ({ data, errors }) => {
      const all = questions.flatMap((question, at): readonly Asked[] => {
        const own = waiting[at];
        if (!own || own.texts.length === 0) return [];
        const keys = own.texts.map((_, number) => request.keyOf(at, number));
        const values = keys.map((key, number) => data && valueIn(question, data[key], number));
        return [{ question, waiting: own, keys, values }];
      });
      for (const { question, waiting: own, values } of all) mergeValues(question, own, values, scope.types);
      if (errors.length > 0) placeErrors(errors, all, data === undefined, run);
      done();
    });
  };
}

function questionsOf<Context>(
  fetches: readonly Fetch[],
  pathOf: (fetch: Fetch) => FlattenPath,
  service: string,
  { types }: PlanScope<Context>,
): readonly Question[] {
  const groups = new Map<
    string,
    { readonly asked: RootFieldCall; readonly places: { fetch: Fetch; field: string | undefined }[] }
  >();
  const calls: unknown[] = [];
  for (const fetch of fetches)
    for (const asked of fetch.calls) {
      if (!calls.includes(asked.call)) calls.push(asked.call);
      const text = `${calls.indexOf(asked.call)} ${questionText(asked)}`;
      const group = groups.get(text) ?? { asked, places: [] };
      group.places.push({ fetch, field: asked.field });
      groups.set(text, group);
    }
  return [...groups.values()].map(({ asked, places }): Question => {
    const { selections, renamed } = separateTypes(asked.selections, asked.type, (parent, field) =>
      fieldTypeIn(types, service, parent, field),
    );
    const represent = compileRepresentations([asked.representation], types);
    const hasKey = asked.key && compileKeyCheck(asked.key, asked.representation.type, types);
    return {
      call: asked.call,
      type: asked.type,
      arguments: asked.arguments,
      selections,
      represent: hasKey ? (object) => (hasKey(object) ? represent(object) : undefined) : represent,
      paths: places.map(({ fetch }) => pathOf(fetch)),
      fields: places.map(({ field }) => field),
      restore: compileRestoring(renamed, types),
      renamed,
      asked: selectedKeys(selections, renamed),
    };
  });
}

function mergeValues(
  { restore, fields, asked }: Question,
  { places }: WaitingObjects,
  values: readonly (Json | undefined)[],
  { isAbstract }: SupergraphTypes,
): void {
  if (restore) values.forEach(restore);
  places.forEach(({ targets, numbers }, index) => {
    // Paths select different fields, so that objects at two paths must not be the same object.
    const own = index < places.length - 1 ? values.map((value) => value && copy(value)) : values;
    const field = fields[index];
    targets.forEach((target, at) => {
      const value = own[numbers[at] ?? 0];
      if (field !== undefined) mergeInto(target, { [field]: value ?? null }, isAbstract);
      else if (isObject(value)) mergeInto(target, value, isAbstract, asked);
    });
  });
}

/** One question in one run. */
interface Asked {
  readonly question: Question;
  readonly waiting: WaitingObjects;
  /** By the positions of objects: the response keys and the values of their answers. */
  readonly keys: readonly string[];
  readonly values: readonly (Json | undefined)[];
}

/** Reports each error at every object that it concerns: one without a path at those that have no answer. */
function placeErrors<Context>(
  errors: readonly SubgraphError[],
  all: readonly Asked[],
  isLost: boolean,
  run: PlanRun<Context>,
): void {
  const placed = new Set<string>();
  const located = new Map(
    all.map(({ question: { paths, fields }, waiting }) => {
      const below = (index: number) => (fields[index] === undefined ? [] : [fields[index]]);
      return [waiting, pathsByNumber(waiting, paths, run.data, below)] as const;
    }),
  );
  const report = (error: SubgraphError, { question, waiting }: Asked, number: number, below: ResponsePath) => {
    const rest = restoredPath(question.renamed, below);
    for (const place of located.get(waiting)?.get(number) ?? []) reportError(run, error.at([...place, ...rest]));
  };
  const reportLost = (error: SubgraphError): boolean => {
    let isReported = false;
    for (const asked of all)
      asked.keys.forEach((key, number) => {
        if (asked.values[number] !== undefined && asked.values[number] !== null) return;
        if (placed.has(key)) return;
        report(error, asked, number, []);
        isReported = true;
      });
    return isReported;
  };
  for (const error of errors) {
    const [key, ...rest] = error.path ?? [];
    const asked = all.find(({ keys }) => keys.includes(String(key)));
    if (!asked) continue;
    const { isMany, steps } = asked.question.call;
    const below = rest.slice(steps.length - 1);
    const [index, ...belowItem] = below;
    placed.add(String(key));
    if (!isMany) report(error, asked, asked.keys.indexOf(String(key)), below);
    else if (typeof index === 'number') report(error, asked, index, belowItem);
    else asked.keys.forEach((_, number) => void report(error, asked, number, []));
  }
  // Where nothing at all was answered, an error of one field is the reason of the others as well.
  const reasons = errors.filter(({ path }) => path === undefined);
  if (reasons.length === 0 && isLost) reasons.push(...errors.slice(0, 1));
  for (const error of reasons)
    if (!reportLost(error) && error.path === undefined) reportError(run, error.at(undefined));
}

/** The value for an object in the answer of its root field, below the fields on the way to it. */
function valueIn({ call: { steps, isMany } }: Question, answer: Json | undefined, number: number): Json | undefined {
  let value = answer;
  for (const { field } of steps.slice(1)) value = isObject(value) ? value[field] : undefined;
  return isMany ? (isList(value) ? value[number] : undefined) : value;
}
