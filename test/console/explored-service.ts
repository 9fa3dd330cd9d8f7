import type { ServerResponse } from 'node:http';
import { type GraphqlUpstream, graphqlUpstream } from '../gateway/harness/index.ts';

const TYPES = /* GraphQL */ `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  scalar Upload
  type Query {
    weather: Weather
  }
  type Mutation {
    store(file: Upload!): String
  }
  type Subscription {
    ticks: Int
  }
  type Weather {
    now: String
    forecast: String
  }
`;

/** A service with what the demo's services lack: a subscription of two events, deferred fields, and uploads. */
export async function exploredService(): Promise<GraphqlUpstream> {
  const service = await graphqlUpstream(TYPES, { Query: { weather: () => ({ now: 'sun', forecast: 'rain' }) } });
  service.instead = ({ headers, body, text }, response) => {
    if (headers['content-type']?.startsWith('multipart/')) {
      const [, content = ''] = /filename="note\.txt"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(text) ?? [];
      sendJson(response, { data: { store: content.toUpperCase() } });
    } else if ((body as { query: string }).query.includes('ticks')) sendTicks(response);
    else if ((body as { query: string }).query.includes('@defer')) sendParts(response);
    else sendJson(response, { data: { weather: { now: 'sun' } } });
  };
  return service;
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendTicks(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const ticks of [1, 2]) response.write(`event: next\ndata: ${JSON.stringify({ data: { ticks } })}\n\n`);
  response.end('event: complete\ndata:\n\n');
}

function sendParts(response: ServerResponse): void {
  const part = (payload: unknown) => `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(payload)}\r\n---`;
  response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' });
  response.write(`\r\n---${part({ data: { weather: { now: 'sun' } }, hasNext: true })}`);
  response.end(`${part({ incremental: [{ path: ['weather'], data: { forecast: 'rain' } }], hasNext: false })}--\r\n`);
}
