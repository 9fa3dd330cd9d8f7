import {
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
} from 'graphql';
import { suggestion } from '../../../platform/index.ts';
import type { Subschema, TypeField } from '../../sources/index.ts';
import type { Relationship } from './relationship.ts';
import { argumentProblems } from './relationship-arguments.ts';
import type { RelationshipProblem } from './relationships.ts';

type KeyFields = TypeField['key'];

/**
 * Resolves a field that a source adds to a type against the graph of a role.
 *
 * @param source the source that adds the field
 * @param parts the parts of all sources that the role sees
 * @param known the relationships of the role
 * @returns the problems if no part has the type or the fields of its key, with the key of the description
 */
export function resolveTypeField(
  field: TypeField,
  source: Subschema,
  parts: readonly Subschema[],
  known: readonly Relationship[],
): Relationship | { readonly problems: readonly RelationshipProblem[] } {
  const { type: typeName, name, key, call } = field;
  const failed = (at: string, ...messages: string[]) => ({
    problems: messages.map((message) => ({ message, path: [at] })),
  });
  const shown = parts.map(({ schema, visible = schema }) => visible);
  // Root types may have other names in a service, which the graph does not have.
  const isRoot = (type: unknown) =>
    shown.some((schema) => Object.values(OperationTypeNode).some((one) => schema.getRootType(one) === type));
  const types = shown.flatMap((schema) => schema.getType(typeName) ?? []).filter((type) => !isRoot(type));
  if (types.length === 0) {
    const names = shown.flatMap((schema) =>
      Object.values(schema.getTypeMap()).flatMap((one) => (isObjectType(one) && !isRoot(one) ? [one.name] : [])),
    );
    return failed('type', `there is no object type "${typeName}"${suggestion(typeName, [...new Set(names)])}`);
  }
  const objects = types.filter(isObjectType);
  if (objects.length < types.length)
    return failed('type', `"${typeName}" is not an object type, so an action cannot be a field of it`);
  const isTaken = objects.some((object) => Object.hasOwn(object.getFields(), name));
  if (isTaken) return failed('name', `the type "${typeName}" already has a field "${name}"`);
  if (known.some((one) => one.type === typeName && one.name === name))
    return failed('name', `the type "${typeName}" already has a relationship "${name}"`);
  const inputs = call.keys.getFields();
  // The source converts keys itself, so that an invalid key is an error of its object only.
  const keyScalar = new GraphQLScalarType({ name: call.keys.name });
  const problems = key.flatMap((one) => keyProblems(one, typeName, objects, inputs[one.name]?.type, shown));
  if (problems.length > 0) return failed('key', ...problems);
  return {
    name,
    type: typeName,
    description: field.description,
    keys: new Map(),
    target: source.source,
    steps: [{ field: call.field, arguments: [] }],
    objects: {
      argument: call.argument,
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(keyScalar))),
      key: keyText(key),
    },
    answer: getNullableType(field.output),
    clientArguments: field.clientArguments,
  };
}

type Schemas = readonly Subschema['schema'][];

/** The reasons why the value of a key field cannot be an input. Any source may resolve the field. */
function keyProblems(
  { name, fields }: KeyFields[number],
  typeName: string,
  objects: readonly GraphQLObjectType[],
  input: GraphQLInputType | undefined,
  schemas: Schemas,
): readonly string[] {
  const found = objects.flatMap((object) => {
    const own = object.getFields();
    return Object.hasOwn(own, name) ? (own[name] ?? []) : [];
  });
  const [first] = found;
  if (!first || !input) {
    const names = objects.flatMap((object) => Object.keys(object.getFields()));
    return [`the type "${typeName}" has no field "${name}"${suggestion(name, [...new Set(names)])}`];
  }
  const place = `${typeName}.${name}`;
  if (found.some(({ args }) => args.some(isRequiredArgument))) return [`"${place}" has required arguments`];
  const named = getNamedType(first.type);
  if (isLeafType(named)) {
    if (fields.length > 0) return [`"${place}" is a scalar or an enum, in which no fields can be selected`];
    return argumentProblems(name, `$${name}`, input, new Map([[name, first.type]]));
  }
  if (!isObjectType(named)) return [`"${place}" is an interface or a union, which a key cannot contain`];
  if (fields.length === 0) return [`"${place}" is an object: select fields in it`];
  const inner = itemType(first.type, input);
  if (!inner) return [`"${place}" is ${String(first.type)}, and the action takes ${String(input)}`];
  const below = schemas.map((schema) => schema.getType(named.name)).filter(isObjectType);
  return fields.flatMap((field) => keyProblems(field, named.name, below, inner.getFields()[field.name]?.type, schemas));
}

/** The input object that takes an object. Undefined if lists of the two types do not fit. */
function itemType(output: GraphQLOutputType, input: GraphQLInputType) {
  const [from, to] = [getNullableType(output), getNullableType(input)];
  if (isListType(to)) return itemType(isListType(from) ? from.ofType : from, to.ofType);
  return isInputObjectType(to) && !isListType(from) ? to : undefined;
}

function keyText(key: KeyFields): string {
  return key.map(({ name, fields }) => (fields.length > 0 ? `${name} { ${keyText(fields)} }` : name)).join(' ');
}
