import { OperationTypeNode } from 'graphql';
import type { FieldSet } from '../../supergraph/index.ts';
import type { CommonFields } from './common-fields.ts';
import type { Call, Place, PlacePlan } from './place-plan.ts';
import type { PlacePlanner, PlanningScope } from './place-planner.ts';
import {
  findShortestRoutes,
  type Lookup,
  type Route,
  type RouteEntry,
  routesOf,
  type ServiceObject,
} from './routes.ts';
import type { Selections, WantedField } from './selections.ts';

/** One fetch of objects of one type. */
export interface TypeVisit {
  readonly isEntry: boolean;
  readonly object: ServiceObject;
  readonly wave: number;
  readonly lookup: Lookup | undefined;
  readonly representation: Selections[];
  /** The text of what its fields require; undefined where they require nothing. */
  readonly requires: string | undefined;
  /** Whether the types of objects have to be known before. */
  readonly needsType: boolean;
  /** Whether it is for objects that do not say their type. */
  readonly isForAnyType: boolean;
  /** The visits that its representations need, with the keys of the fields. */
  readonly needs: Map<TypeVisit, Set<string>>;
  readonly fields: WantedField[];
}

export interface TypePlan {
  readonly visits: readonly TypeVisit[];
  /** What of the wanted fields the visits fetch. */
  readonly inside: readonly WantedField[];
  readonly leftover: readonly WantedField[];
}

/** A way to fetch a field. */
interface Option {
  readonly route: Route;
  readonly requires: FieldSet | undefined;
  /** The wave in which the field itself is fetched. */
  readonly arrival: number;
  /** The wave in which everything below it is there, too. */
  readonly wave: number;
  readonly calls: readonly Call[];
  readonly below: PlacePlan | undefined;
  /** Whether it is for objects whose type is known only. */
  readonly needsType: boolean;
}

/** Plans how the fields that are wanted of objects of one type are fetched. */
export class TypePlanner {
  readonly #scope: PlanningScope;
  readonly #places: PlacePlanner;
  readonly #routes = new Map<string, readonly Route[]>();
  readonly #searching = new Map<string, readonly Route[]>();
  readonly #requiring = new Set<string>();
  /** How often a search met itself: what it found meanwhile may not be all. */
  unfinished = 0;

  constructor(scope: PlanningScope, places: PlacePlanner) {
    this.#scope = scope;
    this.#places = places;
  }

  /**
   * @param wanted fields of objects of the type
   * @param entry how the place's service has the objects; undefined at the root of an operation
   * @param common at a place whose service does not say the types of objects: which fields it can be asked for
   */
  plan(
    wanted: readonly WantedField[],
    type: string,
    place: Place | undefined,
    entry: RouteEntry | undefined,
    common?: CommonFields,
  ): TypePlan {
    const here = new PlannedObject(type, place, entry, common);
    const later: WantedField[] = [];
    for (const field of wanted) {
      const below = entry && this.#atEntry(field, here);
      if (below && below.calls.length === 0 && !below.leftover) here.visitEntry(field);
      else later.push(field);
    }
    const leftover: WantedField[] = [];
    const inside: WantedField[] = [...(here.entryVisit?.fields ?? [])];
    if (place?.isLocal) leftover.push(...later);
    else if (later.length > 0) this.#assign(later, here, inside, leftover);
    // Fields that the client selects keep its order, so that a response may be relayed as it is.
    const order = new Map(wanted.map(({ key }, at) => [key, at]));
    const positionOf = (field: WantedField) => order.get(field.key) ?? wanted.length;
    for (const { fields } of here.visits) fields.sort((one, other) => positionOf(one) - positionOf(other));
    return { visits: shared(here.visits), inside: this.#scope.selections.mergedFields(inside), leftover };
  }

  /** What is planned below a field that the place's own fetch can have; an empty plan for a leaf. */
  #atEntry(
    field: WantedField,
    { type, entry, place, common }: PlannedObject,
  ): Pick<PlacePlan, 'calls' | 'leftover'> | undefined {
    if (!entry) return undefined;
    if (common && !common.isWanted(field)) return undefined;
    if (field.name === '__typename') return entry.isTyped ? NOTHING_BELOW : undefined;
    if (!resolves(entry.object, field, type, place?.provides)) return undefined;
    if (!field.below) return NOTHING_BELOW;
    return this.#places.belowOf(field, type, entry.object, place?.provides, place?.isLocal);
  }

