import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  valueFromASTUntyped,
} from 'graphql';
import { defaultValueNode, printSchema } from '../../../graphql/schemas/index.ts';
import { type JsonSchema, orNull } from './json-schema.ts';
import { scalarSchema } from './scalars.ts';

/** A named type that has its own schema in the document. */
type ComponentType = GraphQLLeafType | GraphQLInputObjectType;

/** Creates schemas of GraphQL types. Enums, input objects and unknown scalars become components that other schemas refer to. */
export interface TypeSchemas {
  /** The components created so far, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** Returns the schema of a value. Null is allowed where the type is nullable. */
  input(type: GraphQLInputType): JsonSchema;
  /** Returns the schema of a non-null value. */
  presentInput(type: GraphQLInputType): JsonSchema;
  /** Returns the schema of a scalar or an enum in a response. */
  leaf(type: GraphQLLeafType): JsonSchema;
}

export function createTypeSchemas(): TypeSchemas {
  const components: Record<string, JsonSchema> = {};
  /** The signature of the type behind each component. A role and the public role may see different parts of a type. */
  const signatures = new Map<string, string>();

  function reference(type: ComponentType): JsonSchema {
    const signature = signatureOf(type);
    let name = type.name;
    for (let count = 2; (signatures.get(name) ?? signature) !== signature; count++) name = `${type.name}.${count}`;
    if (!signatures.has(name)) {
      // The name is reserved before the schema is created, since input objects may contain themselves.
      signatures.set(name, signature);
      components[name] = {};
      components[name] = componentSchema(type);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function componentSchema(type: ComponentType): JsonSchema {
    const described = type.description ? { description: type.description } : {};
    if (isEnumType(type)) return { ...described, type: 'string', enum: type.getValues().map((value) => value.name) };
    if (!isInputObjectType(type)) return { description: `A value of the scalar ${type.name}`, ...described };
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isRequiredInputField(field)).map((field) => field.name);
    return {
      ...described,
      type: 'object',
      properties: Object.fromEntries(
        fields.map((field) => {
          const fallback = defaultValueNode(field);
          return [
            field.name,
            {
              ...input(field.type),
              ...(field.description && { description: field.description }),
              ...(field.deprecationReason && { deprecated: true }),
              ...(fallback && { default: valueFromASTUntyped(fallback) }),
            },
          ];
        }),
      ),
      ...(required.length > 0 && { required }),
      ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
      additionalProperties: false,
    };
  }

  function leaf(type: GraphQLLeafType): JsonSchema {
    return (isEnumType(type) ? undefined : scalarSchema(type.name)) ?? reference(type);
  }

  function input(type: GraphQLInputType): JsonSchema {
    return isNonNullType(type) ? presentInput(type) : orNull(presentInput(type));
  }

  function presentInput(type: GraphQLInputType): JsonSchema {
    if (isNonNullType(type)) return presentInput(type.ofType);
    if (isListType(type)) return { type: 'array', items: input(type.ofType) };
    return isInputObjectType(type) ? reference(type) : leaf(type);
  }

  return { components, input, presentInput, leaf };
}

/** Returns a text that contains everything that a type's schema depends on. */
function signatureOf(type: ComponentType): string {
  return printSchema(new GraphQLSchema({ types: [type], assumeValid: true }));
}
