import { OperationTypeNode } from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import type { CommonFields } from './common-fields.ts';
import { type FieldOption, FieldOptions, NO_ROUTES } from './field-options.ts';
import type { Place } from './place-plan.ts';
import { PlannedObject, sharedVisits, type TypeVisit } from './planned-object.ts';
import type { PlanningScope } from './planning-scope.ts';
import type { Route, RouteEntry } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';
import { type Findable, isWork } from './steps.ts';
import { VisitPlanner } from './visit-planner.ts';

export interface TypePlan {
  readonly visits: readonly TypeVisit[];
  /** The wanted fields that the visits fetch. */
  readonly inside: readonly WantedField[];
  readonly leftover: readonly WantedField[];
}

/** Plans the fetches for the wanted fields of objects of one type. */
export class TypePlanner {
  readonly #scope: PlanningScope;
  readonly #options: FieldOptions;
  readonly #visits: VisitPlanner;

  constructor(scope: PlanningScope) {
    this.#scope = scope;
    this.#options = new FieldOptions(scope);
    this.#visits = new VisitPlanner(scope, this.#options);
  }

  /**
   * @param wanted fields of objects of the type
   * @param entry the objects in the place's service; undefined at the root of an operation
   * @param common the fields that can be fetched if the place's service does not return the types of objects
   * @param made calls that are made for objects of other types there, as `wave:service`
   */
  *plan(
    wanted: readonly WantedField[],
    type: string,
    place: Place | undefined,
    entry: RouteEntry | undefined,
    common?: CommonFields,
    made: readonly string[] = [],
  ): Sliced<TypePlan> {
    const { steps } = this.#scope;
    const here = new PlannedObject(type, place, entry, common, made);
    const later: WantedField[] = [];
    for (const field of wanted) {
      if (steps.endSlice()) yield;
      steps.spend(1);
      const found = entry && this.#visits.atEntry(field, here);
      const below = isWork(found) ? yield* found : found;
      if (below && below.calls.length === 0 && !below.leftover) here.visitEntry(field);
      else later.push(field);
    }
    const leftover: WantedField[] = [];
    const inside: WantedField[] = [...(here.entryVisit?.fields ?? [])];
    if (place?.isLocal) leftover.push(...later);
    else if (later.length > 0) yield* this.#assign(later, here, inside, leftover);
    // Fields keep the client's order, so that a response may be relayed unchanged.
    const order = new Map(wanted.map(({ key }, at) => [key, at]));
    const positionOf = (field: WantedField) => order.get(field.key) ?? wanted.length;
    for (const { fields } of here.visits) fields.sort((one, other) => positionOf(one) - positionOf(other));
    return { visits: sharedVisits(here.visits), inside: this.#scope.selections.mergedFields(inside), leftover };
  }

  /** Chooses a service for each field, with as few waves and then as few calls as possible. */
  *#assign(
    wanted: readonly WantedField[],
    here: PlannedObject,
    inside: WantedField[],
    leftover: WantedField[],
  ): Sliced<void> {
    const found = this.#options.routesFor(here);
    const routes = isWork(found) ? yield* found : found;
    // Only one service executes a field of a mutation (GraphQL 6.2.2).
    const isOnce = !here.entry && here.type !== this.#scope.types.rootType(OperationTypeNode.QUERY);
    let rest: { readonly field: WantedField; readonly without: ReadonlySet<Route> }[] = wanted.map((field) => ({
      field,
      without: NO_ROUTES,
    }));
    while (rest.length > 0) {
      const next: typeof rest = [];
      const choices: { readonly field: WantedField; readonly options: readonly FieldOption[] }[] = [];
      for (const one of rest) {
        if (this.#scope.steps.endSlice()) yield;
        const ways = this.#options.of(one.field, here, routes);
        const all = isWork(ways) ? yield* ways : ways;
        const options = one.without.size === 0 ? all : all.filter(({ route }) => !one.without.has(route));
        const complete = options.filter(({ below }) => !below?.leftover);
        if (complete.length > 0) {
          const sharers = isOnce ? [] : sharersOf(one.field, complete);
          const parts = sharers.length > 0 ? yield* this.#inParts(one.field, sharers, here) : undefined;
          for (const { field, option } of parts ?? []) {
            const work = this.#take(field, option, here, routes, inside);
            if (work) yield* work;
          }
          if (!parts) choices.push({ field: one.field, options: complete });
          continue;
        }
        const partial = options.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
        if (!partial || isOnce) leftover.push(one.field);
        else {
          const { leftover: left, inside: had } = partial.below ?? {};
          const work = this.#take({ ...one.field, below: had }, partial, here, routes, inside);
          if (work) yield* work;
          next.push({ field: { ...one.field, below: left }, without: new Set([...one.without, partial.route]) });
        }
      }
      yield* this.#cover(choices, here, routes, inside);
      rest = next;
    }
  }

  /**
   * Fetches a field that several services share in parts that need no further calls. This takes fewer waves than
   * fetching it from one service with joins. Undefined if no such parts exist.
   * @param sharers the options in the format of `sharersOf`
   */
  *#inParts(
    field: WantedField,
    sharers: readonly FieldOption[],
    { type }: PlannedObject,
  ): Sliced<readonly FieldPart[] | undefined> {
    let left = sharers;
    const parts: FieldPart[] = [];
    let rest: WantedField | undefined = field;
    while (rest) {
      const wanted: WantedField = rest;
      const had: PartialOption[] = [];
      for (const option of left) {
        const found = this.#scope.belowOf(wanted, type, option.route.object, undefined, true);
        const own = isWork(found) ? yield* found : found;
        if (own?.inside) had.push({ option, inside: own.inside, leftover: own.leftover });
      }
      // The last part leaves nothing over. The part before it is one whose rest a single other service has.
      const next =
        had.find(({ leftover }) => !leftover) ?? (yield* this.#beforeLast(wanted, type, had, left)) ?? had[0];
      if (!next) return undefined;
      parts.push({ field: { ...wanted, below: next.inside }, option: next.option });
      left = left.filter((one) => one !== next.option);
      rest = next.leftover && { ...wanted, below: next.leftover };
    }
    return parts.length > 1 ? parts : undefined;
  }

  /** The first part whose rest another service has completely. */
  *#beforeLast(
    wanted: WantedField,
    type: string,
    had: readonly PartialOption[],
    left: readonly FieldOption[],
  ): Sliced<PartialOption | undefined> {
    for (const one of had)
      for (const other of left) {
        if (!one.leftover || other === one.option) continue;
        const rest = { ...wanted, below: one.leftover };
        const found = this.#scope.belowOf(rest, type, other.route.object, undefined, true);
        if (!(isWork(found) ? yield* found : found)?.leftover) return one;
      }
    return undefined;
  }

