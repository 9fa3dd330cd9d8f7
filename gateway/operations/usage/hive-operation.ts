import {
  type ASTNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  Kind,
  print,
  stripIgnoredCharacters,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { reachableInputs } from './coordinates.ts';
import { copiedText } from './copied-text.ts';
import type { OperationToCount } from './describe-operation.ts';
import type { OperationDescription } from './usage-table.ts';

/** An operation in the format of Hive's usage reports. */
export interface HiveOperation {
  readonly key: string;
  readonly operation: string;
  readonly operationName: string | undefined;
  readonly fields: readonly string[];
}

/** Longer operations are not reported, in characters. */
const MAX_OPERATION_TEXT = 100_000;
/** The limit exists because an input type may lead to thousands of others. */
const MAX_COUNTED_FIELDS = 5_000;

/** @returns undefined if the operation is too long to be reported. */
export function hiveOperation(
  { document, operation, schema }: OperationToCount,
  { id, name, coordinates }: OperationDescription,
): HiveOperation | undefined {
  const text = normalizedText(document, schema);
  if (text.length > MAX_OPERATION_TEXT) return undefined;
  const fields = hiveFields(coordinates, schema);
  const root = schema.getRootType(operation.operation)?.name ?? 'Query';
  // A report needs at least one field.
  return { key: id, operation: text, operationName: name, fields: fields.length > 0 ? fields : [`${root}.__typename`] };
}

/** Returns the coordinates in Hive's format, `Type.field.argument`. `Enum.*` and `Input.*` are expanded. */
export function hiveFields(coordinates: readonly string[], schema: GraphQLSchema): readonly string[] {
  const fields = new Set<string>();
  for (const coordinate of coordinates) {
    if (fields.size >= MAX_COUNTED_FIELDS) break;
    if (coordinate.startsWith('@')) continue;
    if (coordinate.endsWith('.*'))
      for (const field of knownOpenFields(coordinate.slice(0, -2), schema)) fields.add(field);
    else fields.add(coordinate.replace(/\((\w+):\)$/, '.$1'));
  }
  return [...fields].slice(0, MAX_COUNTED_FIELDS);
}

/** Cached, since an input type may lead to thousands of others and each new operation may use it in a variable. */
const openFieldsOf = new WeakMap<GraphQLSchema, Map<string, readonly string[]>>();

/** Returns the expanded fields of a type, cached for each type of a schema. */
function knownOpenFields(name: string, schema: GraphQLSchema): readonly string[] {
  const ofSchema = openFieldsOf.get(schema) ?? new Map<string, readonly string[]>();
  openFieldsOf.set(schema, ofSchema);
  let fields = ofSchema.get(name);
  if (!fields) {
    fields = firstTexts(openFields(name, schema), MAX_COUNTED_FIELDS);
    ofSchema.set(name, fields);
  }
  return fields;
}

function firstTexts(texts: Iterable<string>, most: number): readonly string[] {
  const first: string[] = [];
  for (const text of texts) {
    if (first.length >= most) break;
    first.push(text);
  }
  return first;
}

function* openFields(name: string, schema: GraphQLSchema): Generator<string> {
  for (const reached of reachableInputs(schema, name)) {
    const type = schema.getType(reached);
    if (isInputObjectType(type)) for (const field of Object.keys(type.getFields())) yield `${reached}.${field}`;
    else if (isEnumType(type)) for (const value of type.getValues()) yield `${reached}.${value.name}`;
    else yield reached;
  }
}

/**
 * Returns the text of a document without values. Numbers become 0, texts empty, and booleans false. A value of a custom scalar
 * becomes an empty text, and a list of such values is empty. Aliases are left out, since clients may put anything into them.
 * The text can be parsed, but is not meant to run.
 */
export function normalizedText(document: DocumentNode, schema: GraphQLSchema): string {
  const types = new TypeInfo(schema);
  const leaf = (node: ASTNode) => {
    const type = namedInput(types.getInputType());
    if (type && isLeafType(type) && !isEnumType(type)) return placeholder(type);
    return node.kind === Kind.ENUM && !isEnumType(type) ? placeholder(type) : undefined;
  };
  const plain = visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ alias, ...node }) => (alias ? node : undefined),
      IntValue: (node) => leaf(node) ?? { kind: Kind.INT, value: '0' },
      FloatValue: (node) => leaf(node) ?? { kind: Kind.FLOAT, value: '0' },
      StringValue: (node) => leaf(node) ?? { kind: Kind.STRING, value: '' },
      BooleanValue: (node) => leaf(node) ?? { kind: Kind.BOOLEAN, value: false },
      EnumValue: leaf,
      ObjectValue: leaf,
      ListValue(node) {
        const type = namedInput(types.getInputType());
        return type && isLeafType(type) && node.values.length > 0 ? { ...node, values: [] } : undefined;
      },
    }),
  );
  return copiedText(stripIgnoredCharacters(print(plain)));
}

function namedInput(type: GraphQLInputType | null | undefined): GraphQLNamedType | undefined {
  return type ? getNamedType(type) : undefined;
}

function placeholder(type: GraphQLNamedType | undefined): ASTNode {
  if (type?.name === 'Int' || type?.name === 'Float') return { kind: Kind.INT, value: '0' };
  if (type?.name === 'Boolean') return { kind: Kind.BOOLEAN, value: false };
  return { kind: Kind.STRING, value: '' };
}
