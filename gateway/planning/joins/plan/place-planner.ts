import type { Sliced } from '../../../../platform/index.ts';
import { OperationTooComplex } from '../errors.ts';
import { CommonFields } from './common-fields.ts';
import type { Place, PlacePlan, PlannedField, Visit, VisitPart } from './place-plan.ts';
import { callsOf as callsOfVisits, type TypeVisit } from './planned-object.ts';
import { CALLS_PER_STEP, type PlanningScope, Searches } from './planning-scope.ts';
import type { RouteEntry, ServiceObject } from './routes.ts';
import { type Selections, TYPENAME, textOfField, type WantedField } from './selections.ts';
import { type Findable, isWork, type Steps } from './steps.ts';
import { type TypePlan, TypePlanner } from './type-planner.ts';

/** The number of steps for each type of objects at a place, besides the steps for their fields. */
const STEPS_OF_TYPE = 4;

/** The maximum number of nested places. Deeper nesting would exhaust the stack. */
const MOST_LEVELS = 100;

/** Plans the wanted fields at places. Equal places are planned once. */
export class PlacePlanner {
  readonly #scope: PlanningScope;
  readonly #known = new Map<string, PlacePlan>();
  readonly #typePlanner: TypePlanner;
  /** The number of nested places that are being planned. */
  #depth = 0;

  constructor(scope: Omit<PlanningScope, 'searches' | 'belowOf'>) {
    this.#scope = { ...scope, searches: new Searches(), belowOf: (...given) => this.#belowOf(...given) };
    this.#typePlanner = new TypePlanner(this.#scope);
  }

  /** Plans fields at the root of an operation. */
  planRoot(wanted: Selections, rootType: string): Sliced<PlacePlan> {
    return this.#plan(wanted, undefined, [rootType], false);
  }

