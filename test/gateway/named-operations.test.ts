import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openFaultPlatform } from '../fault/platform.ts';
import { servedMetrics } from '../metrics-page.ts';
import { bearer, freePort, keeper, send, serve } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const SAVED = 'query FindSound { sound }';
let platform: Awaited<ReturnType<typeof openFaultPlatform>>;
let metricsUrl: string;

beforeAll(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  // A service behind the gateway may answer with any status, and let its callers choose it.
  const shop = await keep(
    serve((_, response, request) => response.writeHead(Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 200)).end()),
  );
  const metadata = {
    'services.yaml': [{ name: 'shop', path: '/api/shop', url: shop.url }],
    'query_collections.yaml': [
      {
        name: 'saved',
        definition: {
          queries: [
            { name: 'find', query: SAVED },
            { name: 'without-name', query: '{ sound ill }' },
          ],
        },
      },
    ],
    'rest_endpoints.yaml': [
      {
        name: 'sound',
        url: 'sounds',
        methods: ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'find' } },
      },
    ],
  };
  const environment = {
    PORTICO_METRICS_PORT: String(port),
    PORTICO_METRICS_CLIENTS: 'web, ios',
    PORTICO_METRICS_TENANTS: '1',
    HASURA_GRAPHQL_LOG_LEVEL: 'error',
  };
  platform = await keep(openFaultPlatform({}, { metadata, environment }));
});

/** Values by their name with labels. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const { text } = await send(metricsUrl);
  return new Map([...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}

const named = (labels: string) => `portico_named_operations_total{${labels}}`;

describe('an operator', () => {
  test('sees operations of the metadata by their names, listed clients and listed tenants', async () => {
    await platform.ask(SAVED, { headers: { 'apollographql-client-name': 'web' } });
    await platform.ask('query   FindSound {\n  sound # the same\n}', { headers: { 'graphql-client-name': 'ios' } });
    await platform.ask('{ sound ill }');
    const rest = await send(`${platform.gateway.url}/api/rest/sounds`, { headers: bearer(platform.token) });
    expect(rest.status).toBe(200);
    const values = await metrics();
    const of = (operation: string, client: string) =>
      values.get(named(`operation="${operation}",type="query",outcome="success",client="${client}",tenant="1"`));
    expect(of('FindSound', 'web')).toBe(1);
    expect(of('FindSound', 'ios')).toBe(1);
    expect(of('FindSound', 'none')).toBe(1);
    expect(of('without-name', 'none')).toBe(1);
    expect(values.get('portico_named_operation_duration_seconds_count{operation="FindSound"}')).toBe(3);
    const route = 'http_route="/api/rest/sounds",http_response_status_code="200"';
    expect(values.get(`http_server_request_duration_seconds_count{http_request_method="GET",${route}}`)).toBe(1);
  });

  test('sees an operation that only has a known name as another one', async () => {
    const other = named('operation="other",type="query",outcome="success",client="none",tenant="1"');
    const before = (await metrics()).get(other) ?? 0;
    await platform.ask('query FindSound { also: sound }');
    expect((await metrics()).get(other)).toBe(before + 1);
  });
});

/** Sends requests over one connection, one after another, and waits for all responses: the last one ends it. */
function pipeline(port: number, requests: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('error', reject).on('close', () => resolve());
    socket.resume();
    socket.write(`${requests.join('')}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  });
}

/** Requests of each kind at a time. */
const BATCH = 20;

describe('a client', () => {
  test('adds no series with what it makes up', async () => {
    const port = Number(new URL(platform.gateway.url).port);
    const post = (body: object, more = '') => {
      const text = JSON.stringify(body);
      return `POST /v1/graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${platform.token}\r\ncontent-type: application/json\r\n${more}content-length: ${text.length}\r\n\r\n${text}`;
    };
    const attack = async (count: number, from: number) => {
      for (let i = from; i < from + count; i += BATCH) {
        const numbers = Array.from({ length: BATCH }, (_, index) => i + index);
        await Promise.all([
          pipeline(
            port,
            numbers.map((n) => post({ query: `query Op${n} { sound }` })),
          ),
          pipeline(
            port,
            numbers.map((n) =>
              post(
                { query: SAVED },
                `apollographql-client-name: client-${n}\r\napollographql-client-version: ${n}\r\n`,
              ),
            ),
          ),
          pipeline(
            port,
            numbers.map((n) => `GET /made/up/${n}?n=${n} HTTP/1.1\r\nhost: x\r\n\r\n`),
          ),
          pipeline(
            port,
            numbers.map((n) => `GET /api/rest/made-up/${n} HTTP/1.1\r\nhost: x\r\nx-hasura-role: role-${n}\r\n\r\n`),
          ),
          pipeline(
            port,
            numbers.map((n) => `PROPFIND /v1/graphql HTTP/1.1\r\nhost: host-${n}\r\n\r\n`),
          ),
          pipeline(
            port,
            numbers.map(
              (n) =>
                `GET /api/shop/${n}/${230 + (n % 60)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${platform.token}\r\n\r\n`,
            ),
          ),
          ...numbers.slice(0, 5).map((n) => pipeline(port, [`FOO${n} /v1/graphql HTTP/1.1\r\nhost: x\r\n\r\n`])),
        ]);
      }
    };
    await attack(BATCH, 0);
    // Those of the process come and go, as parts of its heap do; and under load a call of a service may fail.
    const isOfRequests = (name: string) => !/^(?:nodejs|v8js|process)_|error_type=|outcome="errors"/.test(name);
    const series = async () => [...(await metrics()).keys()].filter(isOfRequests).sort();
    const before = await series();
    await attack(5 * BATCH, 1_000);
    expect(await series()).toEqual(before);
    const { text } = await send(metricsUrl);
    const shop = 'http_request_method="GET",http_route="/api/shop",http_response_status_code="other"';
    expect(text).toContain(`http_server_request_duration_seconds_count{${shop}} ${6 * BATCH}`);
    expect(text).not.toMatch(/client-\d|Op\d|made-up|FOO|PROPFIND|role-\d|host-\d/);
    expect(servedMetrics(text).length).toBeGreaterThan(50);
  });
});
