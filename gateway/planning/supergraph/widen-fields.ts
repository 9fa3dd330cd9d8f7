import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type NamedTypeNode,
  OperationTypeNode,
  parseType,
  print,
  type TypeNode,
  visit,
} from 'graphql';
import { hasFields, innermostTypeName, nameNode, type TypeWithFields } from '../../graphql/syntax/index.ts';
import { directiveArgument, graphNames } from './join-directives.ts';
import type { ComposedSubgraph } from './restore-external.ts';

/**
 * Gives shared fields the widest of their types in the subgraphs, as Apollo's composition does. For example, an interface
 * or union of books and films is wider than `Book`. `@theguild/federation-composition` 0.27 uses the type of the first
 * subgraph, which does not cover a film from another subgraph. The query planner crashes if an operation selects the
 * members of both.
 * @param services the composed subgraphs, if they are known. Otherwise the types in the supergraph are used
 * @returns the given supergraph if no type is wider
 */
export function widenFields(supergraph: DocumentNode, services: readonly ComposedSubgraph[] = []): DocumentNode {
  const given = new Map(services.map(({ name, typeDefs }) => [name, typesOnce(typeDefs)]));
  const names = graphNames(supergraph);
  const kinds = abstractTypes(supergraph);
  let wider = false;
  const widen = (type: TypeWithFields): TypeWithFields => {
    const graphs = typeGraphs(type);
    const fields = (type.fields ?? []).map((field): FieldDefinitionNode => {
      const joins = joinsOfField(field, graphs);
      // A field of a single subgraph has that subgraph's type.
      if (joins.every(({ join }) => !join) && joins.length < 2) return field;
      const types = new Map(
        joins.flatMap(({ graph, join }): [string, TypeNode][] => {
          const stated = join && directiveArgument(join, 'type');
          const found = stated
            ? parseType(stated, { noLocation: true })
            : given
                .get(names.get(graph) ?? '')?.()
                .get(`${type.name.value}.${field.name.value}`);
          return found ? [[graph, found]] : [];
        }),
      );
      const resolved = joins.flatMap(({ graph, resolves }) => {
        const found = resolves ? types.get(graph) : undefined;
        return found ? [innermostTypeName(found)] : [];
      });
      const widest = resolved.find((one) => resolved.every((other) => covers(kinds, one, other)));
      if (widest === undefined || widest === innermostTypeName(field.type)) return field;
      wider = true;
      const others = (field.directives ?? []).filter(({ name }) => name.value !== 'join__field');
      const directives = [...others, ...joins.map(({ graph, join }) => typedJoin(join, graph, types.get(graph)))];
      return { ...field, type: withNamedType(field.type, widest), directives };
    });
    return fields.every((field, index) => field === type.fields?.[index]) ? type : { ...type, fields };
  };
  const definitions = supergraph.definitions.map((definition) =>
    hasFields(definition) ? widen(definition) : definition,
  );
  return wider ? coverImplementers({ ...supergraph, definitions }, kinds) : supergraph;
}

/** Widens fields of interfaces to the types of the fields that implement them. */
function coverImplementers(supergraph: DocumentNode, kinds: Kinds): DocumentNode {
  const types = new Map<string, string>();
  for (const type of supergraph.definitions)
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const field of type.fields ?? [])
        types.set(`${type.name.value}.${field.name.value}`, innermostTypeName(field.type));
  let wider = false;
  const covered = visit(supergraph, {
    InterfaceTypeDefinition: (type) => ({
      ...type,
      fields: (type.fields ?? []).map((field): FieldDefinitionNode => {
        const own = innermostTypeName(field.type);
        const implemented = [...(kinds.get(type.name.value) ?? [])].flatMap((name) => {
          const found = types.get(`${name}.${field.name.value}`);
          return found === undefined ? [] : [found];
        });
        const widest = [own, ...implemented].find((one) =>
          [own, ...implemented].every((other) => covers(kinds, one, other)),
        );
        if (widest === undefined || widest === own) return field;
        wider = true;
        return { ...field, type: withNamedType(field.type, widest) };
      }),
    }),
  });
  // The process is repeated because interfaces may implement interfaces.
  return wider ? coverImplementers(covered, kinds) : supergraph;
}