  #planAt(wanted: Selections, place: Place): Findable<PlacePlan> {
    const { service, typeName, provides, needsTypename, isLocal } = place;
    const key = `${wanted.id} ${provides?.id ?? ''} ${needsTypename} ${isLocal} ${typeName} ${service}`;
    return this.#known.get(key) ?? this.#planOnce(key, wanted, place);
  }

  *#planOnce(key: string, wanted: Selections, place: Place): Sliced<PlacePlan> {
    const { service, typeName } = place;
    if (this.#depth >= MOST_LEVELS) throw new OperationTooComplex();
    this.#depth++;
    const before = this.#scope.searches.cycles;
    const types = this.#typesAt(place);
    const isUntyped = this.#scope.types.type(typeName)?.in(service)?.isInterfaceObject === true;
    let made: PlacePlan;
    try {
      made = yield* this.#plan(wanted, place, types, isUntyped);
    } finally {
      this.#depth--;
    }
    // A plan that was created during an unfinished search of its own routes may lack some of them, so it is not kept.
    if (this.#scope.searches.cycles === before) this.#known.set(key, made);
    return made;
  }

  /** The object types that a service may return at a place. */
  #typesAt({ service, typeName }: Place): readonly string[] {
    const { types } = this.#scope;
    const model = types.type(typeName);
    const own = model?.in(service);
    if (!model || model.kind === 'object') return [typeName];
    if (model.kind === 'union') return [...(own?.unionMembers ?? [])];
    const found = own?.isInterfaceObject
      ? types.objectsOf(typeName)
      : types.objectsOf(typeName).filter((one) => types.type(one)?.in(service)?.interfaces.has(typeName));
    // An interface without types still has the fields of its interface objects.
    return found.length > 0 ? found : [typeName];
  }

  *#plan(
    wanted: Selections,
    place: Place | undefined,
    possible: readonly string[],
    isUntyped: boolean,
  ): Sliced<PlacePlan> {
    const { types, steps } = this.#scope;
    const typePlanner = this.#typePlanner;
    const entryOf = (type: string) => place && this.#entryOf(place, type, isUntyped);
    const seen = possible.filter((type) => !types.isHidden(type) || wanted.fieldsOf(type).length > 0);
    const wantedOf = new Map<string, readonly WantedField[]>();
    for (const type of seen) {
      wantedOf.set(type, wanted.fieldsOf(type));
      if (steps.endSlice()) yield;
    }
    const ofInterface = place && isUntyped ? wanted.fieldsOf(place.typeName) : [];
    const needsType = isUntyped && differ([ofInterface, ...wantedOf.values()]);
    const common = isUntyped ? new CommonFields(wanted.id, wantedOf) : undefined;
    const leftover = new Map<string, readonly WantedField[]>();
    const inside = new Map<string, readonly WantedField[]>();
    const slots = new Map<string, VisitBuilder>();
    const planOf = (type: string, fields: readonly WantedField[], made?: readonly string[]) => {
      steps.take(STEPS_OF_TYPE + fields.length);
      const own = needsType ? withTypename(fields) : fields;
      return typePlanner.plan(own, type, place, entryOf(type), common, made);
    };
    const plans = new Map<string, TypePlan>();
    for (const [type, fields] of wantedOf) plans.set(type, yield* planOf(type, fields));
    if (plans.size > 1) yield* shareCalls(plans, steps, (type, made) => planOf(type, wantedOf.get(type) ?? [], made));
    for (const [type, plan] of plans) {
      if (plan.leftover.length > 0) leftover.set(type, plan.leftover);
      inside.set(type, plan.inside);
      addVisits(slots, plan.visits, type, possible.length === 1, steps);
    }
    const visits = [...slots.values()].sort((one, other) => one.wave - other.wave);
    const byVisit = new Map<TypeVisit, Visit>();
    const made: Visit[] = [];
    for (const builder of visits) {
      const fieldsOf = new Map<TypeVisit, PlannedField[]>();
      for (const { type, visit } of builder.members) {
        const fields: PlannedField[] = [];
        for (const field of this.#scope.selections.mergedFields(visit.fields)) {
          const found = this.#belowVisit(field, type, visit, place);
          fields.push({ field, below: isWork(found) ? yield* found : found });
        }
        fieldsOf.set(visit, fields);
      }
      made.push(this.#visitOf(builder, fieldsOf, byVisit));
    }
    // Even if there is no type whose fields can be fetched, the place itself is fetched.
    if (place && made[0]?.wave !== 0) made.unshift({ service: place.service, wave: 0, parts: [], needs: new Map() });
    const calls = callsOf(made, place !== undefined, steps);
    return {
      place,
      types: possible,
      seen: seen.length,
      visits: made,
      waves: calls.reduce((most, { wave }) => Math.max(most, wave), 0),
      calls,
      ...sizesOf(made, place !== undefined),
      leftover: leftover.size > 0 ? this.#scope.selections.ofFields(leftover) : undefined,
      inside: leftover.size > 0 ? this.#insideOf(inside) : wanted,
    };
  }

  #insideOf(byType: ReadonlyMap<string, readonly WantedField[]>): Selections | undefined {
    return [...byType.values()].some((fields) => fields.length > 0)
      ? this.#scope.selections.ofFields(byType)
      : undefined;
  }

  #entryOf({ service, typeName }: Place, type: string, isUntyped: boolean): RouteEntry | undefined {
    const objects = this.#scope.objects.in(service, type).filter(({ isRelated }) => !isRelated);
    const as = isUntyped ? typeName : type;
    const object = objects.find((one) => one.as === as) ?? objects[0];
    return object && { object, isTyped: !isUntyped };
  }

  #belowVisit(field: WantedField, type: string, { object, isEntry }: TypeVisit, place: Place | undefined) {
    if (!field.below) return undefined;
    return this.#belowOf(field, type, object, isEntry ? place?.provides : undefined, isEntry && place?.isLocal);
  }

  #visitOf(
    { service, wave, members, isOnly }: VisitBuilder,
    fieldsOf: ReadonlyMap<TypeVisit, readonly PlannedField[]>,
    byVisit: Map<TypeVisit, Visit>,
  ): Visit {
    const needs = new Map<Visit, ReadonlySet<string>>();
    const parts: VisitPart[] = [];
    for (const { type, visit } of members) {
      const { object, lookup, key, representation, isForAnyType } = visit;
      const fields = fieldsOf.get(visit) ?? [];
      for (const [one, keys] of visit.needs) {
        const needed = byVisit.get(one);
        if (needed) needs.set(needed, new Set([...(needs.get(needed) ?? []), ...keys]));
      }
      const held = representation.length > 0 ? this.#scope.selections.merged(representation) : undefined;
      parts.push({ type, object, lookup, key, representation: held, isForAnyType: isForAnyType || isOnly, fields });
    }
    const made: Visit = { service, wave, parts, needs };
    for (const { visit } of members) byVisit.set(visit, made);
    return made;
  }

  #belowOf(
    field: WantedField,
    type: string,
    { service, own }: ServiceObject,
    provides: Selections | undefined,
    isLocal = false,
  ): Findable<PlacePlan | undefined> {
    const found = own.field(field.name);
    if (!found || !field.below) return undefined;
    const { types, selections } = this.#scope;
    const provided = provides?.fieldsOf(type).find(({ name }) => name === field.name)?.below;
    const given = found.provides && selections.ofFieldSet(found.provides.selections);
    const inGraph = types.type(type)?.fieldTypeName(field.name) ?? '';
    const isObjectHere = types.type(found.typeName)?.in(service)?.isInterfaceObject === true;
    return this.#planAt(field.below, {
      service,
      typeName: found.typeName,
      provides: provided && given ? selections.merged([provided, given]) : (provided ?? given),
      needsTypename: !isObjectHere && (types.isAbstract(found.typeName) || types.isAbstract(inGraph)),
      isLocal,
    });
  }
}

