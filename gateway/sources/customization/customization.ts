import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  type NameNode,
  OperationTypeNode,
  parse,
  type ScalarTypeDefinitionNode,
  specifiedScalarTypes,
  visit,
} from 'graphql';
import { printSchema, STANDARD_ROOT_TYPES } from '../../graphql/schemas/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';

export type Customization = NonNullable<RemoteSchemaMetadata['definition']['customization']>;

/** A remote schema under its names in the graph, with its original names. */
export interface CustomizedSchema {
  readonly schema: GraphQLSchema;
  /** The namespace field that contains all root fields; undefined without a namespace. */
  readonly namespace: string | undefined;
  /** Original names of renamed types, by their name in the graph. */
  readonly types: ReadonlyMap<string, string>;
  /** Original names of renamed fields, by `Type.field` in the graph. */
  readonly fields: ReadonlyMap<string, string>;
}

const OPERATION_KINDS = Object.values(OperationTypeNode);
const SPECIFIED_SCALAR_NAMES = new Set(specifiedScalarTypes.map((scalar) => scalar.name));

/**
 * Renames the elements of a remote schema according to its `customization`, as Hasura does:
 *
 * - A name in `mapping` gets neither prefix nor suffix.
 * - Only `mapping` renames GraphQL's built-in scalars.
 * - `parent_type` is the remote's name of the type.
 * - Root types get their standard names, unless there is a namespace or the remote uses these names for other types.
 *
 * @param part the remote schema or the part of it that a role can see.
 * @param upstream the whole remote schema, which defines the names of the root types. They may differ in the part.
 * @throws Error if two elements would have the same name or a name would be invalid.
 */
export function customize(
  part: GraphQLSchema,
  upstream: GraphQLSchema,
  customization: Customization | null | undefined,
): CustomizedSchema {
  if (!customization && hasUsualRoots(part) && hasUsualRoots(upstream))
    return { schema: part, namespace: undefined, types: new Map(), fields: new Map() };
  const namespace = customization?.root_fields_namespace ?? undefined;
  const names = newNames(part, upstream, customization ?? NO_CUSTOMIZATION, namespace);
  const fields = new Map<string, string>();
  const definitions = parse(printSchema(part))
    .definitions.filter((definition) => definition.kind !== Kind.SCHEMA_DEFINITION)
    .map((definition) => withNewFields(definition, names, fields));
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      ...definitions.map((definition) => withNewTypes(definition, names)),
      ...renamedOwnScalars(definitions, names),
      ...(namespace === undefined
        ? []
        : OPERATION_KINDS.flatMap((root) => customizedRootType(root, namespace, part, names))),
      schemaDefinition(part, namespace, names),
    ],
  };
  const types = [...names.types].map(([name, renamed]) => [renamed, names.upstreamOf(name)] as const);
  return {
    schema: buildASTSchema(document),
    namespace,
    types: new Map(types.filter(([renamed, old]) => old !== renamed)),
    fields,
  };
}

/** Whether the root types have their standard names. Clients may use these names in fragments. */
export function hasUsualRoots(schema: GraphQLSchema): boolean {
  return OPERATION_KINDS.every(
    (operation) =>
      (schema.getRootType(operation)?.name ?? STANDARD_ROOT_TYPES[operation]) === STANDARD_ROOT_TYPES[operation],
  );
}

const NO_CUSTOMIZATION: Customization = { field_names: [] };

interface NewNames {
  /** Names of types in the graph, by their name in the part. */
  readonly types: ReadonlyMap<string, string>;
  /** The remote's name of a type of the part. */
  upstreamOf(type: string): string;
  fieldOf(type: string, field: string): string;
}

