import { OperationTypeNode } from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import type { FieldSet, ServiceField } from '../../supergraph/index.ts';
import type { Call, PlacePlan } from './place-plan.ts';
import type { PlannedObject } from './planned-object.ts';
import { CALLS_PER_STEP, type PlanningScope } from './planning-scope.ts';
import { findShortestRoutes, type Lookup, type Route, routesOf, type ServiceObject } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';
import { type Findable, isWork } from './steps.ts';

/** A possible way to fetch a field. */
export interface FieldOption {
  readonly route: Route;
  readonly requires: FieldSet | undefined;
  /** The wave in which the field itself is fetched. */
  readonly arrival: number;
  /** The wave in which everything below the field has been fetched, too. */
  readonly wave: number;
  readonly calls: readonly Call[];
  readonly below: PlacePlan | undefined;
  /** Whether the option only applies to objects whose type is known. */
  readonly needsType: boolean;
}

/** An option without the data below the field. */
type OptionAlone = Pick<FieldOption, 'route' | 'requires' | 'arrival' | 'needsType'>;

const NO_CALLS: readonly Call[] = [];

/** Finds the options for fetching fields of objects and the waves that they take. */
export class FieldOptions {
  readonly #scope: PlanningScope;
  readonly #routes = new Map<string, readonly Route[]>();
  readonly #searching = new Map<string, readonly Route[]>();
  readonly #requiring = new Set<string>();

  constructor(scope: PlanningScope) {
    this.#scope = scope;
  }

  /**
   * All options for fetching a field.
   * @param routes all routes to objects of the type, in the order of the services
   */
  of(field: WantedField, here: PlannedObject, routes: readonly Route[], isOwn = false): Findable<FieldOption[]> {
    const { steps, objects } = this.#scope;
    steps.take();
    const having = field.name === '__typename' ? [...routes.keys()] : objects.having(here.type, field.name);
    const found: FieldOption[] = [];
    for (let index = 0; index < having.length; index++) {
      const route = routes[having[index] ?? 0];
      const option = route && this.#optionBy(route, field, here, routes, isOwn);
      if (isWork(option)) return this.#ofRest(found, option, having.slice(index + 1), field, here, routes, isOwn);
      if (option) found.push(option);
    }
    return found;
  }

