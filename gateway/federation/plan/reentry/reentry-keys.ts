import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { directiveArgument, hasTrueArgument, parseFieldSet } from '../../../supergraph/index.ts';
import { innermostTypeName } from '../../../syntax/index.ts';
import { FatalOperations, type PlannedField, type PlannedTypes } from './fatal-operations.ts';
import { hasRequirements, requirementsOf } from './requirements.ts';

/** A supergraph that the planner can be given. */
export interface PlannableSupergraph {
  readonly sdl: string;
  /** Whether an operation has to be kept from the planner, which would end the process. */
  isFatal(document: string): boolean;
}

/**
 * Makes the planner (0.0.38) enter subgraphs a second time, with what a field requires of others, by keys that the objects
 * have. Of all keys of the type, those of other subgraphs too, it takes the costliest that the subgraph with the
 * requirement has itself, without looking where the objects come from. It then sends a field to a subgraph that does not have
 * it, at which it panics, or represents an entity without a key. So a subgraph keeps only one key where all others have
 * its fields, which leads wherever its other keys do. Operations at which it would still go wrong are fatal.
 */
export function withReentryKeys(sdl: string): PlannableSupergraph {
  if (!hasRequirements(sdl)) return { sdl, isFatal: () => false };
  const supergraph = parse(sdl, { noLocation: true });
  const types = new JoinedTypes(supergraph);
  const removed = types.surplusKeys();
  if (removed.size === 0) return { sdl, isFatal: fatalTo(types) };
  const changed = withoutDirectives(supergraph, removed);
  return { sdl: print(changed), isFatal: fatalTo(new JoinedTypes(changed)) };
}

/** The supergraph's document is not kept in memory. */
function fatalTo(types: JoinedTypes): PlannableSupergraph['isFatal'] {
  const fatal = types.fatalOperations();
  if (!fatal) return () => false;
  return (document) => {
    try {
      return fatal.includes(document);
    } catch (error) {
      // The planner rejects a document that does not parse.
      if (error instanceof GraphQLError) return false;
      throw error;
    }
  };
}

type TypeOfSubgraphs = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