type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

interface FieldJoin {
  readonly graph: string;
  readonly join?: ConstDirectiveNode;
  /** False if the field is external or another subgraph overrides it. */
  readonly resolves: boolean;
}

/** The subgraphs that have a field. Without `@join__field`, these are the subgraphs of its type. */
function joinsOfField(field: FieldDefinitionNode, ofType: readonly string[]): readonly FieldJoin[] {
  const found = (field.directives ?? []).flatMap((join): FieldJoin[] => {
    const graph = join.name.value === 'join__field' ? directiveArgument(join, 'graph') : undefined;
    if (graph === undefined) return [];
    const says = (argument: string) => join.arguments?.some(({ name }) => name.value === argument) === true;
    // If the override has a label, the subgraph may still resolve the field.
    const elsewhere = says('external') || (says('usedOverridden') && !says('overrideLabel'));
    return [{ graph, join, resolves: !elsewhere }];
  });
  return found.length > 0 ? found : ofType.map((graph) => ({ graph, resolves: true }));
}

/** The subgraphs that have a type. */
function typeGraphs(type: TypeWithFields): readonly string[] {
  const graphs = (type.directives ?? []).flatMap((one) => {
    const graph = one.name.value === 'join__type' ? directiveArgument(one, 'graph') : undefined;
    return graph === undefined ? [] : [graph];
  });
  return [...new Set(graphs)];
}

/** Reads `fieldTypes` at the first use. */
function typesOnce(typeDefs: DocumentNode): () => ReadonlyMap<string, TypeNode> {
  let types: ReadonlyMap<string, TypeNode> | undefined;
  return () => {
    types ??= fieldTypes(typeDefs);
    return types;
  };
}

/** The types of a subgraph's fields, by `Type.field`. Root types have their names in the supergraph. */
function fieldTypes(typeDefs: DocumentNode): Map<string, TypeNode> {
  const roots = new Map<string, string>();
  for (const definition of typeDefs.definitions)
    if (definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION)
      for (const { operation, type } of definition.operationTypes ?? [])
        roots.set(type.name.value, DEFAULT_ROOT_TYPES[operation]);
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

const DEFAULT_ROOT_TYPES = {
  [OperationTypeNode.QUERY]: 'Query',
  [OperationTypeNode.MUTATION]: 'Mutation',
  [OperationTypeNode.SUBSCRIPTION]: 'Subscription',
};

/** The types that an interface or union covers, by its name. */
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

/** A type with its named type replaced. */
function withNamedType(type: TypeNode, name: string): TypeNode {
  return visit(type, { NamedType: (node) => ({ ...node, name: { ...node.name, value: name } }) });
}

/**
 * Adds the type to a `@join__field`. A planner must know the type in each subgraph, so that it does not select members
 * that the subgraph does not have.
 */
function typedJoin(join: ConstDirectiveNode | undefined, graph: string, type?: TypeNode): ConstDirectiveNode {
  const known = join?.arguments ?? [
    { kind: Kind.ARGUMENT, name: nameNode('graph'), value: { kind: Kind.ENUM, value: graph } } as const,
  ];
  if (type === undefined || known.some((one) => one.name.value === 'type'))
    return { kind: Kind.DIRECTIVE, name: nameNode('join__field'), arguments: known };
  const typed = {
    kind: Kind.ARGUMENT,
    name: nameNode('type'),
    value: { kind: Kind.STRING, value: print(type) },
  } as const;
  return { kind: Kind.DIRECTIVE, name: nameNode('join__field'), arguments: [...known, typed] };
}
