import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, type TypeDefinitionNode } from 'graphql';
import type { Sliced } from '../../../platform/index.ts';
import { type DirectiveArguments, directivesOf } from './directives.ts';

type OwnedField = FieldDefinitionNode | InputValueDefinitionNode;
/** Values of `enum join__Graph`. */
type GraphValues = readonly string[];

/**
 * The schema coordinates that each subgraph of a supergraph resolves, by the subgraph's value of `enum join__Graph`.
 */
export function* ownedCoordinates(
  types: readonly TypeDefinitionNode[],
  graphs: GraphValues,
): Sliced<ReadonlyMap<string, ReadonlySet<string>>> {
  const owned = new Map(graphs.map((graph) => [graph, new Set<string>()]));
  const give = (to: GraphValues, ...coordinates: string[]) => {
    for (const graph of to) for (const coordinate of coordinates) owned.get(graph)?.add(coordinate);
  };
  const byName = new Map(types.map((type) => [type.name.value, type]));
  for (const type of types) {
    const name = type.name.value;
    const having = among(graphs, directivesOf(type, 'join__type'));
    give(having, name);
    for (const field of declaredFields(type)) {
      const key = `${name}.${field.name.value}`;
      const given = 'arguments' in field ? (field.arguments ?? []) : [];
      give(answering(type, field, byName, graphs), name, key, ...given.map((one) => `${key}(${one.name.value}:)`));
    }
    if (type.kind === Kind.ENUM_TYPE_DEFINITION)
      for (const value of type.values ?? [])
        give(among(having, directivesOf(value, 'join__enumValue')), `${name}.${value.name.value}`);
    if (type.kind === Kind.UNION_TYPE_DEFINITION) {
      const joins = directivesOf(type, 'join__unionMember');
      for (const { name: member } of type.types ?? []) {
        const own = joins.filter((join) => join.member === member.value);
        give(among(having, own), `${name}|${member.value}`);
      }
    }
    yield;
  }
  return owned;
}

function declaredFields(type: TypeDefinitionNode): readonly OwnedField[] {
  return 'fields' in type ? (type.fields ?? []) : [];
}

/** The graphs that joins name. If there are no joins, as for value types of join 0.1, all graphs are returned. */
function among(graphs: GraphValues, joins: readonly DirectiveArguments[]): GraphValues {
  return joins.length === 0 ? graphs : graphs.filter((graph) => joins.some((join) => join.graph === graph));
}

function answering(
  type: TypeDefinitionNode,
  field: OwnedField,
  types: ReadonlyMap<string, TypeDefinitionNode>,
  graphs: GraphValues,
): GraphValues {
  const joins = directivesOf(field, 'join__field');
  const placed = joins.filter((join) => join.graph !== undefined);
  if (placed.length > 0) return placed.flatMap(({ graph, external }) => (external === true ? [] : [String(graph)]));
  const having = () => among(graphs, directivesOf(type, 'join__type'));
  if (joins.length === 0) return having();
  // If an interface object adds a field, the subgraphs that resolve the interface's field resolve it.
  const same = ('interfaces' in type ? (type.interfaces ?? []) : []).flatMap((one) => {
    const above = types.get(one.name.value);
    const found = above && declaredFields(above).find((other) => other.name.value === field.name.value);
    return above && found ? [answering(above, found, types, graphs)] : [];
  });
  return same.length === 0 ? having() : [...new Set(same.flat())];
}
