import { type ArgumentNode, OperationTypeNode, type SelectionNode } from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import type { RootCall } from '../../supergraph/index.ts';
import type { PlacePlan, PlannedField, Visit, VisitPart } from './place-plan.ts';
import type { RequestSelections } from './request-selections.ts';
import type { Selections } from './selections.ts';
import type { Steps } from './steps.ts';

/**
 * A step from an object to the objects below it: the key of a field, and the types of objects that have it. If
 * undefined, all types have it.
 */
export interface PathStep {
  readonly key: string;
  readonly types: ReadonlySet<string> | undefined;
  readonly isList: boolean;
}

/** The rules for creating the representation of an object. */
export interface Representation {
  /** The type of the object. */
  readonly type: string;
  /** The type's name in the service. */
  readonly typename: string;
  /** Key fields, of which at least one must not be null. */
  readonly key: Selections | undefined;
  readonly selections: Selections;
  /** Whether the representation also applies to objects whose type is unknown. */
  readonly isForAnyType: boolean;
}

/** Calls of a root field for objects of one type. */
export interface RootFieldCall {
  readonly call: RootCall;
  readonly representation: Representation;
  /** The fields of an object that the call needs. All must be non-null. */
  readonly key: Selections | undefined;
  /** The key under which an object stores the value of the root field. Undefined if the value is the object itself. */
  readonly field: string | undefined;
  /** The client's arguments for the last step. */
  readonly arguments: readonly ArgumentNode[];
  readonly selections: readonly SelectionNode[];
  /** The type that the selections apply to. */
  readonly type: string;
}

/** A call to a service or part of one. */
export interface Fetch {
  readonly kind: 'root' | 'entities' | 'root-fields';
  readonly service: string;
  readonly operation: OperationTypeNode;
  /** The path of the objects. Empty for root fields. */
  readonly path: readonly PathStep[];
  readonly selections: readonly SelectionNode[];
  /** The representations of entities. */
  readonly representations: readonly Representation[];
  /** The calls of root fields that return objects. */
  readonly calls: readonly RootFieldCall[];
  /** The number of selected nodes. */
  readonly size: number;
  /** The first wave in which the fetch can run, starting at 0. */
  wave: number;
  readonly after: ReadonlySet<Fetch>;
}

/** The fetches of a plan, sorted by wave. */
export function* fetchesOf(
  plan: PlacePlan,
  operation: OperationTypeNode,
  written: RequestSelections,
  steps: Steps,
): Sliced<readonly Fetch[]> {
  const found: Fetch[] = [];
  yield* addFetches({ operation, written, steps, found }, plan, [], 0, undefined);
  return found.sort((one, other) => one.wave - other.wave);
}

interface FetchesScope {
  readonly operation: OperationTypeNode;
  readonly written: RequestSelections;
  readonly steps: Steps;
  /** All fetches in the order in which they are found. */
  readonly found: Fetch[];
}

/** Adds the fetches of a place and of the places below it. @returns the added fetches */
function* addFetches(
  scope: FetchesScope,
  plan: PlacePlan,
  path: readonly PathStep[],
  base: number,
  entry: Fetch | undefined,
): Sliced<readonly Fetch[]> {
  const { operation, written, steps, found } = scope;
  const byVisit = new Map<Visit, Fetch>();
  const added: Fetch[] = [];
  const belowVisit = new Map<Visit, readonly { readonly key: string; readonly fetches: readonly Fetch[] }[]>();
  for (const [index, visit] of plan.visits.entries()) {
    steps.take();
    if (steps.endSlice()) yield;
    const isEntry = index === 0 && entry !== undefined;
    if (!isEntry) {
      const after = new Set<Fetch>(entry ? [entry] : []);
      for (const [need, keys] of visit.needs) {
        const own = byVisit.get(need);
        if (own) after.add(own);
        // Needed fields may have been fetched below another field. Fetches of later waves are not needed.
        for (const { key, fetches } of belowVisit.get(need) ?? [])
          if (keys.has(key)) for (const one of fetches) if (one.wave < base + visit.wave) after.add(one);
      }
      const fetch = fetchOf(visit, path, base + visit.wave, after, operation, written);
      byVisit.set(visit, fetch);
      added.push(fetch);
      found.push(fetch);
    }
    const own = isEntry ? entry : byVisit.get(visit);
    const below: { key: string; fetches: readonly Fetch[] }[] = [];
    for (const { field, plan: lower, types: conditions, isList } of placesBelow(visit)) {
      if (lower.calls.length === 0) continue;
      const all = plan.types.length === conditions.size;
      const step: PathStep = { key: field.field.key, types: all ? undefined : conditions, isList };
      below.push({ key: step.key, fetches: yield* addFetches(scope, lower, [...path, step], base + visit.wave, own) });
    }
    belowVisit.set(visit, below);
    added.push(...below.flatMap(({ fetches }) => fetches));
  }
  return added;
}

