import {
  type ConstDirectiveNode,
  DEFAULT_DEPRECATION_REASON,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
} from 'graphql';
import type { Metadata } from './load.ts';

/**
 * Returns the metadata in the format of Hasura's single-file export. References to the environment are kept, as in the files.
 */
export function exportMetadata(metadata: Metadata): Readonly<Record<string, unknown>> {
  const { actions, ...written } = metadata.asWritten;
  return {
    version: 3,
    sources: [],
    ...written,
    ...(actions !== undefined && exportActions(actions, metadata.actionsSdl, metadata.actionTypes.checks)),
  };
}

interface WrittenActions {
  readonly actions?:
    | readonly { readonly name: string; readonly comment?: unknown; readonly definition: object }[]
    | null;
  readonly custom_types?: WrittenTypes | null;
}

interface WrittenTypes {
  readonly objects?: readonly WrittenObject[] | null;
  readonly input_objects?: readonly { readonly name: string; readonly one_of?: unknown }[] | null;
}

interface WrittenObject {
  readonly name: string;
  readonly relationships?: unknown;
}

const TYPE_OF_ROOT: Readonly<Record<string, string>> = { Query: 'query', Subscription: 'subscription' };

/** Returns actions and their types in JSON. The directory layout defines the types in `actions.graphql`. */
function exportActions(
  written: unknown,
  sdl: string,
  checks: Metadata['actionTypes']['checks'],
): Readonly<Record<string, unknown>> {
  // graphql-js rejects a text that consists only of comments.
  const definitions = /^(\s|#.*)*$/.test(sdl) ? [] : parse(sdl).definitions;
  const fields = new Map(definitions.flatMap(rootFieldDefinitions));
  const { actions: list, custom_types: types } = written as WrittenActions;
  const actions = (list ?? []).map((action) => {
    const field = fields.get(action.name);
    // Hasura has one comment for both the action and its field.
    const comment = action.comment || field?.node.description?.value;
    return {
      ...action,
      ...(comment !== undefined && { comment }),
      definition: {
        ...action.definition,
        arguments: (field?.node.arguments ?? []).map(inputOf),
        output_type: field && print(field.node.type),
        type: TYPE_OF_ROOT[field?.root ?? ''] ?? 'mutation',
      },
    };
  });
  return { actions, custom_types: exportTypes(definitions, types ?? {}, checks) };
}

function rootFieldDefinitions(
  definition: DefinitionNode,
): readonly [string, { root: string; node: FieldDefinitionNode }][] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return [];
  const root = definition.name.value;
  if (!isRootTypeName(root)) return [];
  return (definition.fields ?? []).map((node) => [node.name.value, { root, node }]);
}

function exportTypes(
  definitions: readonly DefinitionNode[],
  written: WrittenTypes,
  checks: Metadata['actionTypes']['checks'],
): Readonly<Record<string, unknown>> {
  const interfaces: unknown[] = [];
  const unions: unknown[] = [];
  const oneOf = new Set((written.input_objects ?? []).flatMap((type) => (type.one_of === true ? [type.name] : [])));
  const types = {
    input_objects: [] as unknown[],
    objects: [] as unknown[],
    enums: [] as unknown[],
    scalars: [] as unknown[],
  };
  for (const definition of definitions) {
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      types.input_objects.push({
        ...withName(definition),
        fields: (definition.fields ?? []).map(inputOf),
        ...((oneOf.has(definition.name.value) || directiveOf(definition, 'oneOf')) && { one_of: true }),
      });
    else if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION)
      interfaces.push({ ...withName(definition), ...implementedBy(definition), fields: fieldsOf(definition) });
    else if (definition.kind === Kind.UNION_TYPE_DEFINITION)
      unions.push({ ...withName(definition), types: (definition.types ?? []).map(({ name }) => name.value) });
    else if (definition.kind === Kind.OBJECT_TYPE_DEFINITION && !isRootTypeName(definition.name.value))
      types.objects.push({
        ...withName(definition),
        ...implementedBy(definition),
        fields: fieldsOf(definition),
        ...exportedRelationships(definition.name.value, written.objects ?? []),
      });
    else if (definition.kind === Kind.ENUM_TYPE_DEFINITION)
      types.enums.push({
        ...withName(definition),
        values: (definition.values ?? []).map((value) => ({
          value: value.name.value,
          ...(value.description && { description: value.description.value }),
          ...(directiveOf(value, 'deprecated') && { is_deprecated: true }),
          ...(argumentOf(value, 'deprecated', 'reason') !== undefined && deprecationOf(value)),
        })),
      });
    else if (definition.kind === Kind.SCALAR_TYPE_DEFINITION) {
      const { written: check } = checks.get(definition.name.value) ?? {};
      const url = argumentOf(definition, 'specifiedBy', 'url');
      types.scalars.push({
        ...withName(definition),
        ...(check && { check }),
        ...(url !== undefined && { specified_by_url: url }),
      });
    }
  }
  // Hasura does not know these lists.
  return { ...types, ...(interfaces.length > 0 && { interfaces }), ...(unions.length > 0 && { unions }) };
}

interface WithDirectives {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function directiveOf({ directives = [] }: WithDirectives, name: string): ConstDirectiveNode | undefined {
  return directives.find((directive) => directive.name.value === name);
}

function argumentOf(node: WithDirectives, directive: string, argument: string): string | undefined {
  const value = directiveOf(node, directive)?.arguments?.find(({ name }) => name.value === argument)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

/** The reason of `@deprecated`. */
function deprecationOf(node: WithDirectives) {
  const reason = directiveOf(node, 'deprecated')
    ? (argumentOf(node, 'deprecated', 'reason') ?? DEFAULT_DEPRECATION_REASON)
    : undefined;
  return reason !== undefined && { deprecation_reason: reason };
}

function implementedBy({ interfaces = [] }: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) {
  return interfaces.length > 0 && { implements: interfaces.map(({ name }) => name.value) };
}

function fieldsOf({ fields = [] }: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) {
  return fields.map((field) => ({
    ...withName(field),
    type: print(field.type),
    ...(field.arguments?.length && { arguments: field.arguments.map(inputOf) }),
    ...deprecationOf(field),
  }));
}

/** The relationships are in `actions.yaml`, not with the fields. */
function exportedRelationships(type: string, written: readonly WrittenObject[]) {
  const { relationships } = written.find(({ name }) => name === type) ?? {};
  return relationships !== undefined && { relationships };
}

interface NamedNode {
  readonly name: { readonly value: string };
  readonly description?: { readonly value: string };
}

function withName({ name, description }: NamedNode) {
  return { name: name.value, ...(description && { description: description.value }) };
}

function inputOf(node: InputValueDefinitionNode) {
  return {
    ...withName(node),
    type: print(node.type),
    ...(node.defaultValue && { default_value: print(node.defaultValue) }),
    ...deprecationOf(node),
  };
}

function isRootTypeName(name: string): boolean {
  return name === 'Query' || name === 'Mutation' || name === 'Subscription';
}
