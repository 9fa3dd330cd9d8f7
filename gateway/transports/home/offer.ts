import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
} from 'graphql';
import { NO_QUERIES_FIELD } from '../../graph/index.ts';

/** An operation or a REST endpoint that the page names. */
export interface Offered {
  readonly name: string;
  /** The first sentence or line of its description. */
  readonly description: string;
  /** Whether callers without a token may use it. */
  readonly isPublic: boolean;
}

/** What a role may call. */
export interface Offer {
  readonly queries: readonly Offered[];
  readonly mutations: readonly Offered[];
  readonly subscriptions: readonly Offered[];
  readonly endpoints: readonly Offered[];
  /** A query that the role can run without variables. */
  readonly exampleQuery: string;
}

/** What introspection and the OpenAPI document show a role. */
export interface VisibleApi {
  /** Undefined if the role may not introspect, or has no valid graph. */
  readonly schema: GraphQLSchema | undefined;
  /** By path and method, as in OpenAPI. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Fields selected by the example. */
const EXAMPLE_FIELDS = 4;

/** Lists what a role sees, and marks what callers without a token see too. Both are given as introspection shows them. */
export function offerOf(role: VisibleApi, publicApi: VisibleApi): Offer {
  const fieldsOf = (operation: OperationTypeNode) => {
    const known = publicApi.schema?.getRootType(operation)?.getFields() ?? {};
    return rootFields(role.schema?.getRootType(operation)).map(({ name, description }) => ({
      name,
      description: firstLine(description ?? ''),
      isPublic: Object.hasOwn(known, name),
    }));
  };
  return {
    queries: fieldsOf(OperationTypeNode.QUERY),
    mutations: fieldsOf(OperationTypeNode.MUTATION),
    subscriptions: fieldsOf(OperationTypeNode.SUBSCRIPTION),
    endpoints: Object.entries(role.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        description: firstLine(descriptionIn(operation)),
        isPublic: publicApi.paths[path]?.[method] !== undefined,
      })),
    ),
    exampleQuery: exampleQuery(role.schema),
  };
}

type Field = GraphQLField<unknown, unknown>;

function rootFields(type: GraphQLObjectType | null | undefined): readonly Field[] {
  return Object.values(type?.getFields() ?? {}).filter(({ name }) => name !== NO_QUERIES_FIELD);
}

/** Prefers lists of objects to objects, objects to single values, and among these fields with a description. */
function exampleQuery(schema: GraphQLSchema | undefined): string {
  const callable = rootFields(schema?.getQueryType()).filter(
    ({ args, deprecationReason }) => !args.some(isRequiredArgument) && deprecationReason == null,
  );
  const selections = callable.flatMap((field) => {
    const type = getNamedType(field.type);
    const isDescribed = (field.description ?? '') !== '';
    if (isLeafType(type)) return [{ text: field.name, rank: 4 + Number(!isDescribed) }];
    if (!isObjectType(type)) return [];
    const leaves = Object.values(type.getFields()).filter(
      ({ args, type: leaf }) => !args.some(isRequiredArgument) && isLeafType(getNamedType(leaf)),
    );
    if (leaves.length === 0) return [];
    const names = leaves.slice(0, EXAMPLE_FIELDS).map(({ name }) => name);
    const rank = (isListType(getNullableType(field.type)) ? 0 : 2) + Number(!isDescribed);
    return [{ text: `${field.name} { ${names.join(' ')} }`, rank }];
  });
  const [best] = selections.sort((one, other) => one.rank - other.rank);
  return `{ ${best?.text ?? '__typename'} }`;
}

/** Without the GraphQL operation that OpenAPI descriptions end with. */
function descriptionIn(operation: unknown): string {
  const { description } = operation as { readonly description?: unknown };
  return typeof description === 'string' ? (description.split('***')[0] ?? '') : '';
}

const MAX_DESCRIPTION = 140;

function firstLine(text: string): string {
  const line = /^[^\n]*?[.!?](?=\s|$)|^[^\n]*/.exec(text.trim())?.[0] ?? '';
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
}
