import { setTimeout } from 'node:timers/promises';
import { type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { createSession } from '../../../gateway/access/session/index.ts';
import { compose } from '../../../gateway/planning/composition/compose.ts';
import { readComposed, readSupergraph, type SubgraphSdl } from '../../../gateway/planning/composition/index.ts';
import type { SupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';
import { federatedSource } from '../../../gateway/sources/federation/federated-source.ts';
import { WHOLE_SUPERGRAPH } from '../../../gateway/sources/federation/federation-permissions.ts';
import type { OperationAnswer, OperationContext, Subschema } from '../../../gateway/sources/index.ts';
import { openResilientClient } from '../../../gateway/sources/index.ts';
import { remoteTarget } from '../../../gateway/sources/remote-schema/index.ts';
import { DEFAULT_RESILIENCE, PassthroughBody } from '../../../gateway/upstream/index.ts';
import { Cancellation, createLogger } from '../../../platform/index.ts';
import type { Answered } from '../generated/same-answer.ts';
import { connectInProcess, type InProcessServices, type Service, type ServiceCall } from './in-process-services.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** How an operation was answered. Without `data` it was rejected as a whole, and no service was asked. */
export interface EngineResult extends Answered {
  readonly calls: readonly ServiceCall[];
  /** How many times services had to be waited for. */
  readonly waves: number;
}

/** What answers operations over several services. Operations run one after the other. */
export interface Engine {
  /** What clients see. */
  readonly schema: GraphQLSchema;
  /** What operations are planned by. */
  readonly types: SupergraphTypes;
  /** @throws NotAnswered */
  run(text: string, variables?: Variables, cancellation?: Cancellation): Promise<EngineResult>;
  close(): void;
}

/** What an engine is opened over: a supergraph that was composed elsewhere, or subgraphs that the gateway composes. */
export type EngineGraph = { readonly supergraphSdl: string } | { readonly subgraphs: readonly SubgraphSdl[] };

export interface EngineOptions {
  /** The labels of overrides that are active. */
  readonly labels?: ReadonlySet<string>;
}

export type OpenEngine = (
  graph: EngineGraph,
  services: ReadonlyMap<string, Service>,
  options?: EngineOptions,
) => Promise<Engine>;

/** Subgraphs that do not compose, with the problems. */
export class NotComposed extends Error {
  constructor(readonly problems: readonly { readonly code: string; readonly message: string }[]) {
    super(problems.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    this.name = 'NotComposed';
  }
}

/** An operation was not answered though no service was called any more. */
export class NotAnswered extends Error {
  constructor(text: string) {
    super(`nothing happens any more, and there is no answer: ${text}`);
    this.name = 'NotAnswered';
  }
}

/** The shortest time between two looks at an operation that is not answered yet. */
const LOOK_MS = 20;
/** An operation that waits for no service at so many of them waits for ever. The event loop turns between two of them, however busy. */
const MOST_LOOKS = 50;
/** A service answers at once here. */
const TIMEOUT_MS = 600_000;

/** What the gateway answers operations with: a federated source, as its metadata opens it, with its real clients. */
export const openProductEngine: OpenEngine = async (graph, services, { labels = new Set() } = {}) => {
  const supergraph = await supergraphOf(graph);
  const wires = connectInProcess(services);
  const targets = new Map(supergraph.subgraphs.map(({ name }) => [name, targetOf(name, wires)]));
  const source = await federatedSource({
    name: 'federation',
    members: [...targets.keys()],
    supergraph,
    targets,
    permissions: { partFor: () => WHOLE_SUPERGRAPH },
    customization: undefined,
    overrides: Object.fromEntries(supergraph.labels.map((label) => [label, labels.has(label)])),
    publicRole: 'anonymous',
    sdl: new Map(),
  });
  const subschema = source.subschemaFor('admin');
  if (!subschema) throw new TypeError('the admin sees everything');
  return {
    schema: supergraph.schema,
    types: supergraph.types,
    run: async (text, variables = {}, cancellation = new Cancellation()) => {
      wires.forget();
      const answer = await answerOf(subschema, text, variables, wires, cancellation);
      const calls = [...wires.calls];
      return { ...answer, calls, waves: Math.max(0, ...calls.map(({ wave }) => wave)) };
    },
    close: () => source.setActive?.(false),
  };
};

async function supergraphOf(graph: EngineGraph) {
  if ('supergraphSdl' in graph) return readSupergraph(graph.supergraphSdl);
  const composed = compose(graph.subgraphs);
  if ('problems' in composed) throw new NotComposed(composed.problems);
  return readComposed(composed, false);
}

function targetOf(name: string, wires: InProcessServices) {
  const resilience = { ...DEFAULT_RESILIENCE, retries: { limit: 0, budgetPercent: 0, backoffMs: 0 } };
  const settings = { http: wires.connections, resilience: { ...resilience, circuitBreaker: undefined } };
  return remoteTarget({
    name,
    url: wires.urlOf(name),
    timeoutMs: TIMEOUT_MS,
    headers: {},
    forwardHeaders: undefined,
    assertion: undefined,
    http: openResilientClient(name, 'remote-schema', undefined, settings),
    connections: wires.connections,
    events: { protocol: 'graphql-transport-ws', url: wires.urlOf(name) },
  });
}

function operationOf(text: string) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new TypeError('not a single operation');
  return { document, operation };
}

async function answerOf(
  subschema: Subschema,
  text: string,
  variables: Variables,
  wires: InProcessServices,
  cancellation: Cancellation,
): Promise<Answered> {
  const context = contextOf(text, cancellation);
  const whole = operationOf(text);
  const compiled = subschema.compile?.(whole);
  if (!compiled) throw new TypeError(`not compiled: ${text}`);
  const running = new Promise<OperationAnswer>((resolve) => compiled.run(variables, context, resolve));
  const answer = await unlessStuck(running, text, wires);
  if (answer instanceof PassthroughBody) return JSON.parse(Buffer.concat(answer.chunks).toString());
  return JSON.parse(JSON.stringify(answer));
}

/** @throws NotAnswered */
async function unlessStuck<T>(running: Promise<T>, text: string, wires: InProcessServices): Promise<T> {
  let isOver = false;
  const stuck = async (): Promise<never> => {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      await setTimeout(LOOK_MS);
      if (isOver) return new Promise(() => {});
      if (wires.unanswered() > 0) looks = 0;
    }
    throw new NotAnswered(text);
  };
  try {
    return await Promise.race([running, stuck()]);
  } finally {
    isOver = true;
  }
}

function contextOf(query: string, cancellation: Cancellation): OperationContext {
  return {
    session: createSession('admin', {}),
    requestId: 'test',
    clientAddress: '127.0.0.1',
    clientHeaders: {},
    query,
    cancellation,
    log: createLogger('test', 'silent', { write: () => {} }),
    http: { headers: {}, cookies: [] },
  };
}
