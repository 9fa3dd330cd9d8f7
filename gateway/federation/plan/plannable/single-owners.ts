import {
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print,
  visit,
} from 'graphql';
import { directiveArgument, hasTrueArgument } from '../../../supergraph/index.ts';
import { innermostTypeName } from '../../../syntax/index.ts';
import { joinOf, joinsOf } from './joins.ts';

/**
 * Supergraphs in which fields of a name that several subgraphs resolve are left to one of these: another one each. The planner
 * (0.0.38) finds no path for a shared field of an interface or a union where one subgraph lacks fields of some of its types.
 */
export function withSingleOwners(supergraph: DocumentNode, field: string): readonly string[] {
  const composite = compositeTypes(supergraph);
  const shared = new Map<FieldDefinitionNode, readonly string[]>();
  for (const type of supergraph.definitions)
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const one of type.fields ?? []) {
        if (one.name.value !== field || !composite.has(innermostTypeName(one.type))) continue;
        const graphs = resolversOf(type, one);
        if (graphs.length > 1) shared.set(one, graphs);
      }
  const owners = new Set([...shared.values()].flat());
  return [...owners].map((owner) =>
    print(
      visit(supergraph, {
        FieldDefinition: (one) => (shared.get(one)?.includes(owner) ? ownedBy(one, owner) : undefined),
      }),
    ),
  );
}

function compositeTypes({ definitions }: DocumentNode): ReadonlySet<string> {
  const names = definitions.flatMap((type) =>
    type.kind === Kind.OBJECT_TYPE_DEFINITION ||
    type.kind === Kind.INTERFACE_TYPE_DEFINITION ||
    type.kind === Kind.UNION_TYPE_DEFINITION
      ? [type.name.value]
      : [],
  );
  return new Set(names);
}

/** The values of `join__Graph` of the subgraphs that resolve a field. */
function resolversOf(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): readonly string[] {
  const joins = joinsOf(field, 'join__field');
  const resolving = joins.filter(
    (join) => !hasTrueArgument(join, 'external') && !hasTrueArgument(join, 'usedOverridden'),
  );
  // Without a join it is a field of all subgraphs of the type.
  const all = joins.length > 0 ? resolving : joinsOf(type, 'join__type');
  return [...new Set(all.flatMap((join) => directiveArgument(join, 'graph') ?? []))];
}

function ownedBy(field: FieldDefinitionNode, owner: string): FieldDefinitionNode {
  const directives = field.directives ?? [];
  const joins = joinsOf(field, 'join__field');
  const kept = directives.filter((one) => {
    if (!joins.includes(one)) return true;
    return directiveArgument(one, 'graph') === owner || hasTrueArgument(one, 'external');
  });
  return { ...field, directives: joins.length > 0 ? kept : [...kept, joinOf(owner)] };
}
