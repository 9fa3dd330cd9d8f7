import {
  buildASTSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  typeFromAST,
} from 'graphql';
import type { ActionMetadata, Metadata } from '../../metadata/index.ts';

/** An action, as its handler sees it. */
export interface HandledAction {
  readonly name: string;
  readonly description: string | undefined;
  readonly isAsynchronous: boolean;
  readonly arguments: readonly GraphQLArgument[];
  readonly output: GraphQLOutputType;
  /** The environment variable with the action's own secret for signatures. */
  readonly secretVariable: string | undefined;
  /** Whether the handler receives the caller's `Authorization` header. */
  readonly receivesToken: boolean;
  /** Why a handler of the usual form cannot serve the action. Undefined if it can. */
  readonly otherForm: string | undefined;
}

/** A JSON type for the values of a custom scalar. */
export type ScalarJson = 'string' | 'number' | 'boolean' | 'unknown';

export const SCALAR_JSON: readonly ScalarJson[] = ['string', 'number', 'boolean', 'unknown'];

/** Everything that generated code depends on. All lists are in alphabetical order. */
export interface HandlerModel {
  readonly actions: readonly HandledAction[];
  /** The types that actions use, without the scalars of GraphQL itself. */
  readonly types: readonly GraphQLNamedType[];
  /** Returns the object types that an interface or a union may be. */
  possibleTypes(type: GraphQLNamedType): readonly GraphQLObjectType[];
  /** Returns the interfaces and unions that have an object type as a member. */
  abstractTypes(type: GraphQLObjectType): readonly GraphQLNamedType[];
  /** Returns the JSON type of a scalar, of GraphQL itself or a custom one. */
  scalarJson(name: string): ScalarJson;
}

const SPECIFIED_SCALARS: ReadonlyMap<string, ScalarJson> = new Map([
  ['String', 'string'],
  ['ID', 'string'],
  ['Int', 'number'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
]);

/** Custom scalars that are texts in JSON, by their lower-case names. Any other scalar may be anything. */
const TEXT_SCALARS: ReadonlySet<string> = new Set(
  (
    'bpchar bytea char character cidr citext date datetime email emailaddress inet interval macaddr macaddr8 name text ' +
    'time timestamp timestamptz timetz url uri uuid varchar xml'
  ).split(' '),
);

/**
 * Reads the actions of metadata for generated code.
 *
 * @param scalars the JSON types of custom scalars by name. The default is text for scalars that are known to be texts.
 */
export function handlerModel(metadata: Metadata, scalars: ReadonlyMap<string, ScalarJson> = new Map()): HandlerModel {
  const { document, asyncOutputs, queries } = metadata.actionTypes;
  const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  const actions = metadata.actions.actions.flatMap((action): readonly HandledAction[] => {
    // A handler of saved operations needs no code.
    if (typeof action.definition.handler !== 'string') return [];
    const field = rootOf(action, queries.has(action.name), schema)?.getFields()[action.name];
    if (!field) return [];
    const output = asyncOutputs.get(action.name);
    return [
      {
        name: action.name,
        description: field.description ?? undefined,
        isAsynchronous: output !== undefined,
        arguments: inOrder(field.args),
        output: output ? (typeFromAST(schema, output) as GraphQLOutputType) : field.type,
        secretVariable: action.definition.webhook_signature?.secret_from_env,
        receivesToken: receivesToken(action),
        otherForm: otherForm(action),
      },
    ];
  });
  const types = usedTypes(actions, schema);
  const possibleTypes = (type: GraphQLNamedType) =>
    isAbstractType(type) ? inOrder(schema.getPossibleTypes(type)) : [];
  return {
    actions: inOrder(actions),
    types,
    possibleTypes,
    abstractTypes: (type) => types.filter((one) => isAbstractType(one) && schema.isSubType(one, type)),
    scalarJson: (name) =>
      SPECIFIED_SCALARS.get(name) ?? scalars.get(name) ?? (TEXT_SCALARS.has(name.toLowerCase()) ? 'string' : 'unknown'),
  };
}

/** Returns the names of the custom scalars that actions use. */
export function customScalars({ types }: HandlerModel): readonly string[] {
  return types.filter(isScalarType).map(({ name }) => name);
}

function inOrder<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

const AUTHORIZATION = 'authorization';

function receivesToken({ definition }: ActionMetadata): boolean {
  const { forward_client_headers, ignored_client_headers = [], headers, kind, job } = definition;
  if (!forward_client_headers || ignored_client_headers.some((name) => name.toLowerCase() === AUTHORIZATION))
    return false;
  if (headers?.some(({ name }) => name.toLowerCase() === AUTHORIZATION)) return false;
  return kind !== 'asynchronous' || job?.keep_credentials?.includes(AUTHORIZATION) === true;
}

function rootOf({ definition }: ActionMetadata, isQuery: boolean, schema: GraphQLSchema) {
  if (definition.kind === 'subscription') return schema.getSubscriptionType();
  return isQuery ? schema.getQueryType() : schema.getMutationType();
}

function otherForm(action: ActionMetadata): string | undefined {
  const { kind, field } = action.definition;
  if (isTransformed(action)) return 'transforms change the form of its requests or responses';
  if (kind === 'subscription') return 'the handler of a subscription responds with a stream';
  return field?.batch ? 'its handler gets many objects in one call' : undefined;
}

/** Whether transforms change the form of requests or responses. */
function isTransformed({ definition }: ActionMetadata): boolean {
  const { request_transform: request, response_transform: response } = definition;
  const isOtherRequest = request && (request.body || (request.method ?? 'POST') !== 'POST' || request.content_type);
  return Boolean(isOtherRequest) || Boolean(response?.body);
}

function usedTypes(actions: readonly HandledAction[], schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const used = new Set<GraphQLNamedType>();
  const waiting: GraphQLType[] = actions.flatMap((action) => [
    action.output,
    ...action.arguments.map(({ type }) => type),
  ]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const type = getNamedType(next);
    if (used.has(type) || (isScalarType(type) && isSpecifiedScalarType(type))) continue;
    used.add(type);
    if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
      waiting.push(...Object.values(type.getFields()).map((field) => field.type));
    if (isAbstractType(type)) waiting.push(...schema.getPossibleTypes(type));
  }
  return inOrder([...used]);
}