  /** Chooses where each field is fetched: in the fewest waves, and then by the fewest calls. */
  #assign(wanted: readonly WantedField[], here: PlannedObject, inside: WantedField[], leftover: WantedField[]): void {
    const routes = this.#routesFor(here);
    let rest = wanted.map((field) => ({ field, without: new Set<Route>() }));
    while (rest.length > 0) {
      const next: typeof rest = [];
      const choices = rest.flatMap((one) => {
        const options = this.#options(one.field, here, routes).filter(({ route }) => !one.without.has(route));
        const complete = options.filter(({ below }) => !below?.leftover);
        if (complete.length > 0) {
          const parts = this.#inParts(one.field, complete, here);
          if (!parts) return [{ ...one, options: complete }];
          for (const { field, option } of parts) this.#take(field, option, here, routes, inside);
          return [];
        }
        const partial = options.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
        if (!partial) leftover.push(one.field);
        else {
          const { leftover: left, inside: had } = partial.below ?? {};
          this.#take({ ...one.field, below: had }, partial, here, routes, inside);
          next.push({ field: { ...one.field, below: left }, without: new Set([...one.without, partial.route]) });
        }
        return [];
      });
      this.#cover(choices, here, routes, inside);
      rest = next;
    }
  }

  /**
   * A field that several services share, in two parts that need nothing further: in fewer waves than from one of them with joins.
   * Undefined where there are no such parts.
   */
  #inParts(field: WantedField, options: readonly Option[], here: PlannedObject) {
    const first = Math.min(...options.map(({ arrival }) => arrival));
    const candidates = options.filter(
      ({ arrival, requires, needsType }) => arrival === first && !requires && !needsType,
    );
    if (candidates.length < 2 || options.some(({ wave }) => wave === first)) return undefined;
    for (const option of candidates) {
      const own = this.#places.belowOf(field, here.type, option.route.object, undefined, true);
      if (!own?.inside || !own.leftover) continue;
      const rest = { ...field, below: own.leftover };
      for (const other of candidates) {
        if (other === option) continue;
        const below = this.#places.belowOf(rest, here.type, other.route.object, undefined, true);
        if (!below || below.leftover) continue;
        return [
          { field: { ...field, below: own.inside }, option },
          { field: rest, option: other },
        ];
      }
    }
    return undefined;
  }

  /** Takes the services that give the most fields for a call, until all fields are taken. */
  #cover(
    choices: readonly { readonly field: WantedField; readonly options: readonly Option[] }[],
    here: PlannedObject,
    routes: readonly Route[],
    inside: WantedField[],
  ): void {
    const most = Math.max(...choices.map(({ options }) => Math.min(...options.map(({ wave }) => wave))));
    let open = choices.map((one) => ({ ...one, options: one.options.filter(({ wave }) => wave <= most) }));
    // Where there is no choice, the calls are made anyway, and other fields may share them.
    for (const { field, options } of open) {
      const [only] = options;
      if (only && options.length === 1) this.#take(field, only, here, routes, inside);
    }
    open = open.filter(({ options }) => options.length > 1);
    while (open.length > 0) {
      const known = new Set(here.calls());
      let best: { route: Route; cost: number; wave: number; taken: typeof open } | undefined;
      for (const route of routes) {
        const taken = open.filter(({ options }) => options.some((one) => one.route === route));
        if (taken.length === 0) continue;
        this.#scope.steps.take(taken.length);
        const added = new Set<string>();
        let wave = 0;
        for (const { options } of taken) {
          const option = options.find((one) => one.route === route);
          if (!option) continue;
          wave = Math.max(wave, option.wave);
          const calls = option.calls.map((call) => `${call.wave}:${call.service}`);
          if (!route.isEntry || option.requires) calls.push(`${option.arrival}:${route.object.service}`);
          for (const call of calls) if (!known.has(call)) added.add(call);
        }
        const cost = added.size / taken.length;
        if (
          !best ||
          cost < best.cost ||
          (cost === best.cost &&
            (taken.length > best.taken.length || (taken.length === best.taken.length && wave < best.wave)))
        )
          best = { route, cost, wave, taken };
      }
      if (!best) return;
      const { route, taken } = best;
      for (const { field, options } of taken) {
        const option = options.find((one) => one.route === route);
        if (option) this.#take(field, option, here, routes, inside);
      }
      open = open.filter((one) => !taken.includes(one));
    }
  }

  #take(
    field: WantedField,
    option: Option,
    here: PlannedObject,
    routes: readonly Route[],
    inside: WantedField[],
  ): void {
    inside.push(field);
    this.#visit(option, here, routes).fields.push(field);
  }

  /** All ways to fetch a field. */
  #options(field: WantedField, here: PlannedObject, routes: readonly Route[], isOwn = false): Option[] {
    return routes.flatMap((route): Option[] => {
      this.#scope.steps.take();
      const { object, isEntry } = route;
      const { type, place, common } = here;
      if (field.name === '__typename') {
        if (object.as !== type || route.wave === Number.POSITIVE_INFINITY) return [];
        return [
          {
            route,
            requires: undefined,
            arrival: route.wave,
            wave: route.wave,
            calls: [],
            below: undefined,
            needsType: false,
          },
        ];
      }
      const found = object.own.field(field.name);
      const provides = isEntry ? place?.provides : undefined;
      if (!found) return [];
      let arrival = route.wave;
      let requires: FieldSet | undefined;
      if (found.requires && found.isResolvable) {
        requires = found.requires;
        arrival = 1 + Math.max(route.lookupWave, this.#waveOfRequirements(route, field, requires, here, routes));
      } else if (!resolves(object, field, type, provides)) return [];
      // Objects of an interface object are asked for what all types have, before it is known of which they are.
      const needsType =
        common !== undefined && object.as !== type && !(isOwn ? common.isFree(field) : common.isWanted(field));
      if (needsType) arrival = Math.max(arrival, 1 + Math.max(route.lookupWave, this.#waveOfType(routes)));
      if (arrival === Number.POSITIVE_INFINITY) return [];
      const below = this.#places.belowOf(field, type, object, arrival === route.wave ? provides : undefined);
      if (field.below && !below) return [];
      const calls = (below?.calls ?? []).map((call) => ({ ...call, wave: arrival + call.wave }));
      return [{ route, requires, arrival, wave: arrival + (below?.waves ?? 0), calls, below, needsType }];
    });
  }

  /** The wave in which the type of an object is known. */
  #waveOfType(routes: readonly Route[]): number {
    return Math.min(
      ...routes.map(({ wave, object }) => (object.own.isInterfaceObject ? Number.POSITIVE_INFINITY : wave)),
    );
  }

  #waveOfRequirements(
    route: Route,
    field: WantedField,
    requires: FieldSet,
    here: PlannedObject,
    routes: readonly Route[],
  ) {
    const name = `${here.key} ${route.object.service} ${route.object.as}.${field.name}`;
    if (this.#requiring.has(name)) {
      this.unfinished++;
      return Number.POSITIVE_INFINITY;
    }
    this.#requiring.add(name);
    try {
      return this.#waveOf(requires, here, routes);
    } finally {
      this.#requiring.delete(name);
    }
  }

  /** The wave in which all fields of a set are there. */
  #waveOf({ selections }: FieldSet, here: PlannedObject, routes: readonly Route[]): number {
    const wanted = this.#scope.selections.ofFieldSet(selections).fieldsOf(here.type);
    return Math.max(0, ...wanted.map((field) => this.#waveOfField(field, here, routes)));
  }

  #waveOfField(
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    without: ReadonlySet<Route> = NO_ROUTES,
  ): number {
    const options = this.#options(field, here, routes, true).filter(({ route }) => !without.has(route));
    const complete = options.filter(({ below }) => !below?.leftover);
    if (complete.length > 0) return Math.min(...complete.map(({ wave }) => wave));
    const partial = options.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
    if (!partial) return Number.POSITIVE_INFINITY;
    const rest = { ...field, below: partial.below?.leftover };
    return Math.max(partial.wave, this.#waveOfField(rest, here, routes, new Set([...without, partial.route])));
  }

  #routesFor(here: PlannedObject): readonly Route[] {
    const known = this.#routes.get(here.key);
    if (known) return known;
    const searching = this.#searching.get(here.key);
    if (searching) {
      this.unfinished++;
      return searching;
    }
    const { types, services } = this.#scope;
    const isRoot = !here.place || here.type === types.rootType(OperationTypeNode.QUERY);
    const routes = routesOf(types, services, here.type, isRoot, here.entry);
    this.#searching.set(here.key, routes);
    const before = this.unfinished;
    findShortestRoutes(routes, ({ key, needsType }) =>
      Math.max(key ? this.#waveOf(key, here, routes) : 0, needsType ? this.#waveOfType(routes) : 0),
    );
    this.#searching.delete(here.key);
    // Found within another search, it may rest on what that has not found yet.
    if (this.unfinished === before || this.#searching.size === 0) this.#routes.set(here.key, routes);
    return routes;
  }

  /** The visit that fetches a field by an option, with all visits that it needs. */
  #visit({ route, requires, arrival, needsType }: Option, here: PlannedObject, routes: readonly Route[]): TypeVisit {
    if (route.isEntry && arrival === 0) return here.visitEntry();
    const { lookup, object } = route;
    const text = requires?.text;
    const known = here.visits.find(
      (one) => one.object === object && one.requires === text && !one.isEntry && one.needsType === needsType,
    );
    if (known) return known;
    const representation: Selections[] = [];
    const needs: TypeVisit['needs'] = new Map();
    let there = here.entry ? 0 : -1;
    for (const set of [lookup?.key, requires]) {
      if (!set) continue;
      const held = this.#scope.selections.ofFieldSet(set.selections);
      representation.push(held);
      for (const field of held.fieldsOf(here.type))
        there = Math.max(there, this.#supply(field, arrival - 1, here, routes, needs));
    }
    if (needsType || lookup?.needsType)
      there = Math.max(there, this.#supply(TYPENAME, arrival - 1, here, routes, needs));
    const isForAnyType = here.entry?.isTyped === false && !needsType && !lookup?.needsType;
    const visit: TypeVisit = {
      isEntry: false,
      object,
      wave: there + 1,
      lookup,
      representation,
      requires: text,
      needsType,
      isForAnyType,
      needs,
      fields: [],
    };
    here.visits.push(visit);
    return visit;
  }

  /** Adds a field that a representation needs to a visit. @returns the wave in which it is there */
  #supply(
    field: WantedField,
    bound: number,
    here: PlannedObject,
    routes: readonly Route[],
    needs: TypeVisit['needs'],
    without: ReadonlySet<Route> = NO_ROUTES,
  ): number {
    const all = this.#options(field, here, routes, true).filter(({ route }) => !without.has(route));
    const complete = all.filter(({ below, wave }) => !below?.leftover && wave <= bound);
    const visited = new Set(here.calls());
    const rank = ({ wave, arrival, route, calls, requires }: Option) =>
      (route.isEntry && !requires ? 0 : visited.has(`${arrival}:${route.object.service}`) ? 0 : 1000) +
      calls.length * 100 +
      wave;
    const [best] = complete.sort((one, other) => rank(one) - rank(other));
    const option = best ?? all.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
    if (!option) throw new Error(`no way to ${here.type}.${field.name}, which was found before`);
    const visit = this.#visit(option, here, routes);
    needs.set(visit, (needs.get(visit) ?? new Set()).add(field.key));
    if (best) {
      visit.fields.push(field);
      return visit.wave + (option.below?.waves ?? 0);
    }
    visit.fields.push({ ...field, below: option.below?.inside });
    const rest = { ...field, below: option.below?.leftover };
    const later = this.#supply(rest, bound, here, routes, needs, new Set([...without, option.route]));
    return Math.max(visit.wave + (option.below?.waves ?? 0), later);
  }
}

const TYPENAME: WantedField = {
  key: '__typename',
  name: '__typename',
  arguments: [],
  call: '__typename',
  below: undefined,
};
const NO_ROUTES: ReadonlySet<Route> = new Set();
const NOTHING_BELOW: Pick<PlacePlan, 'calls' | 'leftover'> = { calls: [], leftover: undefined };

/** Objects of one type at one place, with the visits that have been planned so far. */
class PlannedObject {
  readonly type: string;
  readonly place: Place | undefined;
  readonly entry: RouteEntry | undefined;
  readonly common: CommonFields | undefined;
  readonly visits: TypeVisit[] = [];
  /** The same for objects that have the same ways. */
  readonly key: string;

  constructor(type: string, place: Place | undefined, entry: RouteEntry | undefined, common: CommonFields | undefined) {
    this.type = type;
    this.place = place;
    this.entry = entry;
    this.common = common;
    this.key = `${type} ${entry?.object.service ?? ''} ${entry?.object.as ?? ''} ${place?.provides?.id ?? ''}`;
  }

  get entryVisit(): TypeVisit | undefined {
    return this.visits.find(({ isEntry }) => isEntry);
  }

  visitEntry(field?: WantedField): TypeVisit {
    let visit = this.entryVisit;
    if (!visit) {
      if (!this.entry) throw new TypeError('a place without a fetch of its own');
      const { object } = this.entry;
      visit = {
        isEntry: true,
        object,
        wave: 0,
        lookup: undefined,
        representation: [],
        requires: undefined,
        needsType: false,
        isForAnyType: false,
        needs: new Map(),
        fields: [],
      };
      this.visits.unshift(visit);
    }
    if (field) visit.fields.push(field);
    return visit;
  }

  /** The calls that are made anyway, as `wave:service`. */
  calls(): string[] {
    return this.visits.flatMap(({ isEntry, wave, object }) => (isEntry ? [] : [`${wave}:${object.service}`]));
  }
}

/** Whether a service resolves a field without anything of others. */
function resolves({ own }: ServiceObject, field: WantedField, type: string, provides: Selections | undefined): boolean {
  const found = own.field(field.name);
  if (!found) return false;
  if (found.isResolvable && !found.requires) return true;
  return !found.requires && provides?.fieldsOf(type).some(({ name }) => name === field.name) === true;
}

/** Visits of one service in one wave as one, where all that they need comes with the place itself. */
function shared(visits: readonly TypeVisit[]): readonly TypeVisit[] {
  const kept: TypeVisit[] = [];
  const replaced = new Map<TypeVisit, TypeVisit>();
  for (const visit of visits) {
    const known = kept.find(
      (one) =>
        one.object === visit.object &&
        one.wave === visit.wave &&
        !one.isEntry &&
        visit.wave === 1 &&
        one.lookup === visit.lookup &&
        one.needsType === visit.needsType &&
        !requireOtherwise(one, visit),
    );
    if (known) {
      known.fields.push(...visit.fields);
      known.representation.push(...visit.representation);
      for (const [need, keys] of visit.needs) addNeed(known, need, keys);
      replaced.set(visit, known);
    } else kept.push(visit);
  }
  for (const visit of kept)
    for (const [need, keys] of [...visit.needs]) {
      const other = replaced.get(need);
      if (other) addNeed(visit, other, keys);
    }
  return kept;
}

function addNeed({ needs }: TypeVisit, need: TypeVisit, keys: ReadonlySet<string>): void {
  needs.set(need, new Set([...(needs.get(need) ?? []), ...keys]));
}

/** Whether two visits may require one field with different arguments, of which a representation has room for one. */
function requireOtherwise(one: TypeVisit, other: TypeVisit): boolean {
  if (one.requires === undefined || other.requires === undefined) return false;
  return one.requires.includes('(') || other.requires.includes('(');
}
