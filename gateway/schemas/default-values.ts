import { astFromValueUntyped, MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  astFromValue,
  type ConstObjectFieldNode,
  type ConstValueNode,
  type GraphQLArgument,
  GraphQLDirective,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  type IntrospectionOptions,
  type IntrospectionQuery,
  introspectionFromSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  print,
  printSchema as printPlainSchema,
} from 'graphql';

type InputValue = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'defaultValue'>;

/**
 * The default of an argument or an input field as a literal; undefined where it has none. `astFromValue` of graphql-js throws
 * for defaults of custom scalars that are objects or lists, such as `filter: JSON = {}`.
 */
export function defaultValueNode({ type, defaultValue }: InputValue): ConstValueNode | undefined {
  return valueNode(defaultValue, type) ?? undefined;
}

function valueNode(value: unknown, type: GraphQLInputType): ConstValueNode | null {
  if (!hasScalarObject(value, type)) return astFromValue(value, type) as ConstValueNode | null;
  const inner = getNullableType(type);
  if (isListType(inner)) {
    if (!Array.isArray(value)) return valueNode(value, inner.ofType);
    return { kind: Kind.LIST, values: value.flatMap((item) => valueNode(item, inner.ofType) ?? []) };
  }
  if (!isInputObjectType(inner)) return astFromValueUntyped(value) as ConstValueNode | null;
  const fields = Object.values(inner.getFields()).flatMap((field): ConstObjectFieldNode[] => {
    const node = valueNode(Reflect.get(Object(value), field.name), field.type);
    return node ? [{ kind: Kind.OBJECT_FIELD, name: { kind: Kind.NAME, value: field.name }, value: node }] : [];
  });
  return { kind: Kind.OBJECT, fields };
}

/** The SDL of a schema, as graphql-js prints it, also where a default is an object or a list of a custom scalar. */
export function printSchema(schema: GraphQLSchema): string {
  return withPrintedLiterals(printPlainSchema(printableSchema(schema)));
}

/**
 * A schema that graphql-js can print and introspect: objects and lists of custom scalars in defaults are texts that hold
 * their literals. It is the same one where there are none.
 */
export function printableSchema(schema: GraphQLSchema): GraphQLSchema {
  if (!inputValuesOf(schema).some(({ type, defaultValue }) => hasScalarObject(defaultValue, type))) return schema;
  const printable = <Config extends { type: GraphQLInputType; defaultValue?: unknown }>(config: Config): Config =>
    hasScalarObject(config.defaultValue, config.type)
      ? { ...config, defaultValue: withLiterals(config.defaultValue, config.type) }
      : config;
  return mapSchema(schema, {
    [MapperKind.ARGUMENT]: printable,
    [MapperKind.INPUT_OBJECT_FIELD]: printable,
    [MapperKind.DIRECTIVE]: (directive) => {
      const config = directive.toConfig();
      const args = Object.entries(config.args).map(([name, argument]) => [name, printable(argument)] as const);
      return new GraphQLDirective({ ...config, args: Object.fromEntries(args) });
    },
  });
}

/** The introspection result of a schema. */
export function introspectionOf(schema: GraphQLSchema, options?: IntrospectionOptions): IntrospectionQuery {
  const printable = printableSchema(schema);
  const result = introspectionFromSchema(printable, options);
  if (printable === schema) return result;
  return JSON.parse(JSON.stringify(result), (key, value) =>
    key === 'defaultValue' && typeof value === 'string' ? withPrintedLiterals(value) : value,
  );
}

/** Puts the literals into a text that was made of a printable schema. */
function withPrintedLiterals(text: string): string {
  return text.replace(PRINTED_LITERAL, (found) => JSON.parse(found).slice(MARK.length));
}

/** Nothing else in a schema begins with it. */
const MARK = 'literal of the default: ';
const PRINTED_LITERAL = new RegExp(`"${MARK}(?:[^"\\\\]|\\\\.)*"`, 'g');

function inputValuesOf(schema: GraphQLSchema): readonly InputValue[] {
  const ofTypes = Object.values(schema.getTypeMap()).flatMap((type): readonly InputValue[] => {
    if (isIntrospectionType(type)) return [];
    if (isInputObjectType(type)) return Object.values(type.getFields());
    const hasFields = isObjectType(type) || isInterfaceType(type);
    return hasFields ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
  });
  return [...ofTypes, ...schema.getDirectives().flatMap(({ args }) => args)];
}

function hasScalarObject(value: unknown, type: GraphQLInputType): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner = getNullableType(type);
  if (isListType(inner)) return [value].flat().some((item) => hasScalarObject(item, inner.ofType));
  if (!isInputObjectType(inner)) return true;
  return Object.values(inner.getFields()).some((field) => hasScalarObject(Reflect.get(value, field.name), field.type));
}

function withLiterals(value: unknown, type: GraphQLInputType): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = getNullableType(type);
  if (isListType(inner))
    return Array.isArray(value)
      ? value.map((item) => withLiterals(item, inner.ofType))
      : withLiterals(value, inner.ofType);
  if (!isInputObjectType(inner)) return `${MARK}${print(valueNode(value, inner) ?? { kind: Kind.NULL })}`;
  const fields = inner.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, fields[name] ? withLiterals(one, fields[name].type) : one]),
  );
}
