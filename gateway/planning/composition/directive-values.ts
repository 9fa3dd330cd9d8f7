import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  type TypeNode,
  visit,
} from 'graphql';
import { readFederationLink } from './federation-link.ts';

/** A directive argument whose value does not fit its type. */
export interface InvalidArgument {
  readonly message: string;
  /** The line in the SDL, 1-based. */
  readonly line: number | undefined;
}

/** The directives of the federation specification that have arguments. The composer checks field sets itself. */
const FEDERATION_DIRECTIVES = parse(
  `
  directive @key(resolvable: Boolean) on OBJECT
  directive @override(from: String!, label: String) on FIELD_DEFINITION
  directive @tag(name: String!) on OBJECT
  directive @composeDirective(name: String!) on SCHEMA
  directive @requiresScopes(scopes: [[Scope!]!]!) on OBJECT
  directive @policy(policies: [[Policy!]!]!) on OBJECT
  directive @context(name: String!) on OBJECT
  directive @cost(weight: Int!) on OBJECT
  directive @listSize(
    assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean
  ) on FIELD_DEFINITION
  directive @cacheTag(format: String!) on OBJECT
  `,
  { noLocation: true },
).definitions.filter(isDirectiveDefinition);

/**
 * Checks the values in directives (GraphQL 5.6.1). The rule of `@theguild/federation-composition` 0.27 is not used
 * because it rejects null for nullable arguments and every value of an `ID`.
 */
export function invalidDirectiveArguments(typeDefs: DocumentNode): readonly InvalidArgument[] {
  const types = inputTypes(typeDefs);
  const directives = federationArguments(typeDefs);
  for (const { name, arguments: given = [] } of typeDefs.definitions.filter(isDirectiveDefinition))
    directives.set(name.value, given);
  return directivesIn(typeDefs).flatMap(({ name: { value: directive }, arguments: given = [] }) =>
    given.flatMap(({ name, value, loc }): InvalidArgument[] => {
      const type = directives.get(directive)?.find((one) => one.name.value === name.value)?.type;
      if (!type || fits(value, type, types)) return [];
      const message = `a value of "@${directive}(${name.value}:)" is not of its type "${print(type)}"`;
      return [{ message, line: loc?.startToken.line }];
    }),
  );
}

/**
 * Removes null arguments from directives of the federation specification, because the composer rejects them.
 *
 * @returns the given SDL if there are none
 */
export function withoutNullArguments(typeDefs: DocumentNode): DocumentNode {
  const known = federationArguments(typeDefs);
  const isNull = ({ value }: ConstArgumentNode) => value.kind === Kind.NULL;
  const has = ({ name, arguments: given }: ConstDirectiveNode) => known.has(name.value) && given?.some(isNull) === true;
  if (!directivesIn(typeDefs).some(has)) return typeDefs;
  return visit(typeDefs, {
    Directive: (node) => {
      const directive = node as ConstDirectiveNode;
      if (!has(directive)) return undefined;
      return { ...directive, arguments: (directive.arguments ?? []).filter((one) => !isNull(one)) };
    },
  });
}

function federationArguments(typeDefs: DocumentNode): Map<string, readonly InputValueDefinitionNode[]> {
  const { nameOf } = readFederationLink(typeDefs);
  return new Map(FEDERATION_DIRECTIVES.map(({ name, arguments: given = [] }) => [nameOf(name.value), given]));
}

interface DirectivesHolder {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  readonly fields?: readonly DirectivesHolder[] | undefined;
  readonly values?: readonly DirectivesHolder[] | undefined;
  readonly arguments?: readonly DirectivesHolder[] | undefined;
}

/** All applications of directives. graphql-js's `visit` takes many times as long. */
function directivesIn({ definitions }: DocumentNode): readonly ConstDirectiveNode[] {
  const found: ConstDirectiveNode[] = [];
  const collect = (nodes: readonly DirectivesHolder[] = []): void => {
    for (const node of nodes) {
      if (node.directives) found.push(...node.directives);
      collect(node.fields);
      collect(node.values);
      collect(node.arguments);
    }
  };
  collect(definitions as readonly DirectivesHolder[]);
  return found;
}

/** Whether a value fits a type. Custom scalars and unknown types accept any value. */
function fits(value: ConstValueNode, type: TypeNode, types: InputTypes): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return value.kind !== Kind.NULL && fits(value, type.type, types);
  if (value.kind === Kind.NULL) return true;
  if (type.kind === Kind.LIST_TYPE)
    return value.kind === Kind.LIST
      ? value.values.every((one) => fits(one, type.type, types))
      : fits(value, type.type, types);
  const name = type.name.value;
  const kinds = SCALARS.get(name);
  if (kinds) return kinds.includes(value.kind);
  const values = types.enums.get(name);
  if (values) return value.kind === Kind.ENUM && values.has(value.value);
  const fields = types.objects.get(name);
  if (!fields) return true;
  if (value.kind !== Kind.OBJECT) return false;
  const given = new Map(value.fields.map((field) => [field.name.value, field.value]));
  const isRequired = ({ type: own, defaultValue }: InputValueDefinitionNode) =>
    own.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
  return (
    [...given].every(([field, one]) => {
      const own = fields.get(field);
      return own !== undefined && fits(one, own.type, types);
    }) && [...fields.values()].every((field) => !isRequired(field) || given.has(field.name.value))
  );
}

const SCALARS: ReadonlyMap<string, readonly Kind[]> = new Map([
  ['Int', [Kind.INT]],
  ['Float', [Kind.INT, Kind.FLOAT]],
  ['String', [Kind.STRING]],
  ['Boolean', [Kind.BOOLEAN]],
  ['ID', [Kind.STRING, Kind.INT]],
]);

interface InputTypes {
  readonly enums: ReadonlyMap<string, ReadonlySet<string>>;
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, InputValueDefinitionNode>>;
}

function inputTypes(typeDefs: DocumentNode): InputTypes {
  const enums = new Map<string, Set<string>>();
  const objects = new Map<string, Map<string, InputValueDefinitionNode>>();
  for (const type of typeDefs.definitions)
    switch (type.kind) {
      case Kind.ENUM_TYPE_DEFINITION:
      case Kind.ENUM_TYPE_EXTENSION: {
        const values = enums.get(type.name.value) ?? new Set();
        for (const { name } of type.values ?? []) values.add(name.value);
        enums.set(type.name.value, values);
        break;
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      case Kind.INPUT_OBJECT_TYPE_EXTENSION: {
        const fields = objects.get(type.name.value) ?? new Map<string, InputValueDefinitionNode>();
        for (const field of type.fields ?? []) fields.set(field.name.value, field);
        objects.set(type.name.value, fields);
      }
    }
  return { enums, objects };
}

function isDirectiveDefinition(node: { readonly kind: string }): node is DirectiveDefinitionNode {
  return node.kind === Kind.DIRECTIVE_DEFINITION;
}
