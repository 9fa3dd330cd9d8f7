import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  OperationTypeNode,
  parse,
  parseType,
  type SelectionSetNode,
} from 'graphql';
import type { EntryPointConfig, MergedType } from '../stitching/index.ts';
import { directiveArgument, fieldNamesOf, graphNames, hasTrueArgument, parseFieldSet } from './join-directives.ts';

/** A subgraph of a supergraph, and how its entities are joined. */
export interface SubgraphSchema {
  readonly name: string;
  readonly schema: GraphQLSchema;
  readonly merge: Readonly<Record<string, MergedType>>;
}

/**
 * Reads the schema of each subgraph from a supergraph.
 *
 * @returns undefined for a supergraph that cannot be stitched: one with interface objects, or of the join specification 0.1.
 */
export function readSubgraphs(supergraph: DocumentNode): readonly SubgraphSchema[] | undefined {
  const isForeign = supergraph.definitions.some((definition) =>
    constDirectives(definition).some(
      (join) =>
        join.name.value === 'join__owner' ||
        (join.name.value === 'join__type' && hasTrueArgument(join, 'isInterfaceObject')),
    ),
  );
  if (isForeign) return undefined;
  return [...graphNames(supergraph)].map(([graph, name]) => readSubgraph(supergraph, graph, name));
}

function readSubgraph(supergraph: DocumentNode, graph: string, name: string): SubgraphSchema {
  const merge: Record<string, MergedType> = {};
  const entities: string[] = [];
  const definitions: DefinitionNode[] = [];
  const isHere = (directive: ConstDirectiveNode) => directiveArgument(directive, 'graph') === graph;
  for (const definition of supergraph.definitions) {
    if (!('name' in definition) || !definition.name || /^(join|link|core)__/.test(definition.name.value)) continue;
    const typeName = definition.name.value;
    const joins = (kind: string) =>
      constDirectives(definition).filter(({ name: one }) => one.value === `join__${kind}`);
    const types = joins('type').filter(isHere);
    if (types.length === 0) continue;
    const bare = { ...definition, directives: [] } as typeof definition;
    switch (bare.kind) {
      case Kind.SCALAR_TYPE_DEFINITION:
        definitions.push(bare);
        break;
      case Kind.ENUM_TYPE_DEFINITION:
        definitions.push({
          ...bare,
          values: (bare.values ?? []).filter((value) => isPart(value.directives, 'enumValue', isHere)),
        });
        break;
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        definitions.push({ ...bare, fields: fieldsHere(bare.fields ?? [], isHere, new Set()) });
        break;
      case Kind.UNION_TYPE_DEFINITION: {
        const members = joins('unionMember')
          .filter(isHere)
          .map((join) => namedTypeNode(directiveArgument(join, 'member')));
        definitions.push({ ...bare, types: members.length > 0 ? members : (bare.types ?? []) });
        break;
      }
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_DEFINITION: {
        const keys = types.flatMap((join) => {
          const key = directiveArgument(join, 'key');
          return key === undefined ? [] : [{ key, isResolvable: !saysNo(join, 'resolvable') }];
        });
        const keyFields = new Set(keys.flatMap(({ key }) => fieldNamesOf(parseFieldSet(key))));
        const interfaces = joins('implements')
          .filter(isHere)
          .map((join) => namedTypeNode(directiveArgument(join, 'interface')));
        const fields = fieldsHere(bare.fields ?? [], isHere, keyFields);
        definitions.push({ ...bare, interfaces, fields });
        const usable = keys.filter(({ isResolvable }) => isResolvable).map(({ key }) => key);
        if (bare.kind !== Kind.OBJECT_TYPE_DEFINITION || usable.length === 0) break;
        entities.push(typeName);
        merge[typeName] = mergedType(
          typeName,
          usable,
          requirementsHere(definition as { fields?: readonly FieldDefinitionNode[] }, isHere),
        );
        break;
      }
    }
  }
  const roots = rootTypeNames(supergraph).filter(({ type }) =>
    definitions.some((one) => one.kind === Kind.OBJECT_TYPE_DEFINITION && one.name.value === type),
  );
  const query = roots.find(({ operation }) => operation === OperationTypeNode.QUERY)?.type;
  if (entities.length > 0) definitions.push(...entityDefinitions(entities, query));
  definitions.push({
    kind: Kind.SCHEMA_DEFINITION,
    operationTypes: [
      ...roots,
      ...(query === undefined ? [{ operation: OperationTypeNode.QUERY, type: 'Query' }] : []),
    ].map(({ operation, type }) => ({ kind: Kind.OPERATION_TYPE_DEFINITION, operation, type: namedTypeNode(type) })),
  });
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: withQuery(definitions, query) };
  return { name, schema: buildASTSchema(document, { assumeValid: true, assumeValidSDL: true }), merge };
}

/** A subgraph may have no root field to query. */
function withQuery(definitions: readonly DefinitionNode[], query: string | undefined): readonly DefinitionNode[] {
  if (query !== undefined || definitions.some((one) => 'name' in one && one.name?.value === 'Query'))
    return definitions;
  return [...definitions, ...parse('type Query { _service: String }').definitions];
}

