import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print,
  visit,
} from 'graphql';
import { directiveArgument, fieldNamesOf, parseFieldSet } from '../../supergraph/index.ts';
import { nameNode } from '../../syntax/index.ts';

/** The virtual subgraph that returns entities, and its value of `join__Graph`: no subgraph may have such a name. */
export const ENTITY_SERVICE = 'portico entities';
const GRAPH = 'PORTICO_ENTITIES__';

const ROOT = 'portico_entity__';

/** The root field that returns entities of a type. */
export function entityRoot(type: string): string {
  return ROOT + type;
}

/** Whether it is the name of such a root field. */
export function isEntityRoot(field: string): boolean {
  return field.startsWith(ROOT);
}

/** The type of such a root field. */
export function entityTypeOf(root: string): string {
  return root.slice(ROOT.length);
}

/**
 * A supergraph with a virtual subgraph that has a root field for each entity type, which returns its keys: so the planner
 * plans the fetches for an entity whose keys are known, without those that lead to it. No client can select its fields.
 * @returns its SDL. Keys that hold objects are not among them.
 */
export function withEntityRoots(supergraph: DocumentNode): string {
  const roots: FieldDefinitionNode[] = [];
  for (const type of supergraph.definitions)
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION && flatKeysOf(type).length > 0)
      roots.push({
        kind: Kind.FIELD_DEFINITION,
        name: nameNode(entityRoot(type.name.value)),
        type: { kind: Kind.NAMED_TYPE, name: nameNode(type.name.value) },
        directives: [joinFieldOf(GRAPH)],
      });
  const query = queryType(supergraph);
  const extended = visit(supergraph, {
    EnumTypeDefinition: (type: EnumTypeDefinitionNode) =>
      type.name.value === 'join__Graph' ? { ...type, values: [...(type.values ?? []), graphValue()] } : undefined,
    ObjectTypeDefinition: (type: ObjectTypeDefinitionNode) => {
      const isQuery = type.name.value === query;
      const keys = isQuery ? [] : flatKeysOf(type);
      if (!isQuery && keys.length === 0) return undefined;
      const graphs = entityGraphs(type);
      const keyFields = new Set(keys.flatMap((key) => key.split(' ')));
      const fields = (type.fields ?? []).map((field): FieldDefinitionNode => {
        const has = field.directives?.some(({ name }) => name.value === 'join__field') ?? false;
        // Without a join it is a field of all graphs of the type, which now include the virtual one.
        const joins = has ? [] : graphs.map(joinFieldOf);
        const own = keyFields.has(field.name.value) ? [joinFieldOf(GRAPH)] : [];
        return { ...field, directives: [...(field.directives ?? []), ...joins, ...own] };
      });
      const types = isQuery ? [joinType()] : keys.map(joinType);
      return {
        ...type,
        directives: [...(type.directives ?? []), ...types],
        fields: isQuery ? [...fields, ...roots] : fields,
      };
    },
  });
  return print(extended);
}

function queryType(supergraph: DocumentNode): string {
  for (const definition of supergraph.definitions)
    if (definition.kind === Kind.SCHEMA_DEFINITION)
      for (const { operation, type } of definition.operationTypes) if (operation === 'query') return type.name.value;
  return 'Query';
}

/** The keys of a type by which a subgraph can be asked for it: names of fields with spaces between them. */
function flatKeysOf({ directives }: ObjectTypeDefinitionNode): readonly string[] {
  const keys = (directives ?? []).flatMap((directive) => {
    const key = directive.name.value === 'join__type' ? directiveArgument(directive, 'key') : undefined;
    const flat = key === undefined ? undefined : flatKey(key);
    return flat === undefined ? [] : [flat];
  });
  return [...new Set(keys)];
}

function flatKey(key: string): string | undefined {
  const fields = parseFieldSet(key);
  const isFlat = fields.every((one) => one.kind === Kind.FIELD && !one.selectionSet);
  return isFlat ? fieldNamesOf(fields).join(' ') : undefined;
}

function entityGraphs({ directives }: ObjectTypeDefinitionNode): readonly string[] {
  const graphs = (directives ?? []).flatMap((directive) => {
    const graph = directive.name.value === 'join__type' ? directiveArgument(directive, 'graph') : undefined;
    return graph === undefined ? [] : [graph];
  });
  return [...new Set(graphs)];
}

function graphValue(): EnumValueDefinitionNode {
  const given = [stringArgument('name', ENTITY_SERVICE), stringArgument('url', '')];
  return { kind: Kind.ENUM_VALUE_DEFINITION, name: nameNode(GRAPH), directives: [directive('join__graph', given)] };
}

function joinType(key?: string): ConstDirectiveNode {
  const resolvable = { kind: Kind.ARGUMENT, name: nameNode('resolvable'), value: { kind: Kind.BOOLEAN, value: false } };
  const ofKey = key === undefined ? [] : [stringArgument('key', key), resolvable as ConstArgumentNode];
  return directive('join__type', [graphArgument(GRAPH), ...ofKey]);
}

function joinFieldOf(graph: string): ConstDirectiveNode {
  return directive('join__field', [graphArgument(graph)]);
}

function directive(name: string, given: readonly ConstArgumentNode[]): ConstDirectiveNode {
  return { kind: Kind.DIRECTIVE, name: nameNode(name), arguments: given };
}

function graphArgument(graph: string): ConstArgumentNode {
  return { kind: Kind.ARGUMENT, name: nameNode('graph'), value: { kind: Kind.ENUM, value: graph } };
}

function stringArgument(name: string, value: string): ConstArgumentNode {
  return { kind: Kind.ARGUMENT, name: nameNode(name), value: { kind: Kind.STRING, value } };
}
