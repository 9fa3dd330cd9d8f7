import { pruneSchema } from '@graphql-tools/utils';
import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLField,
  GraphQLInputObjectType,
  type GraphQLObjectType,
  GraphQLSchema,
  Kind,
  GraphQLObjectType as ObjectType,
  parseType,
  type TypeNode,
} from 'graphql';
import type { ActionTypeField } from '../../metadata/index.ts';
import type { TypeField } from '../source.ts';

/** The argument that takes the keys of many objects. */
const OBJECTS_ARGUMENT = 'portico_objects';

/** The actions that are fields of types, separated from the root fields. */
export interface SeparateTypeFields {
  readonly fields: readonly TypeField[];
  /** The fields as they are written, with an argument for each field of the key. */
  readonly written: ReadonlyMap<string, GraphQLField<unknown, unknown>>;
  /** The schema that clients see, which lacks the root fields. */
  readonly schema: GraphQLSchema;
  /** The definitions that are executed. Their root fields take many objects and return a list in the same order. */
  readonly executed: readonly DefinitionNode[];
}

/**
 * Separates the actions that are fields of types. Returns undefined if there are none.
 *
 * @param definitions the actions that a role may call, as fields of `Query` and `Mutation`, and all types
 */
export function separateTypeFields(
  definitions: readonly DefinitionNode[],
  described: ReadonlyMap<string, ActionTypeField>,
  build: (definitions: readonly DefinitionNode[]) => GraphQLSchema,
): SeparateTypeFields | undefined {
  if (described.size === 0) return undefined;
  const written = new Map<string, GraphQLField<unknown, unknown>>();
  for (const [name, field] of Object.entries(build(definitions).getQueryType()?.getFields() ?? {}))
    if (described.has(name)) written.set(name, field);
  if (written.size === 0) return undefined;
  const edited = (edit: (field: FieldDefinitionNode, described: ActionTypeField) => FieldDefinitionNode) =>
    definitions.map((definition) => {
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || definition.name.value !== 'Query') return definition;
      const fields = (definition.fields ?? []).map((field) => {
        const found = described.get(field.name.value);
        return found ? edit(field, found) : field;
      });
      return { ...definition, fields };
    });
  const shown = build(edited((field, { key }) => ({ ...field, arguments: clientInputs(field, key) })));
  const scalars = [...written.keys()].map((action): DefinitionNode => {
    return { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: keyTypeName(action) } };
  });
  return {
    fields: [...written.values()].map((field) => typeField(field, described.get(field.name))),
    written,
    // The types stay, and those that only keys use do not.
    schema: withoutQueries(pruneSchema(shown), written),
    executed: [...edited(takingMany), ...scalars],
  };
}

function typeField(field: GraphQLField<unknown, unknown>, described: ActionTypeField | undefined): TypeField {
  const { type = '', name = '', key = [] } = described ?? {};
  const isKey = (argument: string) => key.some((one) => one.name === argument);
  return {
    type,
    name,
    description: field.description ?? '',
    action: field.name,
    key,
    clientArguments: field.args.filter((argument) => !isKey(argument.name)),
    output: field.type,
    call: {
      field: field.name,
      argument: OBJECTS_ARGUMENT,
      keys: new GraphQLInputObjectType({
        name: keyTypeName(field.name),
        fields: Object.fromEntries(
          field.args
            .filter((argument) => isKey(argument.name))
            .map(({ name: of, type: keyType }) => [of, { type: keyType }]),
        ),
      }),
    },
  };
}

/** The executed field accepts any keys, so that an invalid key is an error of its object only. */
function takingMany(field: FieldDefinitionNode, { key }: ActionTypeField): FieldDefinitionNode {
  const output: TypeNode = field.type.kind === Kind.NON_NULL_TYPE ? field.type.type : field.type;
  const objects = {
    kind: Kind.INPUT_VALUE_DEFINITION,
    name: { kind: Kind.NAME, value: OBJECTS_ARGUMENT },
    type: parseType(`[${keyTypeName(field.name.value)}!]!`, { noLocation: true }),
  } as const;
  return {
    ...field,
    arguments: [objects, ...clientInputs(field, key)],
    type: { kind: Kind.LIST_TYPE, type: output },
  };
}

function clientInputs({ arguments: inputs = [] }: FieldDefinitionNode, key: ActionTypeField['key']) {
  return inputs.filter(({ name }) => !key.some((field) => field.name === name.value));
}

function keyTypeName(action: string): string {
  return `portico_${action}_Key`;
}

function withoutQueries(schema: GraphQLSchema, removed: ReadonlyMap<string, unknown>): GraphQLSchema {
  const { query, types, ...rest } = schema.toConfig();
  if (!query) return schema;
  const { fields, ...config } = query.toConfig();
  const left = Object.entries(fields).filter(([name]) => !removed.has(name));
  const others = types.filter((type) => type !== query);
  const made: GraphQLObjectType | undefined =
    left.length > 0 ? new ObjectType({ ...config, fields: Object.fromEntries(left) }) : undefined;
  return new GraphQLSchema({ ...rest, ...(made && { query: made }), types: others });
}

/** Whether an argument of an executed root field contains the keys of objects. */
export function isObjectsArgument(name: string): boolean {
  return name === OBJECTS_ARGUMENT;
}
