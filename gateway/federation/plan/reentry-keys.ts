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
} from 'graphql';
import { directiveArgument, hasTrueArgument, parseFieldSet } from '../../supergraph/index.ts';
import { fragmentsOf, innermostTypeName } from '../../syntax/index.ts';

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
  if (!sdl.includes('requires: "')) return { sdl, isFatal: () => false };
  const supergraph = parse(sdl, { noLocation: true });
  const types = new JoinedTypes(supergraph);
  const removed = types.surplusKeys();
  if (removed.size === 0) return { sdl, isFatal: fatalTo(types) };
  const changed = withoutDirectives(supergraph, removed);
  return { sdl: print(changed), isFatal: fatalTo(new JoinedTypes(changed)) };
}

/** Without risks, the supergraph's document is not kept in memory. */
function fatalTo(types: JoinedTypes): PlannableSupergraph['isFatal'] {
  if (!types.hasRisks) return () => false;
  return (document) => {
    try {
      return types.isFatal(document);
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
  readonly #roots = new Map<string, string>();
  /** Fields that the planner may go wrong at, written `Type.field`, with the keys that it may take by subgraph. */
  readonly #risky = new Map<string, ReadonlyMap<string, readonly ConstDirectiveNode[]>>();

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) {
      if (isTypeOfSubgraphs(definition)) this.#types.set(definition.name.value, definition);
      if (definition.kind === Kind.SCHEMA_DEFINITION)
        for (const { operation, type } of definition.operationTypes) this.#roots.set(operation, type.name.value);
    }
    for (const type of this.#types.values())
      for (const field of type.fields ?? []) {
        const risks = requirementsOf(field).flatMap(({ graph }) => {
          const keys = this.#keysTaken(type, graph);
          return this.#isSafeAnywhere(type, graph, keys) ? [] : [[graph, keys] as const];
        });
        if (risks.length > 0) this.#risky.set(`${type.name.value}.${field.name.value}`, new Map(risks));
      }
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

  get hasRisks(): boolean {
    return this.#risky.size > 0;
  }

  /** Whether an operation must be kept from the planner. */
  isFatal(document: string): boolean {
    const parsed = parse(document, { noLocation: true });
    const fragments = fragmentsOf(parsed);
    const seen = new Set<string>();
    /** @param sources the subgraphs that the objects come from */
    const fails = (typename: string, selections: readonly SelectionNode[], sources: readonly string[]): boolean =>
      selections.some((selection) => {
        if (selection.kind === Kind.FIELD) {
          const name = selection.name.value;
          return this.#withImplementations(typename).some((type) => {
            const field = this.#fieldOf(type, name);
            if (!field) return false;
            if (this.#failsAt(type, name, sources)) return true;
            const below = selection.selectionSet?.selections ?? [];
            if (fails(innermostTypeName(field.type), below, this.#graphsWith(type, field))) return true;
            const place = [type, name, ...sources].join(' ');
            if (seen.has(place)) return false;
            seen.add(place);
            return requirementsOf(field).some(({ requires }) => fails(type, parseFieldSet(requires), sources));
          });
        }
        if (selection.kind === Kind.INLINE_FRAGMENT)
          return fails(selection.typeCondition?.name.value ?? typename, selection.selectionSet.selections, sources);
        const fragment = fragments.get(selection.name.value);
        return fragment ? fails(fragment.typeCondition.name.value, fragment.selectionSet.selections, sources) : false;
      });
    return parsed.definitions.some(
      (definition) =>
        definition.kind === Kind.OPERATION_DEFINITION &&
        fails(this.#roots.get(definition.operation) ?? '', definition.selectionSet.selections, []),
    );
  }

  #failsAt(typename: string, name: string, sources: readonly string[]): boolean {
    const type = this.#types.get(typename);
    const risks = this.#risky.get(`${typename}.${name}`);
    if (!type || !risks) return false;
    return [...risks].some(
      ([graph, keys]) =>
        !keys.every((key) => leadsInto(key, keysOf(type, graph))) ||
        sources.some((source) => source !== graph && !keys.every((key) => this.#isKnownIn(source, type, key))),
    );
  }

  /** The keys, of any subgraph, that the planner may take for entering a subgraph a second time. */
  #keysTaken(type: TypeOfSubgraphs, graph: string): readonly ConstDirectiveNode[] {
    return graphsOf(type)
      .flatMap((one) => keysOf(type, one))
      .filter((key) => isResolvable(key) && this.#resolves(graph, type.name.value, parseFieldSet(keyText(key))));
  }

  #isSafeAnywhere(type: TypeOfSubgraphs, graph: string, keys: readonly ConstDirectiveNode[]): boolean {
    return keys.every((key) => leadsInto(key, keysOf(type, graph)) && this.#isKnownElsewhere(type, graph, key));
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
    const graphs = joins.flatMap((join) => directiveArgument(join, 'graph') ?? []);
    return joins.length === 0 ? own : graphs.length === 0 ? this.#allGraphs() : graphs;
  }

  /** For fields that types have of an interface object. */
  #allGraphs(): readonly string[] {
    return [...new Set([...this.#types.values()].flatMap(graphsOf))];
  }

  /** A type and, of an interface, all that implement it: the planner may plan each of them. */
  #withImplementations(name: string): readonly string[] {
    if (this.#types.get(name)?.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [name];
    const implementing = [...this.#types.values()].filter(({ interfaces }) =>
      interfaces?.some((one) => one.name.value === name),
    );
    return [name, ...implementing.map((type) => type.name.value)];
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

function requirementsOf({ directives = [] }: FieldDefinitionNode): { graph: string; requires: string }[] {
  return directives.flatMap((join) => {
    if (join.name.value !== 'join__field') return [];
    const [graph, requires] = [directiveArgument(join, 'graph'), directiveArgument(join, 'requires')];
    return graph === undefined || requires === undefined ? [] : [{ graph, requires }];
  });
}

function resolvesField(graph: string, type: TypeOfSubgraphs, { directives = [] }: FieldDefinitionNode): boolean {
  const joins = directives.filter((join) => join.name.value === 'join__field');
  if (joins.length === 0) return graphsOf(type).includes(graph);
  return joins.some(
    (join) =>
      directiveArgument(join, 'graph') === graph &&
      !hasTrueArgument(join, 'external') &&
      !hasTrueArgument(join, 'usedOverridden') &&
      // With a label it depends on the request.
      directiveArgument(join, 'overrideLabel') === undefined &&
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
