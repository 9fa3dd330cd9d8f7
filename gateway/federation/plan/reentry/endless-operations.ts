import { type FieldNode, Kind, parse, type SelectionNode } from 'graphql';
import { parseFieldSet } from '../../../supergraph/index.ts';
import { fragmentsOf, innermostTypeName } from '../../../syntax/index.ts';
import { hasRequirements, requirementsOf } from './requirements.ts';

/** A chain of so many fetches for requirements is the shortest at which the planner has been seen not to return. */
const CHAIN = 3;

/** A field of a type, as `Parcel.weight`. */
type Coordinate = string;

/**
 * Finds the operations at which the planner (0.0.38) does not return. They select a field whose requirements are chained,
 * of which some field requires several others that arrive one after the other, together with another field
 * that has requirements, of any object. For most of these the planner returns.
 */
export function endlessOperations(sdl: string): (document: string) => boolean {
  if (!hasRequirements(sdl)) return () => false;
  const types = new RequiringTypes(sdl);
  const ends = types.endsOfChains();
  if (ends.size === 0) return () => false;
  return (document) => {
    const requiring = [...types.selectedBy(document)].filter((one) => types.requires(one));
    return requiring.some((end) => {
      const same = ends.get(end);
      return same !== undefined && requiring.some((one) => !same.has(one));
    });
  };
}

class RequiringTypes {
  readonly #fieldTypes = new Map<string, Map<string, string>>();
  readonly #required = new Map<Coordinate, Set<Coordinate>>();
  /** By type, the interfaces that it implements and the types that implement it: a field of one may be planned as that of another. */
  readonly #related = new Map<string, string[]>();
  readonly #roots = new Map<string, string>();

  constructor(sdl: string) {
    const requirements: [string, string, string][] = [];
    for (const definition of parse(sdl, { noLocation: true }).definitions) {
      if (definition.kind === Kind.SCHEMA_DEFINITION)
        for (const { operation, type } of definition.operationTypes) this.#roots.set(operation, type.name.value);
      if (definition.kind === Kind.UNION_TYPE_DEFINITION) this.#fieldTypes.set(definition.name.value, new Map());
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION)
        continue;
      const type = definition.name.value;
      this.#fieldTypes.set(type, new Map());
      for (const { name } of definition.interfaces ?? []) {
        this.#related.set(type, [...(this.#related.get(type) ?? []), name.value]);
        this.#related.set(name.value, [...(this.#related.get(name.value) ?? []), type]);
      }
      for (const field of definition.fields ?? []) {
        this.#fieldTypes.get(type)?.set(field.name.value, innermostTypeName(field.type));
        for (const { requires } of requirementsOf(field)) requirements.push([type, field.name.value, requires]);
      }
    }
    for (const [type, field, required] of requirements) {
      const coordinates = new Set<Coordinate>();
      this.#collect(type, parseFieldSet(required), new Map(), coordinates, new Map());
      for (const one of this.#planned(type, field))
        this.#required.set(one, new Set([...(this.#required.get(one) ?? []), ...coordinates]));
    }
  }

  requires(field: Coordinate): boolean {
    return this.#required.has(field);
  }

  /**
   * The fields whose requirements may keep the planner from returning where another field with requirements is selected, each with
   * those that are the same field: of an interface and of the types that implement it.
   */
  endsOfChains(): ReadonlyMap<Coordinate, ReadonlySet<Coordinate>> {
    const ends = new Map<Coordinate, ReadonlySet<Coordinate>>();
    const requiresLater = (one: Coordinate) => {
      const direct = [...(this.#required.get(one) ?? [])];
      return direct.length > 1 && direct.some((other) => this.#lengthOf(other, new Set()) > 0);
    };
    for (const end of this.#required.keys()) {
      if (this.#lengthOf(end, new Set()) < CHAIN) continue;
      if (![end, ...this.#allRequiredFor(end)].some(requiresLater)) continue;
      const [type = '', name = ''] = end.split('.');
      ends.set(end, new Set([type, ...(this.#related.get(type) ?? [])].flatMap((one) => this.#planned(one, name))));
    }
    return ends;
  }

  selectedBy(document: string): ReadonlySet<Coordinate> {
    const parsed = parse(document, { noLocation: true });
    const fragments = fragmentsOf(parsed);
    const selected = new Set<Coordinate>();
    const visited = new Map<readonly SelectionNode[], Set<string>>();
    for (const definition of parsed.definitions)
      if (definition.kind === Kind.OPERATION_DEFINITION)
        this.#collect(
          this.#roots.get(definition.operation) ?? '',
          definition.selectionSet.selections,
          fragments,
          selected,
          visited,
        );
    return selected;
  }

  /** Each list of selections is visited once for each type: a short document may have it a million times. */
  #collect(
    type: string,
    selections: readonly SelectionNode[],
    fragments: ReturnType<typeof fragmentsOf>,
    found: Set<Coordinate>,
    visited: Map<readonly SelectionNode[], Set<string>>,
  ): void {
    const types = visited.get(selections) ?? new Set();
    visited.set(selections, types);
    if (types.has(type)) return;
    types.add(type);
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.#collectField(type, selection, fragments, found, visited);
      else {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        const below = fragment?.selectionSet.selections ?? [];
        this.#collect(fragment?.typeCondition?.name.value ?? type, below, fragments, found, visited);
      }
    }
  }

  #collectField(
    type: string,
    { name, selectionSet }: FieldNode,
    fragments: ReturnType<typeof fragmentsOf>,
    found: Set<Coordinate>,
    visited: Map<readonly SelectionNode[], Set<string>>,
  ): void {
    for (const one of this.#planned(type, name.value)) found.add(one);
    const own = this.#fieldTypes.get(type)?.get(name.value);
    if (selectionSet && own !== undefined) this.#collect(own, selectionSet.selections, fragments, found, visited);
  }

  #planned(type: string, field: string): readonly Coordinate[] {
    const related = (this.#related.get(type) ?? []).filter((one) => this.#fieldTypes.get(one)?.has(field));
    return [type, ...related].map((one) => `${one}.${field}`);
  }

  #allRequiredFor(end: Coordinate): ReadonlySet<Coordinate> {
    const found = new Set(this.#required.get(end));
    for (const one of found) for (const next of this.#required.get(one) ?? []) found.add(next);
    return found;
  }

  /** How many fetches follow one another up to a field, at most `CHAIN`: what is below a required object may be another one. */
  #lengthOf(end: Coordinate, above: ReadonlySet<Coordinate>): number {
    const required = this.#required.get(end);
    if (!required) return this.#isObject(end) ? 1 : 0;
    if (above.has(end)) return 0;
    if (above.size + 1 >= CHAIN) return 1;
    const inner = new Set([...above, end]);
    return 1 + Math.max(0, ...[...required].map((one) => this.#lengthOf(one, inner)));
  }

  #isObject(field: Coordinate): boolean {
    const [type = '', name = ''] = field.split('.');
    return this.#fieldTypes.has(this.#fieldTypes.get(type)?.get(name) ?? '');
  }
}