class JoinedTypes {
  readonly #types = new Map<string, TypeOfSubgraphs>();
  readonly #unions: UnionTypeDefinitionNode[] = [];
  readonly #roots = new Map<string, string>();
  /** By interface, the types that implement it. */
  readonly #implementations = new Map<string, string[]>();
  readonly #allGraphs: readonly string[];

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) {
      if (isTypeOfSubgraphs(definition)) this.#types.set(definition.name.value, definition);
      if (definition.kind === Kind.UNION_TYPE_DEFINITION) this.#unions.push(definition);
      if (definition.kind === Kind.SCHEMA_DEFINITION)
        for (const { operation, type } of definition.operationTypes) this.#roots.set(operation, type.name.value);
    }
    for (const { name, interfaces = [] } of this.#types.values())
      for (const { name: one } of interfaces)
        this.#implementations.set(one.value, [...(this.#implementations.get(one.value) ?? []), name.value]);
    this.#allGraphs = [...new Set([...this.#types.values()].flatMap(graphsOf))];
  }

  /** The keys of subgraphs that have another one which all others have, of types that require something. */
  surplusKeys(): ReadonlySet<ConstDirectiveNode> {
    const surplus = new Set<ConstDirectiveNode>();
    for (const type of this.#types.values()) {
      if (!type.fields?.some((field) => requirementsOf(field).length > 0)) continue;
      for (const graph of graphsOf(type)) {
        const keys = keysOf(type, graph);
        const common = [...keys]
          .sort((one, other) => keyText(one).length - keyText(other).length)
          .find((key) => isResolvable(key) && this.#isKnownElsewhere(type, graph, key));
        if (common) for (const key of keys) if (key !== common) surplus.add(key);
      }
    }
    return surplus;
  }

  /** The operations that must be kept from the planner; undefined where there is none. */
  fatalOperations(): FatalOperations | undefined {
    const fatal = [...this.#types.values()].flatMap((type) => {
      const fields = (type.fields ?? []).flatMap((field) => {
        const from = this.#fatalFrom(type, field);
        return from ? [[field.name.value, from] as const] : [];
      });
      return fields.length > 0 ? [[type.name.value, new Map(fields)] as const] : [];
    });
    if (fatal.length === 0) return undefined;
    const fatalByType = new Map(fatal);
    const planned: PlannedTypes = new Map(
      [...this.#typesThatLeadTo(fatalByType.keys())].map((typename) => {
        const fields = (this.#types.get(typename)?.fields ?? []).map((field): [string, PlannedField] => [
          field.name.value,
          {
            type: innermostTypeName(field.type),
            graphs: this.#graphsWith(typename, field),
            resolvers: this.#resolversOf(typename, field),
            requirements: requirementsOf(field).map(({ graph, requires }) => ({
              graph,
              required: parseFieldSet(requires),
            })),
            fatalFrom: fatalByType.get(typename)?.get(field.name.value),
          },
        ]);
        return [typename, new Map(fields)];
      }),
    );
    return new FatalOperations(planned, this.#implementations, this.#roots);
  }

  /** The subgraphs that objects may not come from when the planner gets a field; undefined for none, true for all. */
  #fatalFrom(type: TypeOfSubgraphs, field: FieldDefinitionNode): ReadonlySet<string> | true | undefined {
    const sources = new Set<string>();
    for (const { graph } of requirementsOf(field)) {
      const keys = this.#keysTaken(type, graph);
      if (!keys.every((key) => leadsInto(key, keysOf(type, graph)))) return true;
      for (const source of this.#allGraphs)
        if (source !== graph && !keys.every((key) => this.#isKnownIn(source, type, key))) sources.add(source);
    }
    return sources.size > 0 ? sources : undefined;
  }

  /** The given types, and those below which a selection may have one of them. */
  #typesThatLeadTo(targets: Iterable<string>): ReadonlySet<string> {
    const parents = new Map<string, Set<string>>();
    const link = (child: string, parent: string) => parents.set(child, (parents.get(child) ?? new Set()).add(parent));
    for (const { name, fields = [], interfaces = [] } of this.#types.values()) {
      for (const { type } of fields) link(innermostTypeName(type), name.value);
      // Fragments lead from a type to what it implements, and the other way.
      for (const one of interfaces) {
        link(name.value, one.name.value);
        link(one.name.value, name.value);
      }
    }
    for (const { name, types = [] } of this.#unions)
      for (const member of types) {
        link(member.name.value, name.value);
        link(name.value, member.name.value);
      }
    const found = new Set(targets);
    for (const typename of found) for (const parent of parents.get(typename) ?? []) found.add(parent);
    return found;
  }

  /** The keys, of any subgraph, that the planner may take for entering a subgraph a second time. */
  #keysTaken(type: TypeOfSubgraphs, graph: string): readonly ConstDirectiveNode[] {
    return graphsOf(type)
      .flatMap((one) => keysOf(type, one))
      .filter((key) => isResolvable(key) && this.#resolves(graph, type.name.value, parseFieldSet(keyText(key))));
  }

  #isKnownElsewhere(type: TypeOfSubgraphs, graph: string, key: ConstDirectiveNode): boolean {
    const interfaces = (type.interfaces ?? []).flatMap(({ name }) => this.#types.get(name.value) ?? []);
    const others = new Set([type, ...interfaces].flatMap(graphsOf).filter((other) => other !== graph));
    return [...others].every((other) => this.#isKnownIn(other, type, key));
  }

  /** Whether a subgraph has the fields of a key, if it has objects of the type at all. */
  #isKnownIn(graph: string, type: TypeOfSubgraphs, key: ConstDirectiveNode): boolean {
    const selections = parseFieldSet(keyText(key));
    if (graphsOf(type).includes(graph)) return this.#resolves(graph, type.name.value, selections);
    // An interface object stands for the type.
    return (type.interfaces ?? []).every(({ name }) => {
      const joins = (this.#types.get(name.value)?.directives ?? []).filter(
        (join) => directiveArgument(join, 'graph') === graph && hasTrueArgument(join, 'isInterfaceObject'),
      );
      return joins.length === 0 || this.#resolves(graph, name.value, selections);
    });
  }

  #fieldOf(type: string, name: string): FieldDefinitionNode | undefined {
    return this.#types.get(type)?.fields?.find((field) => field.name.value === name);
  }

  #graphsWith(typename: string, field: FieldDefinitionNode): readonly string[] {
    const type = this.#types.get(typename);
    const own = type ? graphsOf(type) : [];
    const joins = (field.directives ?? []).filter((join) => join.name.value === 'join__field');
    // Without a subgraph: fields that types have of an interface object.
    const graphs = joins.flatMap((join) => directiveArgument(join, 'graph') ?? []);
    return joins.length === 0 ? own : graphs.length === 0 ? this.#allGraphs : graphs;
  }

  /** The subgraphs that resolve a field, whatever they require for it. */
  #resolversOf(typename: string, field: FieldDefinitionNode): readonly string[] {
    const joins = (field.directives ?? []).filter((join) => join.name.value === 'join__field');
    if (joins.length === 0) return this.#graphsWith(typename, field);
    return joins.flatMap((join) =>
      hasTrueArgument(join, 'external') || hasTrueArgument(join, 'usedOverridden')
        ? []
        : (directiveArgument(join, 'graph') ?? []),
    );
  }

  /** Whether a subgraph resolves all fields of a field set by itself. */
  #resolves(graph: string, typename: string, selections: readonly SelectionNode[]): boolean {
    return selections.every((selection) => {
      if (selection.kind !== Kind.FIELD) return false;
      const field = this.#fieldOf(typename, selection.name.value);
      const type = this.#types.get(typename);
      if (!field || !type || !resolvesField(graph, type, field)) return false;
      const below = selection.selectionSet?.selections;
      return !below || this.#resolves(graph, innermostTypeName(field.type), below);
    });
  }
}

