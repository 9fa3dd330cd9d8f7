import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse, print } from 'graphql';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import {
  type FederatedGraph,
  type JoinResult,
  responseObject,
  SubgraphFailure,
} from '../../../gateway/planning/joins/index.ts';
import { reply, serve, type TestServer } from '../harness/index.ts';
import { answerOperation } from '../harness/repeated-operations.ts';
import { openFederatedGraph } from './open-federated-graph.ts';
import { sending } from './sending.ts';

type Resolvers = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown }>['resolvers']>;

/** A subgraph of a test: its SDL without the link to the specification, and its resolvers. */
export interface Subgraph {
  readonly sdl: string;
  readonly resolvers?: Resolvers;
  /** An older subgraph, without the link. */
  readonly version?: 1;
}

export interface OperationContext {
  readonly subgraph: string;
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

export interface World {
  readonly graph: FederatedGraph<undefined>;
  readonly supergraphSdl: string;
  readonly schemas: ReadonlyMap<string, GraphQLSchema>;
  /** What subgraphs were asked since `forget`, in the order in which it came. */
  readonly calls: OperationContext[];
  /** How often each subgraph was asked. */
  counts(): Record<string, number>;
  forget(): void;
  /** Subgraphs that are down. */
  readonly down: Set<string>;
  /** Runs an operation as a client would. */
  ask(document: string, variables?: Record<string, unknown>): Promise<ReturnType<typeof responseObject>>;
  run(document: string, variables?: Record<string, unknown>): Promise<JoinResult>;
  close(): Promise<void>;
}

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable",
  "@requires", "@external", "@provides", "@interfaceObject", "@override", "@inaccessible"])\n`;

/** Real servers of subgraphs with the graph that is composed of them. */
export async function federate(subgraphs: Record<string, Subgraph>): Promise<World> {
  const calls: OperationContext[] = [];
  const down = new Set<string>();
  const schemas = new Map<string, GraphQLSchema>();
  const servers = new Map<string, TestServer>();
  const services = [];
  for (const [name, { sdl, resolvers, version }] of Object.entries(subgraphs)) {
    const typeDefs = parse(version === 1 ? sdl : LINK + sdl);
    const schema = buildSubgraphSchema({ typeDefs, resolvers: resolvers ?? {} });
    const server = await serve(async ({ body }, response) => {
      const { query, variables } = body as OperationContext;
      calls.push({ subgraph: name, query, variables: variables ?? {} });
      reply(response, 200, await answerOperation(schema, { query, variables }));
    });
    schemas.set(name, schema);
    servers.set(name, server);
    services.push({ name, sdl: print(typeDefs) });
  }
  const composed = await composeSubgraphs(services);
  if ('problems' in composed) {
    await Promise.all([...servers.values()].map((server) => server.close()));
    throw new Error(composed.problems.map(({ message }) => message).join('\n'));
  }
  const supergraphSdl = composed.supergraph.join('\n\n');
  const send = sending<undefined>(async (subgraph, body) => {
    if (down.has(subgraph)) throw new SubgraphFailure(`${subgraph} is down`, { code: 'down' });
    const url = servers.get(subgraph)?.url ?? '';
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return Buffer.from(await response.arrayBuffer());
  });
  const graph = openFederatedGraph<undefined>(supergraphSdl, send);
  const run = (document: string, variables: Record<string, unknown> = {}) =>
    graph.prepare(document).run(variables, undefined);
  return {
    graph,
    supergraphSdl,
    schemas,
    calls,
    counts: () => {
      const counted: Record<string, number> = {};
      for (const { subgraph } of calls) counted[subgraph] = (counted[subgraph] ?? 0) + 1;
      return counted;
    },
    forget: () => {
      calls.length = 0;
    },
    down,
    ask: async (document, variables) => responseObject(await run(document, variables)),
    run,
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
