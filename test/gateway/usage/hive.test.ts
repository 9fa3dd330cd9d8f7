import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import type { HiveOperation } from '../../../gateway/operations/usage/hive-operation.ts';
import { HiveReporter, type HiveReporterOptions } from '../../../gateway/operations/usage/hive-reporter.ts';
import { createLogger } from '../../../platform/index.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, reply, serve, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

interface Report {
  readonly size: number;
  readonly map: Record<string, { operation: string; operationName?: string; fields: string[] }>;
  readonly operations?: readonly { operationMapKey: string; timestamp: number; execution: object; metadata?: object }[];
  readonly subscriptionOperations?: readonly object[];
}

const OPERATION: HiveOperation = { key: 'k1', operation: '{a}', operationName: undefined, fields: ['Query.a'] };
const WEB = { name: 'web', version: '1.4' };
const nobody = createLogger('test', 'silent');

describe('a gateway with PORTICO_HIVE_USAGE_ENDPOINT', () => {
  test.each(['true', 'false'])(
    'reports what was run in the documented form, with PORTICO_HIVE_USAGE_GZIP=%s',
    async (gzip) => {
      const registry = await keep(
        serve((_, response) => reply(response, 200, { id: '1', operations: { accepted: 1, rejected: 0 } })),
      );
      // A compressed body is no text.
      const raw: Buffer[] = [];
      registry.server.prependListener('request', (request) => request.on('data', (piece: Buffer) => raw.push(piece)));
      const shop = await keep(
        graphqlUpstream(
          'enum Status { OPEN } type Query { order(id: ID!, note: String): Order } type Order { id: ID! status: Status }',
        ),
      );
      const issuer = await keep(openIssuer());
      const gateway = await keep(
        openGateway({
          issuer,
          metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl } }] },
          environment: {
            PORTICO_HIVE_USAGE_ENDPOINT: `${registry.url}/usage/acme/shop/production`,
            PORTICO_HIVE_USAGE_TOKEN: 'hvo1/planted-token',
            PORTICO_HIVE_USAGE_GZIP: gzip,
          },
        }),
      );
      const query = 'query Order($id: ID!) { canary: order(id: $id, note: "canary") { id status } }';
      const headers = { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.4' };
      for (let i = 0; i < 2; i++)
        await gateway.graphql(query, { token: issuer.token(), variables: { id: 'canary' }, headers });
      await gateway.close();

      const [received] = registry.requests;
      expect(registry.requests).toHaveLength(1);
      expect(received).toMatchObject({
        method: 'POST',
        url: '/usage/acme/shop/production',
        headers: {
          authorization: 'Bearer hvo1/planted-token',
          'content-type': 'application/json',
          'x-usage-api-version': '2',
          'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      });
      expect(received?.headers['content-encoding']).toBe(gzip === 'true' ? 'gzip' : undefined);
      const bytes = Buffer.concat(raw);
      const text = (gzip === 'true' ? gunzipSync(bytes) : bytes).toString();
      expect(text).not.toContain('canary');
      const report = JSON.parse(text) as Report;
      const [key = ''] = Object.keys(report.map);
      const run = {
        operationMapKey: key,
        timestamp: expect.any(Number),
        execution: { ok: true, duration: expect.any(Number), errorsTotal: 0 },
        metadata: { client: { name: 'web', version: '1.4' } },
      };
      expect(report).toEqual({
        size: 2,
        map: {
          [key]: {
            operation: 'query Order($id:ID!){order(id:$id note:""){id status}}',
            operationName: 'Order',
            fields: expect.arrayContaining([
              'Query.order',
              'Query.order.id',
              'Query.order.note',
              'Order.id',
              'Status.OPEN',
            ]),
          },
        },
        operations: [run, run],
      });
      for (const { timestamp, execution } of report.operations ?? []) {
        expect(Math.abs(timestamp - Date.now())).toBeLessThan(600_000);
        expect(Number.isInteger((execution as { duration: number }).duration)).toBe(true);
      }
      expect(gateway.logs()).not.toContain('planted-token');
    },
  );
});

test('an endpoint without a token is refused at the start', async () => {
  const issuer = await keep(openIssuer());
  const starting = openGateway({ issuer, environment: { PORTICO_HIVE_USAGE_ENDPOINT: 'http://127.0.0.1:1/usage' } });
  await expect(starting).rejects.toThrow('PORTICO_HIVE_USAGE_TOKEN is not set');
});

test('an endpoint over plain HTTP on another machine is refused at the start, unless a setting allows what is unsafe', () => {
  const environment = {
    HASURA_GRAPHQL_ADMIN_SECRET: 'planted-admin-secret-of-32-characters',
    PORTICO_HIVE_USAGE_TOKEN: 'planted-token',
  };
  const read = (endpoint: string, more = {}) =>
    readConfig({ ...environment, PORTICO_HIVE_USAGE_ENDPOINT: endpoint, ...more }).usage?.hive?.endpoint;

  for (const endpoint of ['http://registry.test/usage', 'HTTP://127.0.0.1.test/usage', 'http://10.0.0.1/usage'])
    expect(() => read(endpoint)).toThrow('PORTICO_HIVE_USAGE_ENDPOINT: the token would be sent over plain HTTP');
  for (const endpoint of ['https://registry.test/usage', 'http://localhost:1/usage', 'http://[::1]:1/usage'])
    expect(read(endpoint)).toBe(endpoint);
  const unsafe = { PORTICO_UNSAFE_HIVE_USAGE_HTTP: 'true' };
  expect(read('http://registry.test/usage', unsafe)).toBe('http://registry.test/usage');
});

