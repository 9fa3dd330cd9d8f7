import {
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type SchemaDefinitionNode,
  type TypeDefinitionNode,
} from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { hasTrueArgument } from '../../supergraph/index.ts';
import { innermostTypeName } from '../../syntax/index.ts';
import { parseDefinition, parseHeader, splitDefinitions } from './definition-header.ts';

/**
 * Characters of SDL whose parsed definitions are kept: every operation needs the root types. One type may take half of them.
 */
const PARSED_TYPES: CacheBounds = { entries: Infinity, weights: [400_000] };

/**
 * A supergraph by its definitions. They are kept as SDL, which takes a fiftieth of the memory of documents, and are parsed
 * one by one when they are needed.
 */
export class SupergraphParts {
  /** Definitions that belong to every part: directives, and the types of their arguments. */
  readonly base: readonly DefinitionNode[];
  readonly schema: SchemaDefinitionNode | undefined;
  /** The number of object types of the interface or union that has most. */
  readonly widest: number;
  readonly #sdl = new Map<string, string>();
  /** The place of each type among all of them. */
  readonly #places = new Map<string, number>();
  readonly #objectsOf = new Map<string, string[]>();
  readonly #interfaceObjects = new Set<string>();
  readonly #parsed = new SecondChanceCache<TypeDefinitionNode>(PARSED_TYPES);

  /**
   * @param supergraph SDL, as a whole or by its definitions. Only the headers of definitions are parsed here.
   * @throws GraphQLError for a syntax error, an Error for SDL with extensions.
   */
  constructor(supergraph: string | readonly string[]) {
    const directives: DirectiveDefinitionNode[] = [];
    for (const sdl of typeof supergraph === 'string' ? splitDefinitions(supergraph) : supergraph) {
      const definition = parseHeader(sdl);
      if (definition?.kind === Kind.SCHEMA_DEFINITION) this.schema = definition;
      else if (definition?.kind === Kind.DIRECTIVE_DEFINITION) directives.push(definition);
      else this.#add(definition as TypeDefinitionNode, sdl);
    }
    for (const [type, objects] of this.#objectsOf)
      this.#objectsOf.set(
        type,
        [...new Set(objects)].filter((name) => !this.#objectsOf.has(name)),
      );
    this.base = [...directives, ...this.#inputTypesOf(directives)];
    this.widest = Math.max(0, ...[...this.#objectsOf.values()].map(({ length }) => length));
  }

  /** A type; undefined where the supergraph does not define it, as for built-in types. */
  type(name: string): TypeDefinitionNode | undefined {
    const known = this.#parsed.get(name);
    if (known) return known;
    const sdl = this.#sdl.get(name);
    if (sdl === undefined) return undefined;
    const parsed = parseDefinition(sdl) as TypeDefinitionNode;
    this.#parsed.keep(name, parsed, [sdl.length]);
    return parsed;
  }

  /** The object types of an interface or a union. */
  objectsOf(type: string): readonly string[] {
    return this.#objectsOf.get(type) ?? [];
  }

  /** Whether a subgraph has an interface as an object type, `@interfaceObject`, so that it adds fields to all its types. */
  isInterfaceObject(type: string): boolean {
    return this.#interfaceObjects.has(type);
  }

  /** Compares names of types by their order in the supergraph. */
  readonly compare = (one: string, other: string): number =>
    (this.#places.get(one) ?? 0) - (this.#places.get(other) ?? 0);

  #add(definition: TypeDefinitionNode, sdl: string): void {
    if (!definition.kind.endsWith('TypeDefinition')) throw new Error(`a supergraph has no ${definition.kind}`);
    const name = definition.name.value;
    this.#places.set(name, this.#places.size);
    this.#sdl.set(name, sdl);
    if (definition.kind === Kind.UNION_TYPE_DEFINITION)
      this.#objectsIn(name).push(...(definition.types ?? []).map((member) => member.name.value));
    if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) this.#objectsIn(name);
    if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
      for (const parent of definition.interfaces ?? []) this.#objectsIn(parent.name.value).push(name);
      if (definition.directives?.some((one) => hasTrueArgument(one, 'isInterfaceObject')))
        this.#interfaceObjects.add(name);
    }
  }

  #objectsIn(type: string): string[] {
    const known = this.#objectsOf.get(type) ?? [];
    this.#objectsOf.set(type, known);
    return known;
  }

  /** The types of the arguments of directives, and the types of their fields. */
  #inputTypesOf(directives: readonly DirectiveDefinitionNode[]): readonly TypeDefinitionNode[] {
    const found = new Map<string, TypeDefinitionNode>();
    const add = (values: readonly InputValueDefinitionNode[] = []) => {
      for (const { type } of values) {
        const definition = this.type(innermostTypeName(type));
        if (!definition || found.has(definition.name.value)) continue;
        found.set(definition.name.value, definition);
        if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) add(definition.fields);
      }
    };
    for (const one of directives) add(one.arguments);
    return [...found.values()];
  }
}
