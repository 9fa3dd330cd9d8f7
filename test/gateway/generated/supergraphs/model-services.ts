import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import {
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  parse,
  type SelectionNode,
  validate,
} from 'graphql';
import { parseFieldSet } from '../../../../gateway/planning/supergraph/index.ts';
import { type GraphModel, innermost, type KeyName } from './graph-model.ts';
import { subgraphSdls } from './model-sdl.ts';
import { FAULT, givenValues, ModelValues, ROOT, selectedOf, type Thing, thingOf } from './model-values.ts';

type Resolver = GraphQLFieldResolver<Thing | undefined, unknown>;

/** The subgraphs of a model, in this process. They reject what a gateway must not send. */
export interface ModelServices {
  readonly model: GraphModel;
  readonly values: ModelValues;
  readonly sdls: ReadonlyMap<string, string>;
  /** Root fields of mutations in the order in which they ran. */
  readonly mutations: string[];
  /** What subgraphs were asked. */
  readonly calls: string[];
  /** What subgraphs rejected, and why. */
  readonly refused: string[];
  /** Answers a GraphQL request to a subgraph. */
  answer(service: string, query: string, variables: Readonly<Record<string, unknown>>): Promise<ExecutionResult>;
  /** What clients see, executed by graphql-js alone. */
  wholeSchema(publicSchema: GraphQLSchema): GraphQLSchema;
}

interface Scope {
  readonly model: GraphModel;
  readonly values: ModelValues;
  readonly active: ReadonlySet<string>;
  readonly mutations: string[];
}

/** @param active the labels of overrides that are active */
export function openModelServices(model: GraphModel, active: ReadonlySet<string>): ModelServices {
  const values = new ModelValues(model);
  const mutations: string[] = [];
  const calls: string[] = [];
  const refused: string[] = [];
  const scope: Scope = { model, values, active, mutations };
  const sdls = subgraphSdls(model);
  const schemas = new Map<string, GraphQLSchema>();
  const schemaOf = (service: string) => {
    const sdl = sdls.get(service);
    if (sdl === undefined) throw new TypeError(`no subgraph ${service}`);
    const schema = schemas.get(service) ?? subgraphSchema(scope, service, sdl);
    schemas.set(service, schema);
    return schema;
  };
  return {
    model,
    values,
    sdls,
    mutations,
    calls,
    refused,
    answer: async (service, query, variables) => {
      const asked = `${service}: ${query} ${JSON.stringify(variables)}`;
      calls.push(asked);
      const schema = schemaOf(service);
      const document = parse(query);
      const problems = validate(schema, document);
      const result =
        problems.length > 0 ? { errors: problems } : await execute({ schema, document, variableValues: variables });
      const rejections = (result.errors ?? []).filter((error) => !isOfModel(error));
      if (rejections.length > 0) refused.push(`${asked}: ${rejections.map(({ message }) => message).join('; ')}`);
      return JSON.parse(JSON.stringify(result));
    },
    wholeSchema: (publicSchema) => wholeSchema(publicSchema, scope),
  };
}

/** Whether an error is one of the data, so that no caller could have avoided it. */
function isOfModel({ extensions, message }: GraphQLError): boolean {
  return extensions.code === FAULT || message.startsWith('Cannot return null for non-nullable field');
}

const typeResolver = { __resolveType: ({ __typename }: Thing) => __typename };

function wholeSchema(schema: GraphQLSchema, { values, mutations }: Scope): GraphQLSchema {
  const resolvers = resolversFor(schema, (type, name) => (parent, args) => {
    if (type === 'Mutation') mutations.push(`${name} ${JSON.stringify(args)}`);
    return values.resolve(parent ?? { ...ROOT, type, __typename: type }, name, args);
  });
  return addResolversToSchema({ schema, resolvers: resolvers as never });
}

