import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import { readUsage } from '../../../gateway/operations/usage/read-usage.ts';
import { UsageExporter } from '../../../gateway/operations/usage/usage-exporter.ts';
import { type OperationDescription, UsageTable } from '../../../gateway/operations/usage/usage-table.ts';
import { createLogger, openLogsExport } from '../../../platform/index.ts';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const collector = await keep(openOtlpReceiver());
afterEach(() => {
  collector.clear();
  collector.answerWith({ kind: 'accept' });
});

const USES = 'portico.usage.uses';
const OPERATION = 'portico.usage.operation';

/** Reads what a collector has written to a file, as `portico usage` does. */
function merged(lines: readonly string[]) {
  const path = join(tmpdir(), `portico-otlp-usage-${process.pid}.json`);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  try {
    return readUsage([path]);
  } finally {
    rmSync(path);
  }
}

test('a gateway exports what clients used, and portico usage merges what a collector has written of it', async () => {
  const shop = await keep(
    graphqlUpstream('type Query { order(id: ID!, note: String): Order } type Order { id: ID! item: String }'),
  );
  const issuer = await keep(openIssuer());
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl } }] },
      environment: {
        PORTICO_USAGE_OTLP: 'true',
        PORTICO_USAGE_INTERVAL_SECONDS: '1',
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`,
        OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-key=planted-key',
        OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: 'gzip',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    }),
  );
  const query = 'query Order($id: ID!) { canary: order(id: $id, note: "canary") { id } }';
  const headers = { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.4' };
  const ask = () => gateway.graphql(query, { token: issuer.token(), variables: { id: 'canary' }, headers });
  await ask();
  await ask();
  await until('it is exported', () => collector.logRecords.some(({ event }) => event === USES));
  await ask();
  await gateway.close();

  expect(collector.problems).toEqual([]);
  expect(collector.exports[0]?.headers).toMatchObject({ 'x-key': 'planted-key', 'content-encoding': 'gzip' });
  expect(JSON.stringify(collector.logLines)).not.toContain('canary');
  expect(gateway.logs()).not.toContain('planted-key');
  const uses = collector.logRecords.filter(({ event }) => event === USES);
  expect(uses.reduce((sum, { attributes }) => sum + Number(attributes['portico.usage.count']), 0)).toBe(3);
  expect(uses[0]).toMatchObject({
    resource: { 'service.name': 'portico-gateway', 'deployment.environment.name': 'test' },
    severity: 9,
    attributes: {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Order',
      'portico.client.name': 'web',
      'portico.client.version': '1.4',
      'portico.role': 'user',
      'portico.usage.errors': 0,
    },
  });
  expect(collector.logRecords.filter(({ event }) => event === OPERATION)).toMatchObject([
    {
      attributes: {
        'portico.usage.coordinates': ['Order', 'Order.id', 'Query.order', 'Query.order(id:)', 'Query.order(note:)'],
      },
    },
  ]);

  const { records, processes, unreadable, days } = merged(collector.logLines);
  expect(records).toMatchObject([
    { operation: { name: 'Order', type: 'query' }, client: 'web', version: '1.4', role: 'user', count: 3, errors: 0 },
  ]);
  expect(records[0]?.operation.coordinates).toContain('Query.order(note:)');
  expect([processes, unreadable, days.size > 0]).toEqual([1, 0, true]);
});

test('records that are no usage are left out, and broken ones are counted', () => {
  const ours = {
    timeUnixNano: '1',
    eventName: USES,
    attributes: [{ key: 'portico.role', value: { stringValue: 'r' } }],
  };
  const lines = [
    { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1', body: { stringValue: 'a line' } }] }] }] },
    { resourceLogs: [{ scopeLogs: [{ logRecords: [ours, { timeUnixNano: 'never' }, 7] }] }] },
    { resourceLogs: 7 },
  ];
  expect(merged(lines.map((line) => JSON.stringify(line)))).toMatchObject({ records: [], unreadable: 4 });
});

test.each([
  [{}, undefined],
  [{ PORTICO_USAGE_OTLP: 'true' }, 'http://localhost:4318/v1/logs'],
  [{ PORTICO_USAGE_OTLP: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:1/' }, 'http://c:1/v1/logs'],
  [{ PORTICO_USAGE_OTLP: 'true', OTEL_SDK_DISABLED: 'true' }, undefined],
])('with %j usage goes to %s', (environment, url) => {
  const base = { HASURA_GRAPHQL_ADMIN_SECRET: 'planted-admin-secret-of-32-characters' };
  expect(readConfig({ ...base, ...environment }).usage?.otlp?.url).toBe(url);
});

describe('the exporter', () => {
  const BOUNDS = { operations: 20, clients: 20 };
  const operation = (id: string, coordinates: readonly string[] = ['Query.a']): OperationDescription => ({
    id,
    type: 'query',
    name: id,
    coordinates,
  });

  /** An exporter whose interval does not end within a test. */
  async function open() {
    const lines: Record<string, unknown>[] = [];
    const exporter = await openLogsExport({
      url: `${collector.url}/v1/logs`,
      headers: {},
      timeoutMs: 300,
      compression: 'none',
      resource: { 'service.name': 'test' },
    });
    const state = { table: new UsageTable(BOUNDS) };
    const usage = new UsageExporter({
      exporter,
      intervalMs: 3_600_000,
      log: createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) }),
      table: () => state.table,
      next: undefined,
    });
    const use = (described: OperationDescription, name = 'web', times = 1) => {
      const { table } = state;
      const client = table.clients.of({ 'apollographql-client-name': name }, false);
      table.uses(table.role(table.operation(described, false), 'clerk'), client).count += times;
    };
    const counts = () =>
      collector.logRecords
        .filter(({ event }) => event === USES)
        .map(({ attributes }) => [attributes['graphql.operation.name'], attributes['portico.usage.count']]);
    return { usage, use, counts, state, events: () => lines.map(({ event }) => event) };
  }

  test('exports the difference to what was accepted, and says once that a collector does not take it', async () => {
    const { usage, use, counts, events } = await open();
    use(operation('a'), 'web', 2);
    await usage.export();
    collector.answerWith({ kind: 'refuse', status: 400 });
    use(operation('a'), 'web', 3);
    await usage.export();
    await usage.export();
    collector.answerWith({ kind: 'accept' });
    use(operation('a'), 'web', 4);
    await usage.export();
    await usage.export();
    await usage.stop();

    expect(counts()).toEqual([
      ['a', 2],
      ['a', 7],
    ]);
    expect(collector.logRecords.filter(({ event }) => event === OPERATION)).toHaveLength(1);
    expect(events()).toEqual(['usage.export_failed', 'usage.export_recovered']);
  });

  test('finishes a table after the next one has begun', async () => {
    const { usage, use, counts, state } = await open();
    collector.answerWith({ kind: 'refuse', status: 400 });
    use(operation('a'));
    await usage.export();
    state.table = new UsageTable(BOUNDS);
    use(operation('b'));
    await usage.export();
    collector.answerWith({ kind: 'accept' });
    await usage.stop();

    expect(counts()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('holds two tables at most, however long a collector is away, and says what it has given up', async () => {
    const { usage, use, counts, state, events } = await open();
    collector.answerWith({ kind: 'refuse', status: 400 });
    for (const id of ['a', 'b', 'c']) {
      use(operation(id));
      await usage.export();
      state.table = new UsageTable(BOUNDS);
    }
    collector.answerWith({ kind: 'accept' });
    await usage.stop();

    expect(counts()).toEqual([['c', 1]]);
    expect(events()).toEqual(['usage.export_failed', 'usage.export_recovered']);
  });

  test('describes more coordinates than fit into one record, and those that are added later', async () => {
    const { usage, use } = await open();
    const many = Array.from({ length: 1_100 }, (_, index) => `Query.field${index}`);
    use(operation('big', many));
    await usage.export();
    // What is beyond the bound is counted together, with everything that it used.
    for (let i = 0; i < 30; i++) use(operation(`small${i}`, [`Query.small${i}`]));
    await usage.export();
    use(operation('late', ['Query.late']));
    await usage.export();
    await usage.stop();

    const described = (name: string | undefined) =>
      collector.logRecords
        .filter(({ event, attributes }) => event === OPERATION && attributes['graphql.operation.name'] === name)
        .map(({ attributes }) => attributes['portico.usage.coordinates'] as readonly string[]);
    expect(described('big').map(({ length }) => length)).toEqual([500, 500, 100]);
    expect(described('big').flat()).toEqual(many);
    expect(described(undefined).at(-1)).toEqual(['Query.late']);
    expect(new Set(described(undefined).flat()).size).toBe(described(undefined).flat().length);
  });

  test('keeps no process from stopping while a collector does not answer', async () => {
    const { usage, use } = await open();
    collector.answerWith({ kind: 'hang' });
    use(operation('a'));
    await usage.stop();
    expect(collector.logRecords).toEqual([]);
  });
});
