import type { Lookup, ServiceObject } from './routes.ts';
import type { Selections, WantedField } from './selections.ts';

/** A place with objects of which fields are wanted: the value of a field in one service. */
export interface Place {
  readonly service: string;
  /** The type of the field in the service. */
  readonly typeName: string;
  /** Fields that the service resolves here although they are external elsewhere. */
  readonly provides: Selections | undefined;
  /** Whether the type of each object has to be fetched. */
  readonly needsTypename: boolean;
  /** Whether only the service's own fields are planned. The rest is left over. */
  readonly isLocal: boolean;
}

/**
 * The plan for the wanted fields at a place. The plan does not depend on the path of the place, so equal places share
 * it.
 */
export interface PlacePlan {
  /** Undefined for the root of an operation. */
  readonly place: Place | undefined;
  /** The possible object types. */
  readonly types: readonly string[];
  /** The number of types of which fields may be wanted: all except those hidden from clients. */
  readonly seen: number;
  /** The visits of the plan. The place's own fetch comes first, if there is one. */
  readonly visits: readonly Visit[];
  /** The number of waves after the place's own until everything is fetched. */
  readonly waves: number;
  /** The calls after the place's own fetch, as `wave:service`. */
  readonly calls: readonly Call[];
  /** The number of fetched fields. `later` is the number of fields outside the place's own fetch. */
  readonly size: number;
  readonly later: number;
  /** The selections that cannot be fetched from this place. Undefined if everything can. */
  readonly leftover: Selections | undefined;
  /** The wanted selections without the leftover. Undefined if none remain. */
  readonly inside: Selections | undefined;
}

export interface Call {
  readonly wave: number;
  readonly service: string;
}

/** One fetch of the objects of a place, by type. */
export interface Visit {
  readonly service: string;
  /** The number of waves after the wave of the place. */
  readonly wave: number;
  readonly parts: readonly VisitPart[];
  /** The visits that provide fields for its representations, with the keys of these fields. */
  readonly needs: ReadonlyMap<Visit, ReadonlySet<string>>;
}

/** The part of a visit for objects of one type. */
export interface VisitPart {
  readonly type: string;
  readonly object: ServiceObject;
  /** Undefined for the place's own visit. */
  readonly lookup: Lookup | undefined;
  /** The fields of an object that the lookup needs. All must be non-null. */
  readonly key: Selections | undefined;
  /** The fields in representations. Undefined if there are none. */
  readonly representation: Selections | undefined;
  /** Whether the part also applies to objects whose type is unknown. */
  readonly isForAnyType: boolean;
  readonly fields: readonly PlannedField[];
}

export interface PlannedField {
  readonly field: WantedField;
  readonly below: PlacePlan | undefined;
}
