import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const TICK_MS = 500;
/** How late the answers of a latent service are. */
export const PROBE_LATENCY_MS = 3_000;
const DRIP_MS = 200;
const MEBIBYTE = Buffer.alloc(2 ** 20, 'x');

const typeDefs = /* GraphQL */ `
  type Query {
    probe: String
  }
  type Subscription {
    tick: Int
  }
`;

/** A GraphQL service with a query, and a subscription that ticks twice a second. It can be made to misbehave. */
export interface ProbeService {
  readonly url: string;
  /** From now on it answers so. Undefined: well. */
  misbehave(way: Misbehaviour | undefined): void;
}

const JSON_HEAD = { 'content-type': 'application/json' };

/** Ways in which a service can fail to answer, by their names. */
export const MISBEHAVIOURS = {
  latent: async (_, response, answer) => {
    await sleep(PROBE_LATENCY_MS);
    response.writeHead(200, JSON_HEAD).end(answer);
  },
  reset: (_, response) => (response.socket as Socket).resetAndDestroy(),
  /** As one whose machine was switched off: the connection stays, and nothing comes. */
  'half-open': () => {},
  dripping: async (_, response, answer) => {
    response.writeHead(200, JSON_HEAD);
    for (const byte of answer) {
      if (response.destroyed) return;
      response.write(byte);
      await sleep(DRIP_MS);
    }
    response.end();
  },
  garbage: (_, response) => (response.socket as Socket).end('\u0000\u0001 no HTTP\r\n\r\n'),
  endless: (_, response) => {
    response.writeHead(200, JSON_HEAD);
    const pour = () => {
      while (!response.destroyed && response.write(MEBIBYTE));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  },
  truncated: (_, response, answer) => {
    response.writeHead(200, { ...JSON_HEAD, 'content-length': String(answer.length + 100) }).write(answer);
    setTimeout(() => response.destroy(), 20);
  },
  'wrong length': (_, response, answer) => {
    (response.socket as Socket).end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n${answer}`,
    );
  },
} satisfies Record<string, (request: IncomingMessage, response: ServerResponse, answer: string) => unknown>;

export type Misbehaviour = keyof typeof MISBEHAVIOURS;

export async function openProbeService(): Promise<ProbeService> {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: { Query: { probe: () => 'well' }, Subscription: { tick: { subscribe: ticks } } },
  });
  let way: Misbehaviour | undefined;
  const server = createServer(async (request, response) => {
    const { query } = JSON.parse(await bodyText(request)) as { query: string };
    const answer = JSON.stringify(await graphql({ schema, source: query }));
    if (way === undefined) response.writeHead(200, JSON_HEAD).end(answer);
    else MISBEHAVIOURS[way](request, response, answer);
  });
  const webSockets = new WebSocketServer({ server });
  useServer({ schema }, webSockets);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    misbehave(next) {
      way = next;
      // Those that hang go on hanging; what they hold is let go of when it is well again.
      if (next === undefined) server.closeAllConnections();
    },
  };
}

async function* ticks() {
  for (let tick = 0; ; tick++) {
    yield { tick };
    await sleep(TICK_MS);
  }
}

async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