function isTypeOfSubgraphs(node: { readonly kind: string }): node is TypeOfSubgraphs {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION;
}

function keysOf({ directives = [] }: TypeOfSubgraphs, graph: string): readonly ConstDirectiveNode[] {
  return directives.filter(
    (join) =>
      join.name.value === 'join__type' &&
      directiveArgument(join, 'graph') === graph &&
      directiveArgument(join, 'key') !== undefined,
  );
}

/** Whether an object with a key has one of the keys of a subgraph: all names of its field set. */
function leadsInto(key: ConstDirectiveNode, keys: readonly ConstDirectiveNode[]): boolean {
  const names = namesIn(key);
  return keys.some((one) => isResolvable(one) && [...namesIn(one)].every((name) => names.has(name)));
}

function namesIn(key: ConstDirectiveNode): ReadonlySet<string> {
  return new Set(keyText(key).match(/\w+/g));
}

function isResolvable({ arguments: given }: ConstDirectiveNode): boolean {
  const value = given?.find((one) => one.name.value === 'resolvable')?.value;
  return value?.kind !== Kind.BOOLEAN || value.value;
}

function graphsOf({ directives = [] }: TypeOfSubgraphs): readonly string[] {
  const joins = directives.filter((join) => join.name.value === 'join__type');
  return [...new Set(joins.map((join) => directiveArgument(join, 'graph') ?? ''))];
}

function keyText(join: ConstDirectiveNode): string {
  return directiveArgument(join, 'key') ?? '';
}

function resolvesField(graph: string, type: TypeOfSubgraphs, { directives = [] }: FieldDefinitionNode): boolean {
  const joins = directives.filter((join) => join.name.value === 'join__field');
  if (joins.length === 0) return graphsOf(type).includes(graph);
  return joins.some(
    (join) =>
      directiveArgument(join, 'graph') === graph &&
      !hasTrueArgument(join, 'external') &&
      !hasTrueArgument(join, 'usedOverridden') &&
      directiveArgument(join, 'requires') === undefined,
  );
}

function withoutDirectives(document: DocumentNode, removed: ReadonlySet<ConstDirectiveNode>): DocumentNode {
  const definitions = document.definitions.map((definition) =>
    isTypeOfSubgraphs(definition) && definition.directives?.some((one) => removed.has(one))
      ? { ...definition, directives: definition.directives.filter((one) => !removed.has(one)) }
      : definition,
  );
  return { ...document, definitions };
}