function fetchOf(
  visit: Visit,
  path: readonly PathStep[],
  wave: number,
  after: ReadonlySet<Fetch>,
  operation: OperationTypeNode,
  written: RequestSelections,
): Fetch {
  const { service, parts } = visit;
  const at = { service, path, wave, after, operation: OperationTypeNode.QUERY };
  const by = parts[0]?.lookup?.by ?? 'root';
  if (by === 'root') {
    const selections = written.ofRoot(visit);
    return {
      ...at,
      kind: 'root',
      operation: path.length === 0 ? operation : OperationTypeNode.QUERY,
      selections,
      representations: [],
      calls: [],
      size: written.sizeOf(selections),
    };
  }
  if (by === 'entity') {
    const representations = parts.flatMap((part) => representationOf(part) ?? []);
    const selections = written.ofEntities(visit);
    return { ...at, kind: 'entities', selections, representations, calls: [], size: written.sizeOf(selections) };
  }
  const calls = parts.flatMap((part) => callsFor(part, written));
  const size = calls.reduce((sum, { selections }) => sum + 1 + written.sizeOf(selections), 0);
  return { ...at, kind: 'root-fields', selections: [], representations: [], calls, size };
}

function representationOf({ type, lookup, key, representation, isForAnyType }: VisitPart): Representation | undefined {
  if (!lookup || !representation) return undefined;
  return { type, typename: lookup.typename ?? type, key, selections: representation, isForAnyType };
}

function callsFor(part: VisitPart, written: RequestSelections): readonly RootFieldCall[] {
  const { lookup, object, key, fields, type, isForAnyType } = part;
  const representation = representationOf(part) ?? { type, typename: type, key, selections: NOTHING, isForAnyType };
  if (lookup?.rootField) {
    const { call } = lookup.rootField;
    const selections = written.ofObjects(part);
    return [{ call, representation, key, field: undefined, arguments: [], selections, type: object.as }];
  }
  return fields.flatMap((planned) => {
    const { name, key: field, arguments: given } = planned.field;
    const call = object.own.field(name)?.call;
    if (!call) return [];
    const ownType = planned.below?.place?.typeName ?? '';
    const selections = written.ofValue(planned);
    return [{ call, representation, key, field, arguments: given, selections, type: ownType }];
  });
}

/** The requirements of a root field that uses no fields of its objects. */
const NOTHING: Selections = { id: -1, fieldsOf: () => [] };

/** The places below a visit's fields. Types whose objects have the same field are combined. */
function placesBelow({ parts }: Visit) {
  const found: { field: PlannedField; plan: PlacePlan; types: Set<string>; isList: boolean }[] = [];
  for (const { type, fields, object } of parts)
    for (const field of fields) {
      if (!field.below) continue;
      const known = found.find(({ field: one, plan }) => plan === field.below && one.field.key === field.field.key);
      if (known) known.types.add(type);
      else {
        const isList = object.own.field(field.field.name)?.type.startsWith('[') === true;
        found.push({ field, plan: field.below, types: new Set([type]), isList });
      }
    }
  return found;
}