describe('the reporter', () => {
  type Answer = number | Error;
  /** One whose registry gives these answers in turn, the last one again and again. */
  function open(answers: readonly Answer[], options: Partial<HiveReporterOptions> = {}) {
    const reports: Report[] = [];
    const logged: Record<string, unknown>[] = [];
    const log = createLogger('test', 'info', { write: (line) => void logged.push(JSON.parse(line)) });
    const reporter = new HiveReporter({
      endpoint: 'http://registry.test/usage',
      token: 'planted-token',
      samplePercent: 100,
      compress: false,
      intervalMs: 5,
      retryMs: 1,
      log,
      send: async ({ body }) => {
        const answer = answers[Math.min(reports.length, answers.length - 1)] ?? 200;
        reports.push(JSON.parse(body as string));
        if (answer instanceof Error) throw answer;
        return { status: answer };
      },
      ...options,
    });
    return { reporter, reports, events: () => logged.map(({ event }) => event), logged };
  }

  test('tries again when the registry is away, busy or broken, up to four times', async () => {
    const { reporter, reports, events } = open([new Error('away'), 429, 500, 200]);
    reporter.ran(OPERATION, WEB, false, 0, 1);
    await until('it is accepted', () => reports.length === 4);
    await reporter.stop();
    expect(reports).toHaveLength(4);
    expect(new Set(reports.map((report) => JSON.stringify(report))).size).toBe(1);
    expect(events()).toEqual([]);
  });

  test('gives a report up that is refused, says so once, and when it is accepted again', async () => {
    const { reporter, reports, events, logged } = open([400, 401, 200]);
    for (let count = 1; count <= 3; count++) {
      reporter.ran(OPERATION, WEB, false, 2, 1);
      await until('it is sent', () => reports.length === count);
    }
    await reporter.stop();
    expect(events()).toEqual(['usage.report_failed', 'usage.report_recovered']);
    expect(logged).toMatchObject([{ reason: 'status 400', lost: 1 }, { lost: 2 }]);
    expect(JSON.stringify(logged)).not.toContain('planted-token');
    expect(reports[0]?.operations).toMatchObject([{ execution: { ok: false, duration: 1_000_000, errorsTotal: 2 } }]);
  });

  test('keeps a bounded number of runs while the registry does not answer, and blocks no request', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sizes: number[] = [];
    const { reporter, logged } = open([], {
      send: async ({ body }) => {
        sizes.push((JSON.parse(body as string) as Report).size);
        await held;
        return { status: 200 };
      },
    });
    for (let i = 0; i < 1_000; i++) reporter.ran(OPERATION, WEB, false, 0, 1);
    await until('the first report is on its way', () => sizes.length === 1);
    for (let i = 0; i < 50_000; i++) reporter.ran(OPERATION, WEB, false, 0, 1);
    release();
    await reporter.stop();
    expect(sizes).toEqual(Array.from({ length: 11 }, () => 1_000));
    expect(logged).toMatchObject([
      { event: 'usage.report_failed', lost: 40_000 },
      { event: 'usage.report_recovered', lost: 40_000 },
    ]);
  });

  test('keeps no process from stopping when the registry does not answer', async () => {
    const { reporter, reports } = open([200], { send: () => new Promise(() => {}) });
    reporter.ran(OPERATION, WEB, false, 0, 1);
    await reporter.stop();
    expect(reports).toEqual([]);
  });

  test('sends subscriptions apart, and clients without a name without one', async () => {
    const { reporter, reports } = open([200]);
    reporter.subscribed(OPERATION, WEB, false);
    reporter.subscribed(OPERATION, { name: undefined, version: undefined }, false);
    await reporter.stop();
    expect(reports).toEqual([
      {
        size: 2,
        map: { k1: { operation: '{a}', fields: ['Query.a'] } },
        subscriptionOperations: [
          { operationMapKey: 'k1', timestamp: expect.any(Number), metadata: { client: WEB } },
          { operationMapKey: 'k1', timestamp: expect.any(Number) },
        ],
      },
    ]);
  });

  test('reports the share that it is asked for', async () => {
    const { reporter, reports } = open([200], { samplePercent: 20, log: nobody });
    for (let i = 0; i < 10_000; i++) reporter.ran(OPERATION, WEB, false, 0, 1);
    await reporter.stop();
    const sent = reports.reduce((sum, { size }) => sum + size, 0);
    expect(sent).toBeGreaterThan(1_600);
    expect(sent).toBeLessThan(2_400);
  });
});
