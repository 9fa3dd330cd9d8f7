import type { Sliced } from '../../../../platform/index.ts';
import { unreachableField } from '../errors.ts';
import { type FieldOption, type FieldOptions, NO_ROUTES, resolves } from './field-options.ts';
import type { PlacePlan } from './place-plan.ts';
import type { PlannedObject, TypeVisit } from './planned-object.ts';
import type { PlanningScope } from './planning-scope.ts';
import type { Route } from './routes.ts';
import { type Selections, TYPENAME, type WantedField } from './selections.ts';
import { type Findable, isWork } from './steps.ts';

/** Plans the visits of objects: the fetches of their fields and of the data that these need. */
export class VisitPlanner {
  readonly #scope: PlanningScope;
  readonly #options: FieldOptions;

  constructor(scope: PlanningScope, options: FieldOptions) {
    this.#scope = scope;
    this.#options = options;
  }

  /** The plan below a field that the place's own fetch can include. Empty for a leaf. */
  atEntry(field: WantedField, { type, entry, place, common }: PlannedObject, isOwn = false): Findable<AtEntry> {
    if (!entry) return undefined;
    if (common && !(isOwn ? common.isFree(field) : common.isWanted(field))) return undefined;
    if (field.name === '__typename') return entry.isTyped ? NOTHING_BELOW : undefined;
    if (!resolves(entry.object, field, type, place?.provides)) return undefined;
    if (!field.below) return NOTHING_BELOW;
    return this.#scope.belowOf(field, type, entry.object, place?.provides, place?.isLocal);
  }

  /** The existing visit that fetches a field by an option, if there is one. */
  knownVisit({ route: { isEntry, object }, requires, arrival, needsType }: FieldOption, here: PlannedObject) {
    if (isEntry && arrival === 0) return here.visitEntry();
    return here.visits.find(
      (one) => one.object === object && one.requires === requires?.text && !one.isEntry && one.needsType === needsType,
    );
  }

  /** Adds the visit that fetches a field by an option, with all visits that it needs. */
  *addVisit(
    { route, requires, arrival, needsType }: FieldOption,
    here: PlannedObject,
    routes: readonly Route[],
  ): Sliced<TypeVisit> {
    const { lookup, object } = route;
    const representation: Selections[] = [];
    const needs: TypeVisit['needs'] = new Map();
    let there = here.entry ? 0 : -1;
    let key: Selections | undefined;
    for (const set of [lookup?.key, requires]) {
      if (!set) continue;
      const held = this.#scope.selections.ofFieldSet(set.selections);
      representation.push(held);
      // A relationship is called with the fields that it requires.
      if (set === lookup?.key || lookup?.by === 'relationship') key = held;
      for (const field of held.fieldsOf(here.type)) {
        const wave = this.#supply(field, arrival - 1, here, routes, needs);
        there = Math.max(there, isWork(wave) ? yield* wave : wave);
      }
    }
    if (needsType || lookup?.needsType) {
      const wave = this.#supply(TYPENAME, arrival - 1, here, routes, needs);
      there = Math.max(there, isWork(wave) ? yield* wave : wave);
    }
    const isForAnyType = here.entry?.isTyped === false && !needsType && !lookup?.needsType;
    const visit: TypeVisit = {
      isEntry: false,
      object,
      wave: there + 1,
      lookup,
      key,
      representation,
      requires: requires?.text,
      needsType,
      isForAnyType,
      needs,
      fields: [],
    };
    here.visits.push(visit);
    return visit;
  }

  /** Adds a field that a representation needs to a visit. @returns the wave in which the field is known */
  #supply(
    field: WantedField,
    bound: number,
    here: PlannedObject,
    routes: readonly Route[],
    needs: TypeVisit['needs'],
  ): Findable<number> {
    const found = this.atEntry(field, here, true);
    if (isWork(found) || !isAll(found)) return this.#supplyLater(found, field, bound, here, routes, needs);
    return supplyAtEntry(field, here, needs);
  }

  *#supplyLater(
    found: Findable<AtEntry>,
    field: WantedField,
    bound: number,
    here: PlannedObject,
    routes: readonly Route[],
    needs: TypeVisit['needs'],
  ): Sliced<number> {
    if (isWork(found) && isAll(yield* found)) return supplyAtEntry(field, here, needs);
    return yield* this.#supplyFrom(field, bound, here, routes, needs, NO_ROUTES);
  }

  *#supplyFrom(
    field: WantedField,
    bound: number,
    here: PlannedObject,
    routes: readonly Route[],
    needs: TypeVisit['needs'],
    without: ReadonlySet<Route>,
  ): Sliced<number> {
    if (this.#scope.steps.endSlice()) yield;
    const ways = this.#options.of(field, here, routes, true);
    const all = (isWork(ways) ? yield* ways : ways).filter(({ route }) => !without.has(route));
    const complete = all.filter(({ below, wave }) => !below?.leftover && wave <= bound);
    const visited = new Set(here.calls());
    const rank = ({ wave, arrival, route, calls, requires }: FieldOption) =>
      (route.isEntry && !requires ? 0 : visited.has(`${arrival}:${route.object.service}`) ? 0 : 1000) +
      calls.length * 100 +
      wave;
    const [best] = complete.sort((one, other) => rank(one) - rank(other));
    const option = best ?? all.filter(({ below }) => below?.inside).sort((a, b) => a.wave - b.wave)[0];
    if (!option) throw unreachableField(`${here.type}.${field.name}`);
    const visit = this.knownVisit(option, here) ?? (yield* this.addVisit(option, here, routes));
    needs.set(visit, (needs.get(visit) ?? new Set()).add(field.key));
    if (best) {
      visit.fields.push(field);
      return visit.wave + (option.below?.waves ?? 0);
    }
    visit.fields.push({ ...field, below: option.below?.inside });
    const rest = { ...field, below: option.below?.leftover };
    const later = yield* this.#supplyFrom(rest, bound, here, routes, needs, new Set([...without, option.route]));
    return Math.max(visit.wave + (option.below?.waves ?? 0), later);
  }
}

const NOTHING_BELOW: Pick<PlacePlan, 'calls' | 'leftover'> = { calls: [], leftover: undefined };

/** The plan below a field that the place's own fetch can include. */
type AtEntry = Pick<PlacePlan, 'calls' | 'leftover'> | undefined;

/** Whether the place's own fetch includes a field and everything below it. */
function isAll(atEntry: AtEntry): boolean {
  return atEntry?.calls.length === 0 && !atEntry.leftover;
}

function supplyAtEntry(field: WantedField, here: PlannedObject, needs: TypeVisit['needs']): number {
  const entry = here.visitEntry(field);
  needs.set(entry, (needs.get(entry) ?? new Set()).add(field.key));
  return 0;
}
