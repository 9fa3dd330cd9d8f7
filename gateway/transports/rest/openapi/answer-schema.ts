import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { type JsonSchema, orNull } from './json-schema.ts';
import { type Certain, fieldsOfAnswer } from './selected-fields.ts';
import type { TypeSchemas } from './type-schemas.ts';

type SelectionSets = readonly Certain<SelectionSetNode>[];

/** A saved operation and the graph that it is valid on. */
export interface OperationInSchema {
  readonly operation: OperationDefinitionNode;
  /** The document of the operation. */
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
}

/**
 * Returns the schema of a successful response. Objects have exactly the selected fields, by response key. A field is required
 * unless a variable may remove it.
 */
export function answerSchema(saved: OperationInSchema, types: TypeSchemas): JsonSchema {
  const { operation, document, schema } = saved;
  const root = schema.getRootType(operation.operation);
  return root ? objectSchema(root, [{ node: operation.selectionSet, always: true }]) : {};

  function objectSchema(type: GraphQLObjectType, selections: SelectionSets): JsonSchema {
    const selected = [...fieldsOfAnswer(selections, type, schema, document)];
    const required = selected.filter(([, nodes]) => nodes.some((field) => field.always)).map(([key]) => key);
    return {
      type: 'object',
      properties: Object.fromEntries(selected.map(([key, nodes]) => [key, fieldSchema(type, nodes)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  function fieldSchema(parent: GraphQLObjectType, nodes: readonly Certain<FieldNode>[]): JsonSchema {
    const name = nodes[0]?.node.name.value ?? '';
    if (name === TypeNameMetaFieldDef.name) return { type: 'string', const: parent.name };
    const field = fieldOf(parent, name);
    if (!field) return {};
    const selections = nodes.flatMap(({ node: { selectionSet }, always }) =>
      // If a key is selected only once, the fields below it are present whenever the key is.
      selectionSet ? [{ node: selectionSet, always: always || nodes.length === 1 }] : [],
    );
    return {
      ...outputSchema(field.type, selections),
      ...(field.description && { description: field.description }),
      ...(field.deprecationReason && { deprecated: true }),
    };
  }

  function outputSchema(type: GraphQLOutputType, selections: SelectionSets): JsonSchema {
    if (isNonNullType(type)) return presentSchema(type.ofType, selections);
    return orNull(presentSchema(type, selections));
  }

  function presentSchema(type: GraphQLOutputType, selections: SelectionSets): JsonSchema {
    if (isNonNullType(type)) return presentSchema(type.ofType, selections);
    if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType, selections) };
    if (isLeafType(type)) return types.leaf(type);
    if (isObjectType(type)) return objectSchema(type, selections);
    return oneOfTheTypes(schema.getPossibleTypes(type).map((possible) => objectSchema(possible, selections)));
  }
}

/** Returns the schema of an interface or union. Types with the same selected fields share a schema. */
function oneOfTheTypes(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...others] = distinct.values();
  if (!only) return { type: 'object' };
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

function fieldOf(parent: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  return name === TypeMetaFieldDef.name ? TypeMetaFieldDef : parent.getFields()[name];
}
