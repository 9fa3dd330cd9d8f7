import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  visit,
} from 'graphql';
import { nameNode } from '../syntax/index.ts';
import { directiveArgument, fieldNamesOf, graphNames, hasTrueArgument, parseFieldSet } from './join-directives.ts';

/** A subgraph that was composed. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
}

/**
 * Restores what `@theguild/federation-composition` 0.27 leaves out: that a field of an interface object is external in its
 * subgraph, where every subgraph of the interface has the field. Without it the planner would fetch the field from the
 * subgraph that only requires it.
 * @param services the composed subgraphs, where they are known; else the requirements of interface objects are used
 * @returns the supergraph itself when there is nothing to restore
 */
export function restoreExternal(supergraph: DocumentNode, services: readonly ComposedSubgraph[] = []): DocumentNode {
  const graphs = graphNames(supergraph);
  const external = externalFields(services);
  for (const [key, service] of requiredFields(supergraph, graphs))
    external.set(key, (external.get(key) ?? new Set()).add(service));
  if (external.size === 0) return supergraph;
  const interfaceType = (node: InterfaceTypeDefinitionNode): InterfaceTypeDefinitionNode => {
    const own = (node.directives ?? []).flatMap((directive) => {
      const graph = directive.name.value === 'join__type' ? directiveArgument(directive, 'graph') : undefined;
      return graph === undefined ? [] : [graph];
    });
    const fields = (node.fields ?? []).map((field): FieldDefinitionNode => {
      const services = external.get(`${node.name.value}.${field.name.value}`);
      if (!services || field.directives?.some(({ name }) => name.value === 'join__field')) return field;
      const joins = own.map((graph) => joinField(graph, services.has(graphs.get(graph) ?? '')));
      return { ...field, directives: [...(field.directives ?? []), ...joins] };
    });
    return { ...node, fields };
  };
  return visit(supergraph, { InterfaceTypeDefinition: interfaceType });
}

/** `Type.field` of the external fields of interface objects, with the subgraphs where they are external. */
function externalFields(services: readonly ComposedSubgraph[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { name, typeDefs } of services) {
    for (const type of typeDefs.definitions) {
      if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.OBJECT_TYPE_EXTENSION) continue;
      if (!hasFederationDirective(type, 'interfaceObject')) continue;
      for (const field of type.fields ?? []) {
        if (!hasFederationDirective(type, 'external') && !hasFederationDirective(field, 'external')) continue;
        const key = `${type.name.value}.${field.name.value}`;
        found.set(key, (found.get(key) ?? new Set()).add(name));
      }
    }
  }
  return found;
}

/** `Type.field` of the fields that interface objects require, with the subgraph that does: they are external there. */
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

function hasFederationDirective(
  { directives }: { directives?: readonly ConstDirectiveNode[] | undefined },
  name: string,
): boolean {
  return directives?.some((directive) => directive.name.value.replace(/^federation__/, '') === name) ?? false;
}

function joinField(graph: string, external: boolean): ConstDirectiveNode {
  const given = [{ kind: Kind.ARGUMENT, name: nameNode('graph'), value: { kind: Kind.ENUM, value: graph } }] as const;
  const isExternal = {
    kind: Kind.ARGUMENT,
    name: nameNode('external'),
    value: { kind: Kind.BOOLEAN, value: true },
  } as const;
  return { kind: Kind.DIRECTIVE, name: nameNode('join__field'), arguments: external ? [...given, isExternal] : given };
}
