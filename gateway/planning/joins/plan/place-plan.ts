import type { Lookup, ServiceObject } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';

/** Where objects are that fields are wanted of: the value of a field in one service. */
export interface Place {
  readonly service: string;
  /** The type of the field in the service. */
  readonly typeName: string;
  /** Fields that the service resolves here, though they are external elsewhere. */
  readonly provides: Selections | undefined;
  /** Whether objects have to say which type they have. */
  readonly needsTypename: boolean;
  /** Whether only what the service itself has is planned; the rest is left over. */
  readonly isLocal: boolean;
}

/** How what is wanted at a place is fetched. It does not depend on where the place is, so that equal ones share it. */
export interface PlacePlan {
  /** Undefined for the root of an operation. */
  readonly place: Place | undefined;
  /** The object types that there can be. */
  readonly types: readonly string[];
  /** Of how many of these something may be wanted: all but those that clients do not see. */
  readonly seen: number;
  /** The place's own fetch comes first, where there is one. */
  readonly visits: readonly Visit[];
  /** The waves after that of the place until everything is there. */
  readonly waves: number;
  /** The calls after the place's own, as `wave:service`. */
  readonly calls: readonly Call[];
  /** How many fields are fetched, and how many of them not by the place's own fetch. */
  readonly size: number;
  readonly later: number;
  /** What cannot be fetched from this place; undefined where everything can. */
  readonly leftover: Selections | undefined;
  /** What is wanted without the leftover; undefined where nothing remains. */
  readonly inside: Selections | undefined;
}

export interface Call {
  readonly wave: number;
  readonly service: string;
}

/** One fetch of the objects of a place, by their types. */
export interface Visit {
  readonly service: string;
  /** After the wave of the place. */
  readonly wave: number;
  readonly parts: readonly VisitPart[];
  /** The visits that its representations need, with the keys of the fields. */
  readonly needs: ReadonlyMap<Visit, ReadonlySet<string>>;
}

/** What a visit fetches of the objects of one type. */
export interface VisitPart {
  readonly type: string;
  readonly object: ServiceObject;
  /** Undefined for a place's own visit. */
  readonly lookup: Lookup | undefined;
  /** What has to be known of an object for the lookup, none of it null. */
  readonly key: Selections | undefined;
  /** What representations hold; undefined where there is none. */
  readonly representation: Selections | undefined;
  /** Whether it is for objects that do not say their type, too. */
  readonly isForAnyType: boolean;
  readonly fields: readonly PlannedField[];
}

export interface PlannedField {
  readonly field: WantedField;
  readonly below: PlacePlan | undefined;
}