function resolversFor(schema: GraphQLSchema, resolverOf: (type: string, field: string) => Resolver) {
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('_')) continue;
    if (isAbstractType(type)) resolvers[type.name] = typeResolver;
    else if (isObjectType(type))
      resolvers[type.name] = Object.fromEntries(
        Object.keys(type.getFields())
          .filter((name) => !name.startsWith('_'))
          .map((name) => [name, resolverOf(type.name, name)]),
      );
  }
  return resolvers;
}

function subgraphSchema(scope: Scope, graph: string, sdl: string): GraphQLSchema {
  const { model, values, active, mutations } = scope;
  const typeDefs = parse(sdl);
  const plain = buildSubgraphSchema({ typeDefs });
  const objectTypes = model.interfaces.flatMap(({ name, objectGraph }) => (objectGraph === graph ? [name] : []));
  const resolvers = resolversFor(plain, (type, name) => (parent, args) => {
    if (type === 'Mutation') mutations.push(`${name} ${JSON.stringify(args)}`);
    const thing = parent ?? { ...ROOT, type, __typename: type };
    const field = values.fieldOf(type, name)?.field;
    const share = field?.shares.get(graph);
    if (!field || !share) return values.resolve(thing, name, args);
    const isOverriding = ({ label }: { label?: string }) => label === undefined || active.has(label);
    const provided = thing.provided?.get(name);
    if (share.external && !provided) throw new GraphQLError(`${type}.${name} is external in ${graph}`);
    if (share.override && !isOverriding(share.override))
      throw new GraphQLError(`${type}.${name} is not in ${graph} yet`);
    for (const { override } of field.shares.values())
      if (override?.from === graph && isOverriding(override))
        throw new GraphQLError(`${type}.${name} has left ${graph}`);
    if (share.requires === undefined)
      return asSeen(
        values.resolve(thing, name, args),
        innermost(field.type),
        [...(provided ?? []), ...(share.provides === undefined ? [] : parseFieldSet(share.provides))],
        objectTypes,
      );
    if (!thing.given) throw new GraphQLError(`${type}.${name} needs a representation`);
    const required = parseFieldSet(share.requires);
    const given = givenValues(thing.given, required);
    const truth = values.required(thing, required);
    if (JSON.stringify(given) !== JSON.stringify(truth))
      throw new GraphQLError(
        `${type}.${name} got ${JSON.stringify(given)} for what it requires, which is ${JSON.stringify(truth)}`,
      );
    return values.value(thing, name, args, given);
  });
  for (const type of Object.values(plain.getTypeMap()))
    if (/^([EI]\d|Owner)/.test(type.name))
      resolvers[type.name] = {
        ...resolvers[type.name],
        __resolveReference: (given: Readonly<Record<string, unknown>>) => {
          const thing = thingOf(type.name, given, keysIn(model, graph, type.name));
          return isAbstractType(type) ? { ...thing, __typename: thing.type } : thing;
        },
      };
  return buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
}

/** The keys by which a subgraph finds objects of a type. */
function keysIn({ objects, interfaces }: GraphModel, graph: string, type: string): readonly KeyName[] {
  const keys = objects.find(({ name }) => name === type)?.graphs.get(graph);
  if (keys) return keys.filter(({ isResolvable }) => isResolvable).map(({ fields }) => fields);
  return interfaces.some(({ name }) => name === type) ? ['id'] : [];
}

/**
 * The objects of a value as a subgraph has them.
 * @param provided the field set that the field provides of them
 */
function asSeen(
  value: unknown,
  named: string,
  provided: readonly SelectionNode[],
  objectTypes: readonly string[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => asSeen(item, named, provided, objectTypes));
  if (typeof value !== 'object' || value === null || !('key' in value)) return value;
  const thing = value as Thing;
  const objectType = objectTypes.find((name) => name === named);
  const own = new Map(
    selectedOf(provided, thing.type).map(({ name, selectionSet }) => [name.value, selectionSet?.selections ?? []]),
  );
  return { ...thing, ...(objectType && { __typename: objectType }), ...(own.size > 0 && { provided: own }) };
}