  /** Repeatedly chooses the service with the most fields per call, until all fields are assigned. */
  *#cover(
    choices: readonly { readonly field: WantedField; readonly options: readonly FieldOption[] }[],
    here: PlannedObject,
    routes: readonly Route[],
    inside: WantedField[],
  ): Sliced<void> {
    let most = 0;
    for (const { options } of choices) most = Math.max(most, earliest(options));
    let open: { readonly field: WantedField; readonly options: readonly FieldOption[] }[] = [];
    for (const { field, options: all } of choices) {
      const options = all.length === 1 ? all : all.filter(({ wave }) => wave <= most);
      const [only] = options;
      // If there is no choice, the calls are made in any case, and other fields may share them.
      if (only && options.length === 1) {
        const work = this.#take(field, only, here, routes, inside);
        if (work) yield* work;
      } else open.push({ field, options });
    }
    while (open.length > 0) {
      const known = new Set(here.calls());
      let best: { route: Route; rank: readonly number[]; taken: typeof open } | undefined;
      const byRoute = new Map<Route, typeof open>();
      for (const one of open)
        for (const { route } of one.options) {
          const taken = byRoute.get(route);
          if (taken) taken.push(one);
          else byRoute.set(route, [one]);
        }
      for (const route of routes) {
        const taken = byRoute.get(route);
        if (!taken) continue;
        this.#scope.steps.take(taken.length);
        if (this.#scope.steps.endSlice()) yield;
        const added = new Set<string>();
        let wave = 0;
        let later = 0;
        for (const { options } of taken) {
          const option = options.find((one) => one.route === route);
          if (!option) continue;
          wave = Math.max(wave, option.wave);
          later += option.arrival === 0 ? (option.below?.later ?? 0) : 1 + (option.below?.size ?? 0);
          const calls = option.calls.map((call) => `${call.wave}:${call.service}`);
          if (!route.isEntry || option.requires) calls.push(`${option.arrival}:${route.object.service}`);
          for (const call of calls) if (!known.has(call)) added.add(call);
        }
        // Among equally good routes, the one with the fewest later fields is chosen.
        const rank = [added.size / taken.length, -taken.length, wave, later];
        if (!best || isLess(rank, best.rank)) best = { route, rank, taken };
      }
      if (!best) return;
      const { route, taken } = best;
      for (const { field, options } of taken) {
        const option = options.find((one) => one.route === route);
        const work = option && this.#take(field, option, here, routes, inside);
        if (work) yield* work;
      }
      const covered = new Set(taken);
      open = open.filter((one) => !covered.has(one));
    }
  }

  /** @returns the remaining work if nothing is fetched by the option yet */
  #take(
    field: WantedField,
    option: FieldOption,
    here: PlannedObject,
    routes: readonly Route[],
    inside: WantedField[],
  ): Findable<undefined> {
    inside.push(field);
    const visit = this.#visits.knownVisit(option, here);
    if (!visit) return this.#takeFirst(field, option, here, routes);
    visit.fields.push(field);
    return undefined;
  }

  *#takeFirst(
    field: WantedField,
    option: FieldOption,
    here: PlannedObject,
    routes: readonly Route[],
  ): Sliced<undefined> {
    const visit = yield* this.#visits.addVisit(option, here, routes);
    visit.fields.push(field);
  }
}

/** A part of a field and the option for fetching it. */
interface FieldPart {
  readonly field: WantedField;
  readonly option: FieldOption;
}

/** An option for a field that provides all or part of the selections below it. */
interface PartialOption {
  readonly option: FieldOption;
  readonly inside: Selections;
  readonly leftover: Selections | undefined;
}

/** The options whose services may have parts of a field. Empty if one service has all of it equally early. */
function sharersOf(field: WantedField, options: readonly FieldOption[]): readonly FieldOption[] {
  if (!field.below) return [];
  const first = Math.min(...options.map(({ arrival }) => arrival));
  if (options.some(({ wave }) => wave === first)) return [];
  const found = options.filter(({ arrival, requires, needsType }) => arrival === first && !requires && !needsType);
  return found.length > MOST_SHARERS ? [] : found;
}

/**
 * The maximum number of services whose parts of a field are combined. The number of combinations grows with their cube.
 */
const MOST_SHARERS = 5;

/** The first wave in which a field can be known with everything below it. */
function earliest(options: readonly FieldOption[]): number {
  let wave = Number.POSITIVE_INFINITY;
  for (const option of options) wave = Math.min(wave, option.wave);
  return wave;
}

/** Whether the first list is lexicographically less than the second. */
function isLess(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
