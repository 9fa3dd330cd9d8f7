import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';
import { directiveArgument, hasTrueArgument } from '../../../supergraph/index.ts';
import { hasInterfaceObjects, joinOf, joinsOf } from './joins.ts';

/**
 * A supergraph in which interfaces with keys have, of each subgraph, only fields that it resolves for all their types. The planner
 * (0.0.38) fetches such a field of `... on Media` from any subgraph whose interface declares it, though it may be external
 * for a type there, so that the subgraph fails. A field that no subgraph resolves for all types stays as it is.
 */
export function withResolvedInterfaceFields(sdl: string): string {
  if (!hasInterfaceObjects(sdl)) return sdl;
  const supergraph = parse(sdl, { noLocation: true });
  const members = new Map<string, ObjectTypeDefinitionNode[]>();
  for (const type of supergraph.definitions)
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const { name } of type.interfaces ?? []) members.set(name.value, [...(members.get(name.value) ?? []), type]);
  const changed = visit(supergraph, {
    InterfaceTypeDefinition: (type) => {
      const keyed = joinsOf(type, 'join__type').filter((join) => directiveArgument(join, 'key') !== undefined);
      if (keyed.length === 0) return undefined;
      const fields = type.fields?.map((field) => resolvedField(field, type, members.get(type.name.value) ?? []));
      return { ...type, ...(fields && { fields }) };
    },
  });
  return print(changed);
}

function resolvedField(
  field: FieldDefinitionNode,
  type: InterfaceTypeDefinitionNode,
  members: readonly ObjectTypeDefinitionNode[],
): FieldDefinitionNode {
  const joins = joinsOf(field, 'join__field');
  const graphs = (joins.length > 0 ? joins : joinsOf(type, 'join__type')).flatMap(
    (join) => directiveArgument(join, 'graph') ?? [],
  );
  const unresolved = new Set(
    graphs.filter((graph) =>
      members.some((member) => isMember(member, type.name.value, graph) && !resolves(member, field.name.value, graph)),
    ),
  );
  if (unresolved.size === 0 || graphs.every((graph) => unresolved.has(graph))) return field;
  const kept = (join: ConstDirectiveNode) => !unresolved.has(directiveArgument(join, 'graph') ?? '');
  const others = (field.directives ?? []).filter((one) => !joins.includes(one));
  const own =
    joins.length > 0 ? joins.filter(kept) : [...new Set(graphs)].filter((one) => !unresolved.has(one)).map(joinOf);
  return { ...field, directives: [...others, ...own] };
}

/** Whether a type implements an interface in a subgraph; it may be there without. */
function isMember(member: ObjectTypeDefinitionNode, type: string, graph: string): boolean {
  return joinsOf(member, 'join__implements').some(
    (join) => directiveArgument(join, 'graph') === graph && directiveArgument(join, 'interface') === type,
  );
}

function resolves(member: ObjectTypeDefinitionNode, name: string, graph: string): boolean {
  const field = member.fields?.find((one) => one.name.value === name);
  const joins = field ? joinsOf(field, 'join__field') : [];
  if (joins.length === 0) return true;
  return joins.some(
    (join) =>
      directiveArgument(join, 'graph') === graph &&
      !hasTrueArgument(join, 'external') &&
      !hasTrueArgument(join, 'usedOverridden'),
  );
}
