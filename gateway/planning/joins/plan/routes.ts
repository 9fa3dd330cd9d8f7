import type { Sliced } from '../../../../platform/index.ts';
import type { FieldSet, RootLookup, ServiceType, SupergraphTypes } from '../../supergraph/index.ts';
import { type Findable, isWork } from './steps.ts';

/**
 * The objects of a type in one service. The service has them under the type's own name or, as interface objects, under
 * an interface's name.
 */
export interface ServiceObject {
  readonly service: string;
  readonly as: string;
  readonly own: ServiceType;
  /** Whether the service only has relationships of the type. Such fields are root fields of the service. */
  readonly isRelated: boolean;
}

/**
 * A way for a service to return an object:
 *
 * - `entity`: as the entity of a key.
 * - `root-field`: through a root field.
 * - `root`: as the root object, for which nothing has to be known.
 * - `relationship`: field by field, through the root field of each relationship.
 */
export interface Lookup {
  readonly by: 'entity' | 'root-field' | 'root' | 'relationship';
  /** `__typename` in an entity's representation. */
  readonly typename: string | undefined;
  readonly key: FieldSet | undefined;
  /** The root field if the lookup uses one. */
  readonly rootField?: RootLookup;
  /** Whether the object's type has to be known. Objects of an interface object do not have a known type. */
  readonly needsType: boolean;
}

/** A route to an object in one service. */
export interface Route {
  readonly object: ServiceObject;
  readonly isEntry: boolean;
  readonly lookups: readonly Lookup[];
  /** The number of waves after the entry's until the object is fetched. Infinite if no route is found. */
  wave: number;
  /** The lookup of the shortest route. For the entry, the lookup by which its service is called again. */
  lookup: Lookup | undefined;
  /** The wave in which all data for `lookup` is known. */
  lookupWave: number;
}

/** The origin of objects. */
export interface RouteEntry {
  readonly object: ServiceObject;
  /** Whether the service returns the types of objects. False if it has an interface object. */
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

/** All routes to objects of a type, by service. Their lengths are not computed yet. */
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
    // A service with the interface of an interface object knows the type of each object.
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
 * Finds the shortest routes. Each round finds the objects that can be fetched with the results of earlier rounds.
 *
 * @param waveOf the wave in which all data for a lookup is known, according to the routes found so far
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
