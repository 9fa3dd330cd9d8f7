import {
  buildASTSchema,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  parse,
  specifiedScalarTypes,
  type TypeNode,
} from 'graphql';
import { printSchema } from '../../graphql/schemas/index.ts';
import { innermostTypeName } from '../../graphql/syntax/index.ts';

/**
 * Coordinates of parts of a schema: `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`, `Union|Member`. As in
 * every supergraph, root types are named `Query`, `Mutation` and `Subscription`.
 */
export type Coordinates = ReadonlySet<string>;

const SPECIFIED_SCALARS = new Set(specifiedScalarTypes.map((scalar) => scalar.name));

/** The coordinates of everything in a schema. */
export function coordinatesOf(schema: GraphQLSchema): Coordinates {
  return new Set(typeDefinitions(schema).flatMap((definition) => coordinatesWithin(definition, schema)));
}

function coordinatesWithin(definition: DefinitionNode, schema: GraphQLSchema): readonly string[] {
  if (!('name' in definition) || !definition.name) return [];
  const type = supergraphTypeName(definition.name.value, schema);
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION)
    return [type, ...(definition.values ?? []).map((value) => `${type}.${value.name.value}`)];
  if (definition.kind === Kind.UNION_TYPE_DEFINITION)
    return [type, ...(definition.types ?? []).map((member) => `${type}|${member.name.value}`)];
  return [type, ...fieldDefinitions(definition).flatMap((field) => [...fieldCoordinates(type, field)])];
}

function fieldCoordinates(type: string, field: FieldDefinitionNode | InputValueDefinitionNode): readonly string[] {
  const key = `${type}.${field.name.value}`;
  const given = 'arguments' in field ? (field.arguments ?? []) : [];
  return [key, ...given.map((argument) => `${key}(${argument.name.value}:)`)];
}

/** The name of a type in a supergraph, in which root types have their standard names. */
export function supergraphTypeName(name: string, schema: GraphQLSchema): string {
  if (name === schema.getQueryType()?.name) return 'Query';
  if (name === schema.getMutationType()?.name) return 'Mutation';
  if (name === schema.getSubscriptionType()?.name) return 'Subscription';
  return name;
}

/** Creates the part of a schema that the coordinates select. */
export type SchemaFilter = (coordinates: Coordinates) => GraphQLSchema;

/**
 * Filters a schema. Elements that become incomplete are left out too: a field without its type, a type without fields,
 * and `implements` for an interface of which the object lacks a field.
 */
export function schemaFilter(schema: GraphQLSchema): SchemaFilter {
  const definitions = typeDefinitions(schema);
  return (coordinates) => filterDefinitions(definitions, coordinates);
}

function filterDefinitions(whole: readonly DefinitionNode[], coordinates: Coordinates): GraphQLSchema {
  let definitions = whole.flatMap((definition) => pickDefinition(definition, coordinates));
  for (let before = Number.POSITIVE_INFINITY, now = countDefinitions(definitions); now < before; ) {
    before = now;
    definitions = closed(definitions);
    now = countDefinitions(definitions);
  }
  // Part of a valid schema need not be validated again, which would take long.
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions: withInterfaces(definitions) }, { assumeValidSDL: true });
}

function typeDefinitions(schema: GraphQLSchema): readonly DefinitionNode[] {
  return parse(printSchema(schema), { noLocation: true }).definitions.filter(
    ({ kind }) => kind !== Kind.SCHEMA_DEFINITION && kind !== Kind.DIRECTIVE_DEFINITION,
  );
}

function definitionName(definition: DefinitionNode): string {
  return 'name' in definition ? (definition.name?.value ?? '') : '';
}

function fieldDefinitions(definition: DefinitionNode): readonly (FieldDefinitionNode | InputValueDefinitionNode)[] {
  return 'fields' in definition ? (definition.fields ?? []) : [];
}

function pickDefinition(definition: DefinitionNode, coordinates: Coordinates): readonly DefinitionNode[] {
  const type = definitionName(definition);
  if (!coordinates.has(type)) return [];
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
    const values = (definition.values ?? []).filter((value) => coordinates.has(`${type}.${value.name.value}`));
    return [{ ...definition, values }];
  }
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
    const types = (definition.types ?? []).filter((member) => coordinates.has(`${type}|${member.name.value}`));
    return [{ ...definition, types }];
  }
  if (!('fields' in definition)) return [definition];
  const fields = fieldDefinitions(definition)
    .filter((field) => coordinates.has(`${type}.${field.name.value}`))
    .map((field) =>
      field.kind === Kind.FIELD_DEFINITION
        ? {
            ...field,
            arguments: (field.arguments ?? []).filter((one) => coordinates.has(argumentOf(type, field, one))),
          }
        : field,
    );
  return [{ ...definition, fields } as DefinitionNode];
}

function argumentOf(type: string, field: FieldDefinitionNode, argument: InputValueDefinitionNode): string {
  return `${type}.${field.name.value}(${argument.name.value}:)`;
}

/** Removes references to missing types, in one pass. */
function closed(definitions: readonly DefinitionNode[]): DefinitionNode[] {
  const known = new Set([...SPECIFIED_SCALARS, ...definitions.filter((one) => !hasNoMembers(one)).map(definitionName)]);
  const exists = (type: TypeNode): boolean => known.has(innermostTypeName(type));
  return definitions
    .filter((definition) => known.has(definitionName(definition)))
    .map((definition) => {
      if (definition.kind === Kind.UNION_TYPE_DEFINITION)
        return { ...definition, types: (definition.types ?? []).filter(exists) };
      if (!('fields' in definition)) return definition;
      const fields = fieldDefinitions(definition)
        .filter((field) => exists(field.type))
        .map((field) =>
          field.kind === Kind.FIELD_DEFINITION
            ? { ...field, arguments: (field.arguments ?? []).filter((argument) => exists(argument.type)) }
            : field,
        );
      return { ...definition, fields } as DefinitionNode;
    });
}

function hasNoMembers(definition: DefinitionNode): boolean {
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return (definition.types ?? []).length === 0;
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) return (definition.values ?? []).length === 0;
  return 'fields' in definition && fieldDefinitions(definition).length === 0;
}

/** Counts the elements that a pass can remove. */
function countDefinitions(definitions: readonly DefinitionNode[]): number {
  return definitions.reduce((sum, definition) => {
    const members =
      definition.kind === Kind.UNION_TYPE_DEFINITION ? (definition.types ?? []) : fieldDefinitions(definition);
    const given = fieldDefinitions(definition).map((field) =>
      'arguments' in field ? (field.arguments ?? []).length : 0,
    );
    return sum + 1 + members.length + given.reduce((all, one) => all + one, 0);
  }, 0);
}

/** Keeps `implements` only if the object has all fields of the interface. */
function withInterfaces(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const fieldNames = new Map(
    definitions.map((one) => [definitionName(one), fieldDefinitions(one).map((field) => field.name.value)] as const),
  );
  return definitions.map((definition) => {
    if (!('interfaces' in definition)) return definition;
    const own = new Set(fieldNames.get(definitionName(definition)));
    const interfaces = (definition.interfaces ?? []).filter((one: NamedTypeNode) =>
      fieldNames.get(one.name.value)?.every((field) => own.has(field)),
    );
    return { ...definition, interfaces } as DefinitionNode;
  });
}
