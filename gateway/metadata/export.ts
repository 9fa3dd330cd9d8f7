import { type DefinitionNode, type FieldDefinitionNode, Kind, parse, print } from 'graphql';
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
    ...(actions !== undefined && exportActions(actions, metadata.actionsSdl)),
  };
}

interface WrittenActions {
  readonly actions?:
    | readonly { readonly name: string; readonly comment?: unknown; readonly definition: object }[]
    | null;
  readonly custom_types?: { readonly objects?: readonly WrittenObject[] | null } | null;
}

interface WrittenObject {
  readonly name: string;
  readonly relationships?: unknown;
}

const TYPE_OF_ROOT: Readonly<Record<string, string>> = { Query: 'query', Subscription: 'subscription' };

/** Returns actions and their types in JSON. The directory layout defines the types in `actions.graphql`. */
function exportActions(written: unknown, sdl: string): Readonly<Record<string, unknown>> {
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
  return { actions, custom_types: exportTypes(definitions, types?.objects ?? []) };
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
  written: readonly WrittenObject[],
): Readonly<Record<string, unknown>> {
  const types = {
    input_objects: [] as unknown[],
    objects: [] as unknown[],
    enums: [] as unknown[],
    scalars: [] as unknown[],
  };
  for (const definition of definitions) {
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      types.input_objects.push({ ...withName(definition), fields: (definition.fields ?? []).map(inputOf) });
    else if (definition.kind === Kind.OBJECT_TYPE_DEFINITION && !isRootTypeName(definition.name.value))
      types.objects.push({
        ...withName(definition),
        fields: (definition.fields ?? []).map(inputOf),
        ...exportedRelationships(definition.name.value, written),
      });
    else if (definition.kind === Kind.ENUM_TYPE_DEFINITION)
      types.enums.push({
        ...withName(definition),
        values: (definition.values ?? []).map(({ name, description }) => ({
          value: name.value,
          ...(description && { description: description.value }),
        })),
      });
    else if (definition.kind === Kind.SCALAR_TYPE_DEFINITION) types.scalars.push(withName(definition));
  }
  return types;
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

function inputOf(node: NamedNode & { readonly type: FieldDefinitionNode['type'] }) {
  return { ...withName(node), type: print(node.type) };
}

function isRootTypeName(name: string): boolean {
  return name === 'Query' || name === 'Mutation' || name === 'Subscription';
}
