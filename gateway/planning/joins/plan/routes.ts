import type { Sliced } from '../../../../platform/index.ts';
import type { FieldSet, RootLookup, ServiceType, SupergraphTypes } from '../../supergraph/index.ts';
import { type Findable, isWork } from './steps.ts';

/** Objects of a type as a service has them: under the name of the type, or of an interface as an interface object. */
export interface ServiceObject {
  readonly service: string;
  readonly as: string;
  readonly own: ServiceType;
  /** Whether it is only what the service has of the type as relationships: fields that are root fields of the service. */
  readonly isRelated: boolean;
}

/**
 * How a service returns an object: as the entity of a key; by a root field; as its root object, for which nothing has to be known;
 * or field by field, by the root field of each relationship.
 */
export interface Lookup {
  readonly by: 'entity' | 'root-field' | 'root' | 'relationship';
  /** `__typename` of an entity's representation. */
  readonly typename: string | undefined;
  readonly key: FieldSet | undefined;
  /** The root field, where it is by one. */
  readonly rootField?: RootLookup;
  /** Whether the object's type has to be known, which objects of an interface object do not say. */
  readonly needsType: boolean;
}

/** A way to an object in one service. */
export interface Route {
  readonly object: ServiceObject;
  readonly isEntry: boolean;
  readonly lookups: readonly Lookup[];
  /** The waves after the entry's that pass before the object is there; infinite where no way is found. */
  wave: number;
  /** The lookup of the shortest way; of the entry, that by which its service is entered again. */
  lookup: Lookup | undefined;
  /** The wave in which everything for `lookup` is there. */
  lookupWave: number;
}

/** Where objects come from. */
export interface RouteEntry {
  readonly object: ServiceObject;
  /** Whether the service says which type they have: not where it has an interface object. */
  readonly isTyped: boolean;
}

/** The objects of a type in each service that has them. */
export function serviceObjects(types: SupergraphTypes, services: readonly string[], type: string): ServiceObject[] {
  const model = types.type(type);
  return services.flatMap((service) => {
    const found: ServiceObject[] = [];
    const own = model?.in(service);
    if (own) found.push({ service, as: type, own, isRelated: false });
    for (const name of model?.interfaces ?? []) {
      const asInterface = types.type(name)?.in(service);
      if (asInterface?.isInterfaceObject) found.push({ service, as: name, own: asInterface, isRelated: false });
    }
    const related = model?.relationships(service);
    if (related) found.push({ service, as: type, own: related, isRelated: true });
    return found;
  });
}

/** All ways to objects of a type, as each service has them, no lengths yet. */
export function routesOf(
  types: SupergraphTypes,
  objects: readonly ServiceObject[],
  type: string,
  isRoot: boolean,
  entry: RouteEntry | undefined,
): Route[] {
  const isUntyped = entry !== undefined && !entry.isTyped;
  return objects.map((object) => {
    const { own, isRelated } = object;
    if (isRelated) return { object, isEntry: false, lookups: BY_RELATIONSHIP, ...NO_WAY };
    const isEntry = object.service === entry?.object.service && object.as === entry.object.as;
    const needsType = isUntyped && object.as === type;
    const lookups: Lookup[] = [
      ...own.keys.map((key): Lookup => ({ by: 'entity', typename: object.as, key, needsType })),
      ...own.lookups.map(
        (rootField): Lookup => ({ by: 'root-field', typename: undefined, key: rootField.key, rootField, needsType }),
      ),
    ];
    // A service that has the interface of an interface object knows the type of each.
    const asInterface =
      entry && isUntyped && object.as === type ? types.type(entry.object.as)?.in(object.service) : undefined;
    if (asInterface && !asInterface.isInterfaceObject)
      for (const key of asInterface.keys)
        lookups.push({ by: 'entity', typename: entry?.object.as, key, needsType: false });
    if (isRoot) lookups.push({ by: 'root', typename: undefined, key: undefined, needsType: false });
    const wave = isEntry || (isRoot && entry === undefined) ? 0 : Number.POSITIVE_INFINITY;
    return { object, isEntry, lookups, ...NO_WAY, wave };
  });
}

const NO_WAY = { wave: Number.POSITIVE_INFINITY, lookup: undefined, lookupWave: Number.POSITIVE_INFINITY } as const;
const BY_RELATIONSHIP: readonly Lookup[] = [
  { by: 'relationship', typename: undefined, key: undefined, needsType: false },
];

/**
 * Finds the shortest ways: each round finds what can be reached by what the rounds before have reached.
 *
 * @param waveOf the wave in which everything of a lookup is there, by the ways that are known so far
 */
export function* findShortestRoutes(
  routes: readonly Route[],
  waveOf: (lookup: Lookup) => Findable<number>,
): Sliced<void> {
  for (let changed = true; changed; ) {
    changed = false;
    const known = new Map<string, number>();
    for (const route of routes) {
      for (const lookup of route.lookups) {
        const name = `${lookup.needsType} ${lookup.key?.text ?? ''}`;
        const found = known.get(name) ?? waveOf(lookup);
        const there = isWork(found) ? yield* found : found;
        known.set(name, there);
        if (there >= route.lookupWave) continue;
        route.lookup = lookup;
        route.lookupWave = there;
        if (there + 1 < route.wave) route.wave = there + 1;
        changed = true;
      }
    }
  }
}
