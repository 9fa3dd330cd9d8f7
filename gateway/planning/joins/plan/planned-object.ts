import type { CommonFields } from './common-fields.ts';
import type { Place } from './place-plan.ts';
import type { Lookup, RouteEntry, ServiceObject } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';

/** One fetch of objects of one type. */
export interface TypeVisit {
  readonly isEntry: boolean;
  readonly object: ServiceObject;
  readonly wave: number;
  readonly lookup: Lookup | undefined;
  /** The fields of an object that the lookup needs. All must be non-null. */
  readonly key: Selections | undefined;
  readonly representation: Selections[];
  /** The text of the fields that the visit's fields require. Undefined if they require none. */
  requires: string | undefined;
  /** Whether the types of objects have to be known beforehand. */
  readonly needsType: boolean;
  /** Whether the visit also applies to objects whose type is unknown. */
  readonly isForAnyType: boolean;
  /** The visits that provide fields for its representations, with the keys of these fields. */
  readonly needs: Map<TypeVisit, Set<string>>;
  readonly fields: WantedField[];
}

/** Objects of one type at one place, with the visits that have been planned so far. */
export class PlannedObject {
  readonly type: string;
  readonly place: Place | undefined;
  readonly entry: RouteEntry | undefined;
  readonly common: CommonFields | undefined;
  readonly visits: TypeVisit[] = [];
  /** A text that is equal for objects with the same routes. */
  readonly key: string;

  readonly #made: readonly string[];

  /** @param made calls that are made for objects of other types, in the format of `calls` */
  constructor(
    type: string,
    place: Place | undefined,
    entry: RouteEntry | undefined,
    common: CommonFields | undefined,
    made: readonly string[],
  ) {
    this.#made = made;
    this.type = type;
    this.place = place;
    this.entry = entry;
    this.common = common;
    this.key = `${type} ${entry?.object.service ?? ''} ${entry?.object.as ?? ''} ${place?.provides?.id ?? ''} ${common?.id ?? ''}`;
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
        key: undefined,
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

  /** The calls that are made in any case, as `wave:service`. */
  calls(): string[] {
    return [...this.#made, ...callsOf(this.visits)];
  }
}

/** The calls of visits, as `wave:service`. */
export function callsOf(visits: readonly TypeVisit[]): string[] {
  return visits.flatMap(({ isEntry, wave, object }) => (isEntry ? [] : [`${wave}:${object.service}`]));
}

/** Combines visits of one service in one wave if all data that they need comes with the place itself. */
export function sharedVisits(visits: readonly TypeVisit[]): readonly TypeVisit[] {
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
        !requireOtherwise(one, visit) &&
        (one.requires === visit.requires || visit.lookup?.by !== 'relationship'),
    );
    if (known) {
      known.fields.push(...visit.fields);
      known.representation.push(...visit.representation);
      known.requires = [known.requires, visit.requires].filter((one) => one !== undefined).join(' ') || undefined;
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

/**
 * Whether two visits may require the same field with different arguments. A representation can only contain one of the
 * values.
 */
function requireOtherwise(one: TypeVisit, other: TypeVisit): boolean {
  if (one.requires === undefined || other.requires === undefined) return false;
  return one.requires.includes('(') || other.requires.includes('(');
}
