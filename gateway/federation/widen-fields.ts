import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  OperationTypeNode,
  parseType,
  print,
  type TypeNode,
  visit,
} from 'graphql';
import { directiveArgument, graphNames } from './join-directives.ts';
import type { ComposedService } from './restore-external.ts';

/**
 * Gives shared fields the widest type that a subgraph gives them, as Apollo's composition does: of `Book` and an
 * interface or union of books and films, the latter. `@theguild/federation-composition` 0.27 takes the type of the
 * first subgraph, for which the film of another is no answer. The query planner ends the
 * process over an operation that asks for the members of both.
 * @param services what it was composed of, where that is known; else, the types count that the supergraph states
 * @returns the supergraph itself when nothing is wider
 */
export function widenFields(supergraph: DocumentNode, services: readonly ComposedService[] = []): DocumentNode {
  const given = new Map(services.map(({ name, typeDefs }) => [name, fieldTypes(typeDefs)]));
  const names = graphNames(supergraph);
  const kinds = abstractTypes(supergraph);
  let wider = false;
  const widen = (type: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) => {
    const fields = (type.fields ?? []).map((field): FieldDefinitionNode => {
      const joins = joinsOf(type, field);
      const types = new Map(
        joins.flatMap(({ graph, join }): [string, TypeNode][] => {
          const stated = join && directiveArgument(join, 'type');
          const found = stated
            ? parseType(stated, { noLocation: true })
            : given.get(names.get(graph) ?? '')?.get(`${type.name.value}.${field.name.value}`);
          return found ? [[graph, found]] : [];
        }),
      );
      const resolved = joins.flatMap(({ graph, resolves }) => {
        const found = resolves ? types.get(graph) : undefined;
        return found ? [namedType(found)] : [];
      });
      const widest = resolved.find((one) => resolved.every((other) => covers(kinds, one, other)));
      if (widest === undefined || widest === namedType(field.type)) return field;
      wider = true;
      const others = (field.directives ?? []).filter(({ name }) => name.value !== 'join__field');
      const directives = [...others, ...joins.map(({ graph, join }) => typedJoin(join, graph, types.get(graph)))];
      return { ...field, type: renamed(field.type, widest), directives };
    });
    return { ...type, fields };
  };
  const widened = visit(supergraph, { ObjectTypeDefinition: widen, InterfaceTypeDefinition: widen });
  return wider ? coverImplementers(widened, kinds) : supergraph;
}

/** Gives fields of interfaces the types of the fields that implement them, where these have become the wider ones. */
function coverImplementers(supergraph: DocumentNode, kinds: Kinds): DocumentNode {
  const types = new Map<string, string>();
  for (const type of supergraph.definitions)
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const field of type.fields ?? []) types.set(`${type.name.value}.${field.name.value}`, namedType(field.type));
  let wider = false;
  const covered = visit(supergraph, {
    InterfaceTypeDefinition: (type) => ({
      ...type,
      fields: (type.fields ?? []).map((field): FieldDefinitionNode => {
        const own = namedType(field.type);
        const implemented = [...(kinds.get(type.name.value) ?? [])].flatMap((name) => {
          const found = types.get(`${name}.${field.name.value}`);
          return found === undefined ? [] : [found];
        });
        const widest = [own, ...implemented].find((one) =>
          [own, ...implemented].every((other) => covers(kinds, one, other)),
        );
        if (widest === undefined || widest === own) return field;
        wider = true;
        return { ...field, type: renamed(field.type, widest) };
      }),
    }),
  });
  // Interfaces implement interfaces.
  return wider ? coverImplementers(covered, kinds) : supergraph;
}

type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

interface FieldJoin {
  readonly graph: string;
  readonly join?: ConstDirectiveNode;
  /** Not where the field is external, or now taken from elsewhere. */
  readonly resolves: boolean;
}

/** The subgraphs that have a field: those of its type where it does not say. */
function joinsOf(type: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode, field: FieldDefinitionNode) {
  const found = (field.directives ?? []).flatMap((join): FieldJoin[] => {
    const graph = join.name.value === 'join__field' ? directiveArgument(join, 'graph') : undefined;
    if (graph === undefined) return [];
    const says = (argument: string) => join.arguments?.some(({ name }) => name.value === argument) === true;
    // Where the override has a label, the field may still be taken from here.
    const elsewhere = says('external') || (says('usedOverridden') && !says('overrideLabel'));
    return [{ graph, join, resolves: !elsewhere }];
  });
  if (found.length > 0) return found;
  const graphs = (type.directives ?? []).flatMap((one) => {
    const graph = one.name.value === 'join__type' ? directiveArgument(one, 'graph') : undefined;
    return graph === undefined ? [] : [graph];
  });
  return [...new Set(graphs)].map((graph): FieldJoin => ({ graph, resolves: true }));
}

/** The types of `Type.field` in a subgraph. Its root types have the names that they have in the supergraph. */
function fieldTypes(typeDefs: DocumentNode): Map<string, TypeNode> {
  const roots = new Map<string, string>();
  for (const definition of typeDefs.definitions)
    if (definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION)
      for (const { operation, type } of definition.operationTypes ?? []) roots.set(type.name.value, ROOTS[operation]);
  const types = new Map<string, TypeNode>();
  for (const definition of typeDefs.definitions)
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.OBJECT_TYPE_EXTENSION:
      case Kind.INTERFACE_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_EXTENSION: {
        const name = roots.get(definition.name.value) ?? definition.name.value;
        for (const field of definition.fields ?? []) types.set(`${name}.${field.name.value}`, field.type);
      }
    }
  return types;
}

const ROOTS = {
  [OperationTypeNode.QUERY]: 'Query',
  [OperationTypeNode.MUTATION]: 'Mutation',
  [OperationTypeNode.SUBSCRIPTION]: 'Subscription',
};

/** By the name of an interface or union, the types that it covers. */
function abstractTypes(supergraph: DocumentNode): Kinds {
  const kinds = new Map<string, Set<string>>();
  const add = (kind: NamedTypeNode, member: string) =>
    kinds.set(kind.name.value, (kinds.get(kind.name.value) ?? new Set()).add(member));
  for (const type of supergraph.definitions) {
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const kind of type.interfaces ?? []) add(kind, type.name.value);
    if (type.kind === Kind.UNION_TYPE_DEFINITION)
      kinds.set(type.name.value, new Set(type.types?.map(({ name }) => name.value)));
  }
  return kinds;
}

function covers(kinds: Kinds, wide: string, narrow: string): boolean {
  return wide === narrow || kinds.get(wide)?.has(narrow) === true;
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

/** The same lists and the same nulls of another type. */
function renamed(type: TypeNode, name: string): TypeNode {
  return visit(type, { NamedType: (node) => ({ ...node, name: { ...node.name, value: name } }) });
}

/** A planner must know the type that each subgraph knows: it may ask there for no member that is not its. */
function typedJoin(join: ConstDirectiveNode | undefined, graph: string, type?: TypeNode): ConstDirectiveNode {
  const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
  const known = join?.arguments ?? [
    { kind: Kind.ARGUMENT, name: name('graph'), value: { kind: Kind.ENUM, value: graph } } as const,
  ];
  if (type === undefined || known.some((one) => one.name.value === 'type'))
    return { kind: Kind.DIRECTIVE, name: name('join__field'), arguments: known };
  const typed = { kind: Kind.ARGUMENT, name: name('type'), value: { kind: Kind.STRING, value: print(type) } } as const;
  return { kind: Kind.DIRECTIVE, name: name('join__field'), arguments: [...known, typed] };
}
