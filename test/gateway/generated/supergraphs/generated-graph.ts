import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import {
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isObjectType,
  parse,
  print,
  validate,
  validateSchema,
} from 'graphql';
import { type Composition, compose } from '../../../../gateway/composition/compose.ts';
import { FederatedGraph, responseObject, SubgraphFailure } from '../../../../gateway/federation/index.ts';
import {
  buildPublicSchema,
  overrideLabels,
  parseFieldSet,
  resolveOverrides,
} from '../../../../gateway/supergraph/index.ts';
import { sending } from '../../federation/sending.ts';
import type { Answered } from '../same-answer.ts';
import type { GraphModel } from './graph-model.ts';
import { subgraphSdls } from './model-sdl.ts';
import { givenValues, ModelValues, type Thing, thingOf } from './model-values.ts';

type Resolver = GraphQLFieldResolver<Thing | undefined, unknown>;

/** Subgraphs of a model, composed, without servers. */
export interface GeneratedGraph {
  readonly model: GraphModel;
  readonly values: ModelValues;
  readonly sdls: ReadonlyMap<string, string>;
  readonly supergraphSdl: string;
  /** One schema of everything, which clients see. */
  readonly whole: GraphQLSchema;
  /** Root fields of mutations in the order in which they ran. */
  readonly mutations: string[];
  /** What subgraphs were asked. */
  readonly calls: string[];
  /** Queries that a subgraph refused, and why. */
  readonly refused: string[];
  /** Subgraphs that do not answer. */
  readonly down: Set<string>;
  /** @throws UnplannableOperation */
  plan(text: string, variables: Readonly<Record<string, unknown>>): Promise<Answered>;
}

/**
 * Composes the subgraphs of a model.
 * @param active the labels of overrides that are active
 * @returns why they do not compose, where they do not
 */
export function openGeneratedGraph(model: GraphModel, active: ReadonlySet<string>): GeneratedGraph | string {
  const sdls = subgraphSdls(model);
  const values = new ModelValues(model);
  const mutations: string[] = [];
  const refused: string[] = [];
  const calls: string[] = [];
  const down = new Set<string>();
  const composed: Composition = compose([...sdls].map(([name, sdl]) => ({ name, sdl })));
  if ('problems' in composed) return composed.problems.map(({ code, message }) => `${code}: ${message}`).join('\n');
  const given = parse(composed.supergraph.join('\n\n'), { noLocation: true });
  const supergraph = overrideLabels(given).length > 0 ? resolveOverrides(given, active) : given;
  const supergraphSdl = print(supergraph);
  const schemas = new Map(
    [...sdls].map(([name, sdl]) => [name, subgraphSchema({ model, values, active, mutations }, name, sdl)] as const),
  );
  const run = async (service: string, query: string, variables: Readonly<Record<string, unknown>>) => {
    const schema = schemas.get(service);
    if (!schema) throw new TypeError(`no subgraph ${service}`);
    calls.push(`${service}: ${query} ${JSON.stringify(variables)}`);
    if (down.has(service)) throw new SubgraphFailure(`${service} is down`);
    const document = parse(query);
    const problems = validate(schema, document);
    const result =
      problems.length > 0 ? { errors: problems } : await execute({ schema, document, variableValues: variables });
    if (!('data' in result))
      refused.push(`${service}: ${query} ${JSON.stringify(variables)}: ${String(result.errors)}`);
    return JSON.parse(JSON.stringify(result));
  };
  const send = sending<undefined>(async (service, body) => {
    const { query, variables = {} } = JSON.parse(body);
    return JSON.stringify(await run(service, query, variables));
  });
  const federated = FederatedGraph.of<undefined>(supergraphSdl, send);
  const invalid = validateSchema(buildPublicSchema(supergraph)).map(({ message }) => message);
  if (invalid.length > 0) return `INVALID_SCHEMA: ${invalid[0]}`;
  const whole = wholeSchema(buildPublicSchema(supergraph), { model, values, active, mutations });
  return {
    model,
    values,
    sdls,
    supergraphSdl,
    whole,
    mutations,
    calls,
    refused,
    down,
    plan: async (text, variables) => {
      if (getOperationAST(parse(text))?.operation !== 'subscription')
        return responseObject(await federated.prepare(text).run(variables, undefined));
      const prepared = federated.prepareSubscription(text);
      const { subgraph, body } = prepared.source(variables);
      const source = JSON.parse(body);
      const event = await run(subgraph, source.query, source.variables ?? {});
      return responseObject(await prepared.join(event, variables, undefined));
    },
  };
}

interface GraphScope {
  readonly model: GraphModel;
  readonly values: ModelValues;
  readonly active: ReadonlySet<string>;
  readonly mutations: string[];
}

const ROOT: Thing = { __typename: 'Query', type: 'Query', key: 'root' };
const typeResolver = { __resolveType: ({ __typename }: Thing) => __typename };

/** What clients see, executed by graphql-js alone. */
function wholeSchema(schema: GraphQLSchema, { values, mutations }: GraphScope): GraphQLSchema {
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

function subgraphSchema(scope: GraphScope, graph: string, sdl: string): GraphQLSchema {
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
    const isProvided = thing.provided?.includes(name);
    if (share.external && !isProvided) throw new GraphQLError(`${type}.${name} is external in ${graph}`);
    if (share.override && !isOverriding(share.override))
      throw new GraphQLError(`${type}.${name} is not in ${graph} yet`);
    for (const { override } of field.shares.values())
      if (override?.from === graph && isOverriding(override))
        throw new GraphQLError(`${type}.${name} has left ${graph}`);
    if (share.requires === undefined)
      return asSeen(values.resolve(thing, name, args), field.type, share.provides, objectTypes);
    if (!thing.given) throw new GraphQLError(`${type}.${name} needs a representation`);
    return values.value(thing, name, args, givenValues(thing.given, parseFieldSet(share.requires)));
  });
  for (const type of Object.values(plain.getTypeMap()))
    if (/^[EI]\d/.test(type.name))
      resolvers[type.name] = {
        ...resolvers[type.name],
        __resolveReference: (given: Readonly<Record<string, unknown>>) => {
          const thing = thingOf(type.name, given);
          return isAbstractType(type) ? { ...thing, __typename: thing.type } : thing;
        },
      };
  return buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
}

/** The objects of a value as a subgraph has them. */
function asSeen(value: unknown, type: string, provides: string | undefined, objectTypes: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => asSeen(item, type, provides, objectTypes));
  if (typeof value !== 'object' || value === null || !('key' in value)) return value;
  const thing = value as Thing;
  const objectType = objectTypes.find((name) => type.replace(/[[\]!]/g, '') === name);
  const provided = (
    provides?.includes('...') ? provides.split('... on ').find((text) => text.startsWith(`${thing.type} `)) : provides
  )?.match(/\w+/g);
  return { ...thing, ...(objectType && { __typename: objectType }), ...(provided && { provided }) };
}