interface VisitBuilder {
  readonly service: string;
  readonly wave: number;
  readonly members: { readonly type: string; readonly visit: TypeVisit }[];
  /** The selected fields, by the service's name of the objects' type. */
  readonly selected: Map<string, string>;
  /** Whether objects have one type only. */
  readonly isOnly: boolean;
}

/** Combines visits of several types if they go to the same service in the same wave. */
function addVisits(
  slots: Map<string, VisitBuilder>,
  visits: readonly TypeVisit[],
  type: string,
  isOnly: boolean,
  steps: Steps,
): void {
  const taken = new Set<string>();
  for (const visit of visits) {
    const { service } = visit.object;
    const kind = visit.isEntry ? 'entry' : (visit.lookup?.by ?? 'root');
    for (let number = 0; ; number++) {
      steps.take();
      const slot = `${visit.wave} ${kind} ${service} ${number}`;
      const known: VisitBuilder = slots.get(slot) ?? {
        service,
        wave: visit.wave,
        members: [],
        selected: new Map(),
        isOnly,
      };
      if (taken.has(slot) || !fits(visit, known)) continue;
      taken.add(slot);
      known.members.push({ type, visit });
      slots.set(slot, known);
      break;
    }
  }
}

/** Plans types with calls of their own again, because they may be able to use calls that are made for other types. */
function* shareCalls(
  plans: Map<string, TypePlan>,
  steps: Steps,
  again: (type: string, made: readonly string[]) => Sliced<TypePlan>,
): Sliced<void> {
  const counts = new Map<string, number>();
  const count = ({ visits }: TypePlan, by: number) => {
    for (const call of new Set(callsOfVisits(visits))) counts.set(call, (counts.get(call) ?? 0) + by);
  };
  for (const plan of plans.values()) count(plan, 1);
  for (const [type, plan] of plans) {
    const calls = callsOfVisits(plan.visits);
    const own = new Set(calls.filter((call) => counts.get(call) === 1));
    if (own.size === 0) continue;
    steps.take(counts.size / CALLS_PER_STEP);
    const made = [...counts].flatMap(([call, times]) => (times > 0 && !own.has(call) ? [call] : []));
    // Without calls that only others make, there is nothing to share.
    if (made.every((call) => calls.includes(call))) continue;
    const shared = yield* again(type, made);
    if (new Set(callsOfVisits(shared.visits).filter((call) => !made.includes(call))).size >= own.size) continue;
    count(plan, -1);
    count(shared, 1);
    plans.set(type, shared);
  }
}

/**
 * Whether a visit can be combined with others. A service cannot tell the types of an interface object apart, so it has
 * to be asked for the same fields of all types.
 */
function fits({ isEntry, object, fields, requires }: TypeVisit, { selected }: VisitBuilder): boolean {
  if (isEntry) return true;
  const text = `${requires ?? ''} ${textOf(fields)}`;
  const other = selected.get(object.as);
  if (other === undefined) selected.set(object.as, text);
  return other === undefined || other === text;
}

function textOf(fields: readonly WantedField[]): string {
  return fields.map(textOfField).join(' ');
}

function callsOf(visits: readonly Visit[], hasEntry: boolean, steps: Steps): PlacePlan['calls'] {
  const found = new Map<string, { wave: number; service: string }>();
  const add = (wave: number, service: string) => found.set(`${wave}:${service}`, { wave, service });
  for (const [index, visit] of visits.entries()) {
    if (index > 0 || !hasEntry) add(visit.wave, visit.service);
    const below = new Set<PlacePlan>();
    for (const { fields } of visit.parts)
      for (const field of fields) if (field.below && field.below.calls.length > 0) below.add(field.below);
    for (const { calls } of below) {
      steps.take(calls.length / CALLS_PER_STEP);
      for (const call of calls) add(visit.wave + call.wave, call.service);
    }
  }
  return [...found.values()];
}

function sizesOf(visits: readonly Visit[], hasEntry: boolean): Pick<PlacePlan, 'size' | 'later'> {
  let [size, later] = [0, 0];
  for (const [index, { parts }] of visits.entries())
    for (const { fields } of parts)
      for (const { below } of fields) {
        size += 1 + (below?.size ?? 0);
        later += index > 0 || !hasEntry ? 1 + (below?.size ?? 0) : (below?.later ?? 0);
      }
  return { size, later };
}

/** Whether objects of different types have different wanted fields. */
function differ(all: readonly (readonly WantedField[])[]): boolean {
  return new Set(all.map(textOf)).size > 1;
}

function withTypename(fields: readonly WantedField[]): readonly WantedField[] {
  if (fields.some(({ name }) => name === '__typename')) return fields;
  return [TYPENAME, ...fields];
}
