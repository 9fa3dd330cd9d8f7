import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { commasSeparate, itemType, type KindOfType, kindsOfTypes } from '../url-values.ts';
import type { JsonSchema } from './json-schema.ts';
import type { TypeSchemas } from './type-schemas.ts';

/** Describes an operation's variables in requests. */
export interface VariableDescriptions {
  /** The names of all variables, in their order. */
  readonly names: readonly string[];
  /** Describes a parameter of the path or the query string. `label` is its name in the path. */
  parameter(name: string, place: 'path' | 'query', label?: string): Readonly<Record<string, unknown>>;
  /** Describes a JSON object with the variables as members. */
  body(names: readonly string[]): { readonly schema: JsonSchema; readonly required: boolean };
}

export function describeVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
  types: TypeSchemas,
): VariableDescriptions {
  const definitions = new Map(variableDefinitions.map((definition) => [definition.variable.name.value, definition]));
  const kindOf = kindsOfTypes([schema]);
  const typeOf = (definition: VariableDefinitionNode): GraphQLInputType | undefined => {
    const type = typeFromAST(schema, definition.type);
    return isInputType(type) ? type : undefined;
  };
  const withDefault = (definition: VariableDefinitionNode, described: JsonSchema): JsonSchema =>
    definition.defaultValue ? { ...described, default: valueFromASTUntyped(definition.defaultValue) } : described;

  return {
    names: [...definitions.keys()],
    parameter: (name, place, label = name) => {
      const definition = definitions.get(name);
      const type = definition && typeOf(definition);
      const shape = definition && type ? urlShape(definition, type, place, kindOf) : 'text';
      // A URL cannot express null.
      const value = type ? types.presentInput(type) : {};
      const described = definition ? withDefault(definition, value) : value;
      return {
        name: label,
        in: place,
        required: place === 'path' || (definition !== undefined && isRequired(definition, type)),
        ...(shape === 'json'
          ? { content: { 'application/json': { schema: described } } }
          : { ...(shape === 'list' && LIST_STYLE[place]), schema: described }),
      };
    },
    body: (names) => {
      const chosen = names.flatMap((name) => definitions.get(name) ?? []);
      const properties = chosen.map((definition): [string, JsonSchema] => {
        const type = typeOf(definition);
        return [definition.variable.name.value, withDefault(definition, type ? types.input(type) : {})];
      });
      const required = chosen.filter((definition) => isRequired(definition, typeOf(definition)));
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(properties),
          ...(required.length > 0 && { required: required.map(({ variable }) => variable.name.value) }),
          additionalProperties: false,
        },
        required: required.length > 0,
      };
    },
  };
}

/** `id=1&id=2` in the query string, `1,2` in the path. */
const LIST_STYLE = { query: { style: 'form', explode: true }, path: { style: 'simple', explode: false } } as const;

/** Returns how a URL contains the value: as a single text, as a list in the style of its place, or as JSON. */
function urlShape(
  definition: VariableDefinitionNode,
  type: GraphQLInputType,
  place: 'path' | 'query',
  kindOf: KindOfType,
): 'text' | 'list' | 'json' {
  const present = getNullableType(type);
  if (isInputObjectType(present)) return 'json';
  if (!isListType(present)) return 'text';
  const item = itemType(definition.type);
  const inner = getNullableType(present.ofType);
  if (isListType(inner) || isInputObjectType(inner)) return 'json';
  return place === 'query' || (item && commasSeparate(item, kindOf)) ? 'list' : 'json';
}

function isRequired(definition: VariableDefinitionNode, type: GraphQLInputType | undefined): boolean {
  return isNonNullType(type) && definition.defaultValue === undefined;
}
