import { randomUUID } from 'node:crypto';
import { astFromValueUntyped, MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  astFromValue,
  type ConstObjectFieldNode,
  type ConstValueNode,
  type GraphQLArgument,
  type GraphQLArgumentConfig,
  GraphQLDirective,
  type GraphQLFieldConfig,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  type IntrospectionOptions,
  type IntrospectionQuery,
  introspectionFromSchema,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  print,
  printSchema as printPlainSchema,
  printType as printPlainType,
} from 'graphql';

type InputValue = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'defaultValue'>;

/**
 * The default of an argument or input field as a literal. Undefined if there is none. `astFromValue` of graphql-js
 * throws for defaults of custom scalars that are objects or lists, such as `filter: JSON = {}`.
 */
export function defaultValueNode({ type, defaultValue }: InputValue): ConstValueNode | undefined {
  return valueNode(defaultValue, type) ?? undefined;
}

function valueNode(value: unknown, type: GraphQLInputType): ConstValueNode | null {
  if (typeof value !== 'object' || value === null) return astFromValue(value, type) as ConstValueNode | null;
  const inner = getNullableType(type);
  if (isListType(inner)) {
    if (!Array.isArray(value)) return valueNode(value, inner.ofType);
    return { kind: Kind.LIST, values: value.flatMap((item) => valueNode(item, inner.ofType) ?? []) };
  }
  if (!isInputObjectType(inner)) return astFromValueUntyped(value) as ConstValueNode | null;
  const fields = Object.values(inner.getFields()).flatMap((field): ConstObjectFieldNode[] => {
    const node = valueNode(ownMember(value, field.name), field.type);
    return node ? [{ kind: Kind.OBJECT_FIELD, name: { kind: Kind.NAME, value: field.name }, value: node }] : [];
  });
  return { kind: Kind.OBJECT, fields };
}

/** Prints the SDL of a schema like graphql-js, but supports defaults of custom scalars that are objects or lists. */
export function printSchema(schema: GraphQLSchema): string {
  const mark = newMark();
  const printable = printableSchema(schema, mark);
  const text = printPlainSchema(printable);
  return printable === schema ? text : withPrintedLiterals(text, mark);
}

/** Prints the SDL of a type like `printSchema`. The time does not depend on the size of the schema. */
export function printType(type: GraphQLNamedType): string {
  const mark = newMark();
  const printable = printableType(type, mark);
  const text = printPlainType(printable);
  return printable === type ? text : withPrintedLiterals(text, mark);
}

/** The introspection result of a schema. */
export function introspectionOf(schema: GraphQLSchema, options?: IntrospectionOptions): IntrospectionQuery {
  const mark = newMark();
  const printable = printableSchema(schema, mark);
  const result = introspectionFromSchema(printable, options);
  if (printable === schema) return result;
  return JSON.parse(JSON.stringify(result), (key, value) =>
    key === 'defaultValue' && typeof value === 'string' ? withPrintedLiterals(value, mark) : value,
  );
}

/** Creates a random prefix for literals in a printable schema, so that no text of a schema has this prefix. */
function newMark(): string {
  return `literal ${randomUUID()}: `;
}

/** Replaces marked texts in the output for a printable schema or type with their literals. */
function withPrintedLiterals(text: string, mark: string): string {
  const printed = new RegExp(`"${mark}(?:[^"\\\\]|\\\\.)*"`, 'g');
  return text.replace(printed, (found) => JSON.parse(found).slice(mark.length));
}

/**
 * Creates a schema that graphql-js can print and introspect. Objects and lists in defaults of custom scalars become
 * texts that contain their literals. Returns the same schema if there are none.
 */
function printableSchema(schema: GraphQLSchema, mark: string): GraphQLSchema {
  const ofTypes = Object.values(schema.getTypeMap()).some((type) => inputValuesOf(type).some(isUnprintable));
  if (!ofTypes && !schema.getDirectives().some(({ args }) => args.some(isUnprintable))) return schema;
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) => withPrintableDefaults(type, mark),
    [MapperKind.DIRECTIVE]: (directive) => {
      const config = directive.toConfig();
      return new GraphQLDirective({ ...config, args: printableInputs(config.args, mark) });
    },
  });
}

/** Creates a type with printable defaults that refers to the same other types. */
function printableType(type: GraphQLNamedType, mark: string): GraphQLNamedType {
  return inputValuesOf(type).some(isUnprintable) ? withPrintableDefaults(type, mark) : type;
}

function withPrintableDefaults(type: GraphQLNamedType, mark: string): GraphQLNamedType {
  if (isInputObjectType(type)) {
    const config = type.toConfig();
    return new GraphQLInputObjectType({ ...config, fields: printableInputs(config.fields, mark) });
  }
  if (isInterfaceType(type)) {
    const config = type.toConfig();
    return new GraphQLInterfaceType({ ...config, fields: withPrintableArguments(config.fields, mark) });
  }
  if (!isObjectType(type)) return type;
  const config = type.toConfig();
  return new GraphQLObjectType({ ...config, fields: withPrintableArguments(config.fields, mark) });
}

function withPrintableArguments<Context>(
  fields: Readonly<Record<string, GraphQLFieldConfig<unknown, Context>>>,
  mark: string,
): Record<string, GraphQLFieldConfig<unknown, Context>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, args: printableInputs(field.args ?? {}, mark) }]),
  );
}

function printableInputs<Config extends GraphQLArgumentConfig | GraphQLInputFieldConfig>(
  inputs: Readonly<Record<string, Config>>,
  mark: string,
): Record<string, Config> {
  const printable = (input: Config): Config => ({
    ...input,
    defaultValue: withLiterals(input.defaultValue, input.type, mark),
  });
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, printable(input)]));
}

/** The arguments or input fields of a type. */
function inputValuesOf(type: GraphQLNamedType): readonly InputValue[] {
  if (isInputObjectType(type)) return Object.values(type.getFields());
  const hasFields = isObjectType(type) || isInterfaceType(type);
  return hasFields ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
}

function isUnprintable({ type, defaultValue }: InputValue): boolean {
  return hasScalarObject(defaultValue, type);
}

function hasScalarObject(value: unknown, type: GraphQLInputType): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner = getNullableType(type);
  if (isListType(inner)) return [value].flat().some((item) => hasScalarObject(item, inner.ofType));
  if (!isInputObjectType(inner)) return true;
  return Object.values(inner.getFields()).some((field) => hasScalarObject(ownMember(value, field.name), field.type));
}

/** Reads an own member, since a field may have the name of an inherited member, such as `toString` or `constructor`. */
function ownMember(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function withLiterals(value: unknown, type: GraphQLInputType, mark: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = getNullableType(type);
  if (isListType(inner))
    return Array.isArray(value)
      ? value.map((item) => withLiterals(item, inner.ofType, mark))
      : withLiterals(value, inner.ofType, mark);
  if (!isInputObjectType(inner)) return `${mark}${print(valueNode(value, inner) ?? { kind: Kind.NULL })}`;
  const fields = inner.getFields();
  // The object has no prototype because graphql-js also reads inherited members.
  const literals: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(value))
    literals[name] = fields[name] ? withLiterals(one, fields[name].type, mark) : one;
  return literals;
}
