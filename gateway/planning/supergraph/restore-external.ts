import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
} from 'graphql';
import { nameNode } from '../../graphql/syntax/index.ts';
import { directiveArgument, fieldNamesOf, graphNames, hasTrueArgument, parseFieldSet } from './join-directives.ts';

/** A subgraph that was composed. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
}

/**
 * Corrects `@external` in the output of `@theguild/federation-composition` 0.27, which makes these mistakes:
 *
 * - It omits `external` for interface objects if every subgraph of the interface has the field.
 * - It omits `external` for extended types if the field is part of another subgraph's key.
 * - It adds `external` to some key fields of extended types, although the subgraph has them. In Federation 1 the
 *   directive is a mere convention there.
 *
 * Without the correction, a planner would fetch fields from a subgraph that only requires them, or find no route from a
 * subgraph that has them.
 * @param stated the declarations of the subgraphs if they are known. Otherwise the requirements of interface objects
 *   are used
 * @returns the given supergraph if there is nothing to correct
 */
export function restoreExternal(supergraph: DocumentNode, stated: ExternalFields = new Map()): DocumentNode {
  const graphs = graphNames(supergraph);
  const external = new Map([...stated].map(([field, by]) => [field, new Map(by)]));
  for (const [field, service] of requiredFields(supergraph, graphs))
    external.set(field, (external.get(field) ?? new Map<string, boolean>()).set(service, true));
  if (external.size === 0) return supergraph;
  const definitions = supergraph.definitions.map((definition) => {
    const isInterface = definition.kind === Kind.INTERFACE_TYPE_DEFINITION;
    if (!isInterface && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;
    const own = [...new Set((definition.directives ?? []).flatMap((one) => joinedGraph(one, 'join__type') ?? []))];
    const fields = (definition.fields ?? []).map((field): FieldDefinitionNode => {
      const known = external.get(`${definition.name.value}.${field.name.value}`);
      if (!known) return field;
      const isExternal = (graph: string | undefined) => known.get(graphs.get(graph ?? '') ?? '');
      const isJoined = field.directives?.some(({ name }) => name.value === 'join__field') === true;
      if (!isJoined) {
        if (!own.some(isExternal)) return field;
        const joins = own.map((graph) => joinField(graph, isExternal(graph) === true));
        return { ...field, directives: [...(field.directives ?? []), ...joins] };
      }
      if (isInterface) return field;
      const directives = field.directives?.map((join) =>
        withExternal(join, isExternal(joinedGraph(join, 'join__field'))),
      );
      return { ...field, directives: directives ?? [] };
    });
    return { ...definition, fields };
  });
  return { ...supergraph, definitions };
}

/**
 * Whether a field is external in a subgraph, by `Type.field` and by the subgraph's name. Correct entries may be
 * missing.
 */
export type ExternalFields = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/**
 * The fields that interface objects require, as `Type.field`, and the requiring subgraph, in which they are external.
 */
function requiredFields(supergraph: DocumentNode, graphs: ReadonlyMap<string, string>): [string, string][] {
  return supergraph.definitions.flatMap((type): [string, string][] => {
    if (type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
    const objects = (type.directives ?? []).flatMap((join) =>
      join.name.value === 'join__type' && hasTrueArgument(join, 'isInterfaceObject')
        ? [directiveArgument(join, 'graph')]
        : [],
    );
    if (objects.length === 0) return [];
    return (type.fields ?? []).flatMap(({ directives }) =>
      (directives ?? []).flatMap((join): [string, string][] => {
        const graph = directiveArgument(join, 'graph');
        const requires = directiveArgument(join, 'requires');
        if (graph === undefined || requires === undefined || !objects.includes(graph)) return [];
        return fieldNamesOf(parseFieldSet(requires)).map((field) => [
          `${type.name.value}.${field}`,
          graphs.get(graph) ?? graph,
        ]);
      }),
    );
  });
}

/** The subgraph that a directive of the join specification names. */
function joinedGraph(directive: ConstDirectiveNode, name: string): string | undefined {
  return directive.name.value === name ? directiveArgument(directive, 'graph') : undefined;
}

/**
 * Sets or removes `external` in a `@join__field`. Returns the given directive if it is correct or the value is unknown.
 */
function withExternal(join: ConstDirectiveNode, isExternal: boolean | undefined): ConstDirectiveNode {
  if (isExternal === undefined || hasTrueArgument(join, 'external') === isExternal) return join;
  const others = (join.arguments ?? []).filter(({ name }) => name.value !== 'external');
  return { ...join, arguments: isExternal ? [...others, EXTERNAL] : others };
}

const EXTERNAL: ConstArgumentNode = {
  kind: Kind.ARGUMENT,
  name: nameNode('external'),
  value: { kind: Kind.BOOLEAN, value: true },
};

function joinField(graph: string, isExternal: boolean): ConstDirectiveNode {
  const given = { kind: Kind.ARGUMENT, name: nameNode('graph'), value: { kind: Kind.ENUM, value: graph } } as const;
  const join = { kind: Kind.DIRECTIVE, name: nameNode('join__field'), arguments: [given] } as const;
  return withExternal(join, isExternal);
}