  *#ofRest(
    found: FieldOption[],
    first: Sliced<FieldOption | undefined>,
    having: readonly number[],
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    isOwn: boolean,
  ): Sliced<FieldOption[]> {
    if (this.#scope.steps.endSlice()) yield;
    const option = yield* first;
    if (option) found.push(option);
    for (const at of having) {
      const route = routes[at];
      const made = route && this.#optionBy(route, field, here, routes, isOwn);
      const other = isWork(made) ? yield* made : made;
      if (other) found.push(other);
    }
    return found;
  }

  #optionBy(
    route: Route,
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    isOwn: boolean,
  ): Findable<FieldOption | undefined> {
    const { object, isEntry, wave } = route;
    const { type, place } = here;
    if (field.name === '__typename') {
      if (object.as !== type || object.isRelated || wave === Number.POSITIVE_INFINITY) return undefined;
      return { route, requires: undefined, arrival: wave, wave, calls: NO_CALLS, below: undefined, needsType: false };
    }
    const found = fieldOf(object, field);
    const provides = isEntry ? place?.provides : undefined;
    if (!found) return undefined;
    this.#scope.steps.take();
    if (found.requires && found.isResolvable)
      return this.#optionRequiring(found.requires, route, field, here, routes, isOwn);
    if (!resolves(object, field, type, provides)) return undefined;
    return this.#optionFrom(undefined, wave, route, field, here, routes, isOwn);
  }

  *#optionRequiring(
    requires: FieldSet,
    route: Route,
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    isOwn: boolean,
  ): Sliced<FieldOption | undefined> {
    const known = yield* this.#waveOfRequirements(route, field, requires, here, routes);
    const made = this.#optionFrom(requires, 1 + Math.max(route.lookupWave, known), route, field, here, routes, isOwn);
    return isWork(made) ? yield* made : made;
  }

  /** @param arrives the wave in which the field can be fetched if the type of objects is known */
  #optionFrom(
    requires: FieldSet | undefined,
    arrives: number,
    route: Route,
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    isOwn: boolean,
  ): Findable<FieldOption | undefined> {
    const { object, isEntry, wave } = route;
    const { type, place, common } = here;
    let arrival = arrives;
    // A service with an interface object is asked for fields that all types have, before the types of its objects are
    // known.
    const needsType =
      common !== undefined && object.as !== type && !(isOwn ? common.isFree(field) : common.isWanted(field));
    if (needsType) arrival = Math.max(arrival, 1 + Math.max(route.lookupWave, this.#waveOfType(routes)));
    if (arrival === Number.POSITIVE_INFINITY) return undefined;
    if (!field.below) return { route, requires, arrival, wave: arrival, calls: NO_CALLS, below: undefined, needsType };
    const provides = isEntry && arrival === wave ? place?.provides : undefined;
    const below = this.#scope.belowOf(field, type, object, provides);
    const alone = { route, requires, arrival, needsType };
    return isWork(below) ? this.#withWork(alone, below) : this.#with(alone, below);
  }

  *#withWork(alone: OptionAlone, work: Sliced<PlacePlan | undefined>): Sliced<FieldOption | undefined> {
    return this.#with(alone, yield* work);
  }

  #with(alone: OptionAlone, below: PlacePlan | undefined): FieldOption | undefined {
    if (!below) return undefined;
    const { arrival } = alone;
    this.#scope.steps.take(below.calls.length / CALLS_PER_STEP);
    const calls = below.calls.map((call) => ({ ...call, wave: arrival + call.wave }));
    return { ...alone, wave: arrival + below.waves, calls, below };
  }

  /** The wave in which the type of an object is known. */
  #waveOfType(routes: readonly Route[]): number {
    return Math.min(
      ...routes.map(({ wave, object }) => (object.own.isInterfaceObject ? Number.POSITIVE_INFINITY : wave)),
    );
  }

  *#waveOfRequirements(
    route: Route,
    field: WantedField,
    requires: FieldSet,
    here: PlannedObject,
    routes: readonly Route[],
  ): Sliced<number> {
    const name = `${here.key} ${route.object.service} ${route.object.as}.${field.name}`;
    if (this.#requiring.has(name)) {
      this.#scope.searches.foundCycle();
      return Number.POSITIVE_INFINITY;
    }
    this.#requiring.add(name);
    try {
      const found = this.#waveOf(requires, here, routes);
      return isWork(found) ? yield* found : found;
    } finally {
      this.#requiring.delete(name);
    }
  }

  /** The wave in which all fields of a set are known. */
  #waveOf({ selections }: FieldSet, here: PlannedObject, routes: readonly Route[]): Findable<number> {
    const later = this.#scope.selections
      .ofFieldSet(selections)
      .fieldsOf(here.type)
      .filter((field) => !isAtEntry(field, here));
    return later.length === 0 ? 0 : this.#lastWave(later, here, routes);
  }

  *#lastWave(wanted: readonly WantedField[], here: PlannedObject, routes: readonly Route[]): Sliced<number> {
    let wave = 0;
    for (const field of wanted) {
      if (this.#scope.steps.endSlice()) yield;
      wave = Math.max(wave, yield* this.#waveOfField(field, here, routes));
    }
    return wave;
  }

  *#waveOfField(
    field: WantedField,
    here: PlannedObject,
    routes: readonly Route[],
    without: ReadonlySet<Route> = NO_ROUTES,
  ): Sliced<number> {
    const found = this.of(field, here, routes, true);
    const options = (isWork(found) ? yield* found : found).filter(({ route }) => !without.has(route));
    const complete = options.filter(({ below }) => !below?.leftover);
    if (complete.length > 0) return Math.min(...complete.map(({ wave }) => wave));
    const partial = options.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
    if (!partial) return Number.POSITIVE_INFINITY;
    const rest = { ...field, below: partial.below?.leftover };
    return Math.max(partial.wave, yield* this.#waveOfField(rest, here, routes, new Set([...without, partial.route])));
  }

  /** The wave in which all data for a lookup is known. */
  #waveOfLookup({ key, needsType }: Lookup, here: PlannedObject, routes: readonly Route[]): Findable<number> {
    const known = key ? this.#waveOf(key, here, routes) : 0;
    if (isWork(known)) return this.#waveOfLookupLater(known, needsType, routes);
    return needsType ? Math.max(known, this.#waveOfType(routes)) : known;
  }

  *#waveOfLookupLater(work: Sliced<number>, needsType: boolean, routes: readonly Route[]): Sliced<number> {
    const known = yield* work;
    return needsType ? Math.max(known, this.#waveOfType(routes)) : known;
  }

  /** The routes to objects. Objects with equal keys share them. */
  routesFor(here: PlannedObject): Findable<readonly Route[]> {
    const known = this.#routes.get(here.key);
    if (known) return known;
    const searching = this.#searching.get(here.key);
    if (searching) {
      this.#scope.searches.foundCycle();
      return searching;
    }
    return this.#findRoutes(here);
  }

  *#findRoutes(here: PlannedObject): Sliced<readonly Route[]> {
    const { types, objects } = this.#scope;
    const isRoot = !here.place || here.type === types.rootType(OperationTypeNode.QUERY);
    const routes = routesOf(types, objects.of(here.type), here.type, isRoot, here.entry);
    this.#searching.set(here.key, routes);
    const before = this.#scope.searches.cycles;
    yield* findShortestRoutes(routes, (lookup) => this.#waveOfLookup(lookup, here, routes));
    this.#searching.delete(here.key);
    // A result that was found within another search may depend on unfinished results and is not kept.
    if (this.#scope.searches.cycles === before || this.#searching.size === 0) this.#routes.set(here.key, routes);
    return routes;
  }
}

export const NO_ROUTES: ReadonlySet<Route> = new Set();

/**
 * The service's field that a wanted field may be fetched from. Such a field must be visible to clients in the service
 * and have all arguments.
 */
function fieldOf({ own }: ServiceObject, { name, arguments: given, isOwn }: WantedField): ServiceField | undefined {
  const found = own.field(name);
  if (!found || (found.isHidden && !isOwn)) return undefined;
  const { arguments: known } = found;
  return !known || given.every((one) => known.has(one.name.value)) ? found : undefined;
}

/** Whether the place's own fetch includes a field of a key or of requirements, so that it is known immediately. */
function isAtEntry(field: WantedField, { entry, common, place, type }: PlannedObject): boolean {
  if (!entry || field.below || field.name === '__typename' || (common && !common.isFree(field))) return false;
  return resolves(entry.object, field, type, place?.provides);
}

/** Whether a service resolves a field without fields of others. */
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
