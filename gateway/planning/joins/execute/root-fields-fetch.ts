import { type CacheBounds, SecondChanceCache } from '../../../../platform/index.ts';
import { RequestTexts } from '../../../graphql/syntax/index.ts';
import type { CallObject, RootCall, SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject, type ResponsePath } from '../json.ts';
import { type Fetch, fieldTypeIn, type RenamedKey, type RootFieldCall, separateTypes } from '../plan/index.ts';
import type { FlattenPath } from './flatten-path.ts';
import { copy, leaveOutFailedValues, mergeInto } from './merge.ts';
import { compileRestoring, type RestoreKeys, restoredPath, selectedKeys } from './renamed-keys.ts';
import { compileKeyCheck, compileRepresentations, type Represent } from './representations.ts';
import { type AskedObjects, placeRootFieldErrors } from './root-field-errors.ts';
import { questionText, type RootFieldQuestion, RootFieldsRequest } from './root-fields-request.ts';
import type { FetchStep } from './run.ts';
import type { CallService, PlanScope } from './services.ts';
import { unfitAnswer } from './subgraph-request.ts';
import { findWaiting, type WaitingObjects } from './waiting-objects.ts';

/** Objects for which the same fields are fetched, at all paths. */
interface Question extends RootFieldQuestion {
  readonly represent: Represent;
  readonly paths: readonly FlattenPath[];
  /** The key under which objects store the value, by path. Undefined if the value is the object itself. */
  readonly fields: readonly (string | undefined)[];
  readonly restore: RestoreKeys | undefined;
  readonly renamed: readonly RenamedKey[];
  /** The keys of the fields that are selected on an object. */
  readonly asked: ReadonlySet<string>;
}

/**
 * The limits of the cache of compiled operations, whose key is the number of objects. Lists of one field often have the
 * same length. An operation with a root field for each of thousands of objects has a megabyte, so root fields are
 * counted too.
 */
const KEPT_OPERATIONS: CacheBounds = { entries: 8, weights: [2_000] };

/** Compiles one request for all objects that are fetched through root fields of a service at the same time. */
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
    const made = scope.services.compile(service, operation, own, { fragments });
    kept.keep(key, made, [counts.reduce((sum, count) => sum + count, 0)]);
    return made;
  };
  const unfit = unfitAnswer(service);
  return (run, done) => {
    const waiting = questions.map(({ paths, represent }) => findWaiting(paths, represent, run));
    if (waiting.every(({ texts }) => texts.length === 0)) {
      done();
      return;
    }
    const objects = waiting.map(({ texts }) => texts.map((text): CallObject => JSON.parse(text)));
    const call = callFor(request.fieldCounts(objects.map(({ length }) => length)));
    call(run, request.variables(objects), (response) => {
      leaveOutFailedValues(response);
      const { data, errors } = response;
      const all = questions.flatMap((question, at): readonly AskedObjects[] => {
        const own = waiting[at];
        if (!own || own.texts.length === 0) return [];
        const keys = own.texts.map((_, number) => request.keyOf(at, number));
        const { values, isUnfit } = valuesIn(question, keys, data ?? NOTHING);
        mergeValues(question, own, values, scope.types);
        return [{ ...placesOf(question), waiting: own, keys, isMissing: values.map(isNothing), isUnfit }];
      });
      if (errors.length > 0 || all.some(({ isUnfit }) => isUnfit.includes(true)))
        placeRootFieldErrors(errors, unfit, all, data === undefined, run);
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
  const texts = new RequestTexts();
  const numbers = new Map<RootCall, number>();
  for (const fetch of fetches)
    for (const asked of fetch.calls) {
      const number = numbers.get(asked.call) ?? numbers.size;
      numbers.set(asked.call, number);
      const text = `${number} ${questionText(asked, texts)}`;
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
    // Paths select different fields, so two paths must not share an object.
    const own = index < places.length - 1 ? values.map((value) => value && copy(value)) : values;
    const field = fields[index];
    targets.forEach((target, at) => {
      const value = own[numbers[at] ?? 0];
      if (field !== undefined) mergeInto(target, { [field]: value ?? null }, isAbstract);
      else if (isObject(value)) mergeInto(target, value, isAbstract, asked);
    });
  });
}

function placesOf({ paths, fields, asked, renamed, call: { isMany, steps } }: Question) {
  const restored = (path: ResponsePath) => restoredPath(renamed, path);
  const lost = fields[0] === undefined ? asked : undefined;
  return { paths, fields, lost, isMany, depth: steps.length, restored };
}

/** The values that a service returned for a question, by the object's index. */
interface ValuesOfObjects {
  readonly values: readonly (Json | undefined)[];
  /**
   * Whether a value is not an object, or is in a list whose items cannot be assigned to objects. Such values are left
   * out.
   */
  readonly isUnfit: readonly boolean[];
}

function valuesIn({ call: { steps, isMany }, fields }: Question, keys: readonly string[], data: JsonObject) {
  const valueAt = (key: string): Json | undefined => {
    let value = data[key];
    for (const { field } of steps.slice(1)) value = isObject(value) ? value[field] : undefined;
    return value;
  };
  const given = isMany ? itemsOf(valueAt(keys[0] ?? ''), keys.length) : keys.map(valueAt);
  // Values of relationships are completed like those of other fields.
  const isRelationship = fields[0] !== undefined;
  const isFit = (value: Json | undefined) => isRelationship || isNothing(value) || isObject(value);
  const found: ValuesOfObjects = {
    values: keys.map((_, number) => (isFit(given?.[number]) ? given?.[number] : undefined)),
    isUnfit: keys.map((_, number) => !given || !isFit(given[number])),
  };
  return found;
}

/** The items of a list, one for each object. The items of a shorter or longer list cannot be assigned to objects. */
function itemsOf(answer: Json | undefined, count: number): readonly Json[] | undefined {
  if (isNothing(answer)) return [];
  return isList(answer) && answer.length === count ? answer : undefined;
}

function isNothing(value: Json | undefined): boolean {
  return value === null || value === undefined;
}

const NOTHING: JsonObject = {};