function newNames(
  part: GraphQLSchema,
  upstream: GraphQLSchema,
  { type_names: types, field_names: fields }: Customization,
  namespace: string | undefined,
): NewNames {
  const roots = new Map<string, { name: string; operation: OperationTypeNode }>();
  for (const operation of OPERATION_KINDS) {
    const name = part.getRootType(operation)?.name;
    if (name !== undefined) roots.set(name, { name: upstream.getRootType(operation)?.name ?? name, operation });
  }
  const isMapped = (name: string) => types != null && (types.mapping[name] ?? name) !== name;
  const all = Object.keys(part.getTypeMap()).filter(
    (name) => !name.startsWith('__') && (!SPECIFIED_SCALAR_NAMES.has(name) || isMapped(name)),
  );
  const ordinaryName = (name: string) => (types ? rename(types, name) : name);
  const taken = new Set(all.filter((name) => !roots.has(name)).map(ordinaryName));
  const typeName = (name: string) => {
    const root = roots.get(name);
    if (!root) return ordinaryName(name);
    if (namespace === undefined)
      return taken.has(STANDARD_ROOT_TYPES[root.operation]) ? name : STANDARD_ROOT_TYPES[root.operation];
    const renamed = types ? rename(types, root.name) : root.name;
    return renamed === root.name ? `${namespace}_${root.operation}` : renamed;
  };
  const renamings = new Map(fields.map((item) => [item.parent_type, item]));
  return {
    types: new Map(all.map((name) => [name, typeName(name)])),
    upstreamOf: (type) => roots.get(type)?.name ?? type,
    fieldOf: (type, field) => {
      const renaming = renamings.get(roots.get(type)?.name ?? type);
      return renaming ? rename(renaming, field) : field;
    },
  };
}

interface Renaming {
  readonly prefix: string;
  readonly suffix: string;
  readonly mapping: Readonly<Record<string, string>>;
}

/** Renames a type or field. A mapped name is used unchanged; any other name gets the prefix and suffix. */
export function rename({ prefix, suffix, mapping }: Renaming, name: string): string {
  const mapped = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
  return mapped ?? `${prefix}${name}${suffix}`;
}

function withNewFields(definition: DefinitionNode, names: NewNames, fields: Map<string, string>): DefinitionNode {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION)
    return definition;
  const type = definition.name.value;
  const renamed = (definition.fields ?? []).map((field): FieldDefinitionNode => {
    const name = names.fieldOf(type, field.name.value);
    if (name === field.name.value) return field;
    fields.set(`${names.types.get(type) ?? type}.${name}`, field.name.value);
    return { ...field, name: { ...field.name, value: name } };
  });
  return { ...definition, fields: renamed };
}

/**
 * Defines the built-in scalars that are renamed and used. The graph treats these as custom scalars, whose values the
 * remote checks.
 */
function renamedOwnScalars(
  definitions: readonly DefinitionNode[],
  { types }: NewNames,
): readonly ScalarTypeDefinitionNode[] {
  const used = new Set<string>();
  for (const definition of definitions)
    if (definition.kind !== Kind.DIRECTIVE_DEFINITION)
      visit(definition, { NamedType: ({ name }) => void used.add(name.value) });
  return [...types]
    .filter(([name]) => SPECIFIED_SCALAR_NAMES.has(name) && used.has(name))
    .map(([, value]) => ({ kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value } }));
}

function withNewTypes(definition: DefinitionNode, { types }: NewNames): DefinitionNode {
  const isDirective = definition.kind === Kind.DIRECTIVE_DEFINITION;
  const newName = (name: NameNode): NameNode => ({ ...name, value: types.get(name.value) ?? name.value });
  const withReferences: DefinitionNode = visit(definition, {
    // Directives such as `@defer` belong to the whole graph and keep their types.
    NamedType: (node) =>
      isDirective && SPECIFIED_SCALAR_NAMES.has(node.name.value) ? node : { ...node, name: newName(node.name) },
  });
  return !isDirective && 'name' in withReferences && withReferences.name
    ? ({ ...withReferences, name: newName(withReferences.name) } as DefinitionNode)
    : withReferences;
}

// The namespace is nullable, unlike in Hasura, so that data of other sources survives if the remote fails.
function customizedRootType(
  operation: OperationTypeNode,
  namespace: string,
  part: GraphQLSchema,
  { types }: NewNames,
): readonly DefinitionNode[] {
  const inner = part.getRootType(operation)?.name;
  if (inner === undefined) return [];
  return parse(`type ${STANDARD_ROOT_TYPES[operation]} { ${namespace}: ${types.get(inner)} }`).definitions;
}

function schemaDefinition(part: GraphQLSchema, namespace: string | undefined, { types }: NewNames): DefinitionNode {
  const operationTypes = OPERATION_KINDS.flatMap((operation) => {
    const own = part.getRootType(operation)?.name;
    if (own === undefined) return [];
    const name = {
      kind: Kind.NAME,
      value: namespace === undefined ? (types.get(own) ?? own) : STANDARD_ROOT_TYPES[operation],
    } as const;
    return [{ kind: Kind.OPERATION_TYPE_DEFINITION, operation, type: { kind: Kind.NAMED_TYPE, name } } as const];
  });
  return { kind: Kind.SCHEMA_DEFINITION, operationTypes };
}
