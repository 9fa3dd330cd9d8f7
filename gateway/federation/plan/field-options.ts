import { OperationTypeNode } from 'graphql';
import type { FieldSet, ServiceField } from '../../supergraph/index.ts';
import type { Call, PlacePlan } from './place-plan.ts';
import type { PlannedObject } from './planned-object.ts';
import { CALLS_PER_STEP, type PlanningScope } from './planning-scope.ts';
import { findShortestRoutes, type Route, routesOf, type ServiceObject } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';

/** A way to fetch a field. */
export interface FieldOption {
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

const NO_CALLS: readonly Call[] = [];

/** Finds the ways to fetch fields of objects, and how long they take. */
export class FieldOptions {
  readonly #scope: PlanningScope;
  readonly #routes = new Map<string, readonly Route[]>();
  readonly #searching = new Map<string, readonly Route[]>();
  readonly #requiring = new Set<string>();

  constructor(scope: PlanningScope) {
    this.#scope = scope;
  }

  /**
   * All ways to fetch a field.
   * @param routes all to objects of the type, in the order of the services
   */
  of(field: WantedField, here: PlannedObject, routes: readonly Route[], isOwn = false): FieldOption[] {
    this.#scope.steps.take();
    const found: FieldOption[] = [];
    const take = (route: Route | undefined) => {
      const option = route && this.#optionBy(route, field, here, routes, isOwn);
      if (option) found.push(option);
    };
    if (field.name === '__typename') routes.forEach(take);
    else for (const at of this.#scope.objects.having(here.type, field.name)) take(routes[at]);
    return found;
  }

  #optionBy(
    route: Route,
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    isOwn: boolean,
  ): FieldOption | undefined {
    const { object, isEntry, wave } = route;
    const { type, place, common } = here;
    if (field.name === '__typename') {
      if (object.as !== type || object.isRelated || wave === Number.POSITIVE_INFINITY) return undefined;
      return { route, requires: undefined, arrival: wave, wave, calls: NO_CALLS, below: undefined, needsType: false };
    }
    const found = fieldOf(object, field);
    const provides = isEntry ? place?.provides : undefined;
    if (!found) return undefined;
    this.#scope.steps.take();
    let arrival = wave;
    let requires: FieldSet | undefined;
    if (found.requires && found.isResolvable) {
      requires = found.requires;
      arrival = 1 + Math.max(route.lookupWave, this.#waveOfRequirements(route, field, requires, here, routes));
    } else if (!resolves(object, field, type, provides)) return undefined;
    // Objects of an interface object are asked for what all types have, before it is known of which they are.
    const needsType =
      common !== undefined && object.as !== type && !(isOwn ? common.isFree(field) : common.isWanted(field));
    if (needsType) arrival = Math.max(arrival, 1 + Math.max(route.lookupWave, this.#waveOfType(routes)));
    if (arrival === Number.POSITIVE_INFINITY) return undefined;
    if (!field.below) return { route, requires, arrival, wave: arrival, calls: NO_CALLS, below: undefined, needsType };
    const below = this.#scope.belowOf(field, type, object, arrival === wave ? provides : undefined);
    if (!below) return undefined;
    this.#scope.steps.take(below.calls.length / CALLS_PER_STEP);
    const calls = below.calls.map((call) => ({ ...call, wave: arrival + call.wave }));
    return { route, requires, arrival, wave: arrival + below.waves, calls, below, needsType };
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
      this.#scope.searches.foundCycle();
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
    const { entry, common, place, type } = here;
    // What the place's own fetch has is there at once.
    if (entry && !field.below && field.name !== '__typename' && (!common || common.isFree(field)))
      if (resolves(entry.object, field, type, place?.provides)) return 0;
    const options = this.of(field, here, routes, true).filter(({ route }) => !without.has(route));
    const complete = options.filter(({ below }) => !below?.leftover);
    if (complete.length > 0) return Math.min(...complete.map(({ wave }) => wave));
    const partial = options.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
    if (!partial) return Number.POSITIVE_INFINITY;
    const rest = { ...field, below: partial.below?.leftover };
    return Math.max(partial.wave, this.#waveOfField(rest, here, routes, new Set([...without, partial.route])));
  }

  /** The ways to objects, found once for those that have the same. */
  routesFor(here: PlannedObject): readonly Route[] {
    const known = this.#routes.get(here.key);
    if (known) return known;
    const searching = this.#searching.get(here.key);
    if (searching) {
      this.#scope.searches.foundCycle();
      return searching;
    }
    const { types, objects } = this.#scope;
    const isRoot = !here.place || here.type === types.rootType(OperationTypeNode.QUERY);
    const routes = routesOf(types, objects.of(here.type), here.type, isRoot, here.entry);
    this.#searching.set(here.key, routes);
    const before = this.#scope.searches.cycles;
    findShortestRoutes(routes, ({ key, needsType }) =>
      Math.max(key ? this.#waveOf(key, here, routes) : 0, needsType ? this.#waveOfType(routes) : 0),
    );
    this.#searching.delete(here.key);
    // Found within another search, it may rest on what that has not found yet.
    if (this.#scope.searches.cycles === before || this.#searching.size === 0) this.#routes.set(here.key, routes);
    return routes;
  }
}

export const NO_ROUTES: ReadonlySet<Route> = new Set();

/** The field of a service that a wanted one may be fetched from: clients get what they see there alone, with all arguments. */
function fieldOf({ own }: ServiceObject, { name, arguments: given, isOwn }: WantedField): ServiceField | undefined {
  const found = own.field(name);
  if (!found || (found.isHidden && !isOwn)) return undefined;
  const { arguments: known } = found;
  return !known || given.every((one) => known.has(one.name.value)) ? found : undefined;
}

/** Whether a service resolves a field without anything of others. */
export function resolves(
  object: ServiceObject,
  field: WantedField,
  type: string,
  provides: Selections | undefined,
): boolean {
  const found = fieldOf(object, field);
  if (!found) return false;
  if (found.isResolvable && !found.requires) return true;
  return !found.requires && provides?.fieldsOf(type).some(({ name }) => name === field.name) === true;
}