function entityDefinitions(entities: readonly string[], query: string | undefined): readonly DefinitionNode[] {
  const { definitions } = parse(`scalar _Any union _Entity = ${entities.join(' | ')}
    extend type ${query ?? 'Query'} { _entities(representations: [_Any!]!): [_Entity]! }`);
  // An extension of a missing type is its definition.
  return query === undefined
    ? definitions.map((one) =>
        one.kind === Kind.OBJECT_TYPE_EXTENSION ? { ...one, kind: Kind.OBJECT_TYPE_DEFINITION } : one,
      )
    : definitions;
}

/** Entities are fetched by any of their keys, with the fields that others require. */
function mergedType(typeName: string, keys: readonly string[], requirements: ReadonlyMap<string, string>): MergedType {
  const required = [...requirements.values()].map(selectionOf);
  const entryPoints = keys.map((key): EntryPointConfig => {
    const wanted = [selectionOf(key), ...required];
    return {
      fieldName: '_entities',
      selectionSet: `{ ${key} }`,
      key: (object) => ({ __typename: typeName, ...picked(object, wanted) }),
      argsFromKeys: (representations) => ({ representations }),
    };
  });
  const fields = [...requirements].map(([field, requires]) => [
    field,
    { selectionSet: `{ ${requires} }`, computed: true },
  ]);
  return { entryPoints, ...(fields.length > 0 && { fields: Object.fromEntries(fields) }) };
}

/** The selected parts of a value; several selection sets may select of the same object. */
function picked(value: unknown, sets: readonly SelectionSetNode[]): Record<string, unknown> {
  const from = value as Readonly<Record<string, unknown>>;
  const found: Record<string, unknown> = {};
  for (const [name, below] of setsByField(sets)) {
    const within = (item: unknown): unknown => {
      if (Array.isArray(item)) return item.map(within);
      if (below.length === 0 || typeof item !== 'object' || item === null) return item;
      const { __typename } = item as { __typename?: unknown };
      return { ...(__typename !== undefined && { __typename }), ...picked(item, below) };
    };
    const inner = from[name];
    if (inner !== undefined) found[name] = within(inner);
  }
  return found;
}

/** The selections below each field, those of fragments too: of another type, an object has none of their fields. */
function setsByField(
  sets: readonly SelectionSetNode[],
  found = new Map<string, SelectionSetNode[]>(),
): ReadonlyMap<string, readonly SelectionSetNode[]> {
  for (const node of sets.flatMap(({ selections }) => selections)) {
    if (node.kind === Kind.INLINE_FRAGMENT) setsByField([node.selectionSet], found);
    if (node.kind !== Kind.FIELD) continue;
    const { name, selectionSet } = node;
    found.set(name.value, [...(found.get(name.value) ?? []), ...(selectionSet ? [selectionSet] : [])]);
  }
  return found;
}

function constDirectives(definition: DefinitionNode): readonly ConstDirectiveNode[] {
  const directives: readonly (ConstDirectiveNode | DirectiveNode)[] =
    'directives' in definition ? (definition.directives ?? []) : [];
  // In type definitions there are no variables.
  return directives as readonly ConstDirectiveNode[];
}

type IsHere = (directive: ConstDirectiveNode) => boolean;

function isPart(directives: readonly ConstDirectiveNode[] | undefined, kind: string, isHere: IsHere): boolean {
  const joins = (directives ?? []).filter(({ name }) => name.value === `join__${kind}`);
  return joins.length === 0 || joins.some(isHere);
}

/** The fields that a subgraph resolves, with their types in it. Keys are among them, external or not. */
function fieldsHere<Field extends FieldDefinitionNode | InputValueDefinitionNode>(
  fields: readonly Field[],
  isHere: IsHere,
  keys: ReadonlySet<string>,
): readonly Field[] {
  return fields.flatMap((field): readonly Field[] => {
    const joins = (field.directives ?? []).filter(({ name }) => name.value === 'join__field');
    const own = joins.find(isHere);
    if (joins.length > 0 && !own) return [];
    if (own && hasTrueArgument(own, 'usedOverridden')) return [];
    if (own && hasTrueArgument(own, 'external') && !keys.has(field.name.value)) return [];
    const type = own && directiveArgument(own, 'type');
    return [{ ...field, directives: [], ...(type !== undefined && { type: parseType(type) }) }];
  });
}

function requirementsHere(
  { fields = [] }: { readonly fields?: readonly FieldDefinitionNode[] },
  isHere: IsHere,
): ReadonlyMap<string, string> {
  const requirements = new Map<string, string>();
  for (const { name, directives } of fields) {
    const own = directives?.find((one) => one.name.value === 'join__field' && isHere(one));
    const requires = own && directiveArgument(own, 'requires');
    if (requires !== undefined) requirements.set(name.value, requires);
  }
  return requirements;
}

function rootTypeNames(supergraph: DocumentNode): readonly { operation: OperationTypeNode; type: string }[] {
  const definition = supergraph.definitions.find((one) => one.kind === Kind.SCHEMA_DEFINITION);
  if (definition) return definition.operationTypes.map(({ operation, type }) => ({ operation, type: type.name.value }));
  return Object.values(OperationTypeNode).map((operation) => ({
    operation,
    type: `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`,
  }));
}

function selectionOf(fields: string): SelectionSetNode {
  const [definition] = parse(`{ ${fields} }`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('no selection');
  return definition.selectionSet;
}

function namedTypeNode(name = ''): NamedTypeNode {
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } };
}

function saysNo(directive: ConstDirectiveNode, name: string): boolean {
  const value = directive.arguments?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.BOOLEAN && !value.value;
}
