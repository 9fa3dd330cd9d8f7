import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { LiveGraph } from '../../../gateway/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { type UpstreamConnections, UpstreamError } from '../../../gateway/upstream/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { writeMetadata } from '../harness/index.ts';

const LOGIN = 'type Mutation { login: Boolean }';
const SCHEMAS: Record<string, string> = {
  'http://auth.test/': `type Query { me: Int } ${LOGIN}`,
  'http://orders.test/': 'type Query { orders: Int }',
};

/** Services that answer or do not, as the test says; nothing goes over a wire. */
const up = new Set<string>();
/** Milliseconds until they say whether they do. */
const slow = new Map<string, number>();
const http: UpstreamConnections = {
  dispatch: () => {
    throw new Error('no operation is run here');
  },
  send: async ({ url }) => {
    if (slow.has(url)) await new Promise((resolve) => setTimeout(resolve, slow.get(url)));
    if (!up.has(url)) throw new UpstreamError('connection', new Error('connect ECONNREFUSED'));
    const schema = buildSchema(SCHEMAS[url] ?? '');
    const body = JSON.stringify(graphqlSync({ schema, source: getIntrospectionQuery() }));
    return { status: 200, headers: {}, body, chunks: [Buffer.from(body)], bytes: Buffer.from(body) };
  },
  pool: () => http,
  buffered: { bytes: 0, held: 0 },
  unfinishedEvents: { begin: () => ({ set: () => true }) },
  close: async () => {},
};

let graph: LiveGraph;

beforeEach(() => {
  jest.useFakeTimers();
  up.clear();
  slow.clear();
  graph = openGraph();
});

function openGraph(graceMs?: number): LiveGraph {
  const files = writeMetadata({
    'remote_schemas.yaml': [
      {
        name: 'auth',
        definition: { url: 'http://auth.test/' },
        permissions: [{ role: 'anonymous', definition: { schema: LOGIN } }],
      },
      { name: 'orders', definition: { url: 'http://orders.test/' } },
    ],
  });
  const log = createLogger('test', 'silent', { write: () => {} });
  const surroundings = { environment: {}, http, publicRole: 'anonymous' };
  const opened = new LiveGraph(
    loadMetadata(files.directory),
    surroundings,
    log,
    graceMs === undefined ? {} : { graceMs },
  );
  files.close();
  opened.start();
  return opened;
}

afterEach(() => {
  graph.stop();
  jest.useRealTimers();
});

const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);

describe('the graph is ready', () => {
  test('when every service has been introspected', async () => {
    up.add('http://auth.test/').add('http://orders.test/');
    expect(graph.ready).toBe(false);
    await pass(0.3);
    expect(graph.ready).toBe(true);
    expect(graph.current.missing).toEqual([]);
  });

  test('ten seconds after the start without a service that is down, if callers can log in', async () => {
    up.add('http://auth.test/');
    await pass(9.5);
    expect(graph.ready).toBe(false);
    await pass(1);
    expect(graph.ready).toBe(true);
    expect(graph.current.missing.map(({ source }) => source)).toEqual(['orders']);
  });

  test('not while a service has not yet said whether it is there, however long ago the start is', async () => {
    graph.stop();
    slow.set('http://orders.test/', 25_000);
    up.add('http://auth.test/');
    graph = openGraph();
    await pass(24);
    expect(graph.ready).toBe(false);
    expect(graph.current.missing).toEqual([{ source: 'orders', reason: 'not asked yet', schema: 'unknown' }]);
    await pass(2);
    expect(graph.ready).toBe(true);
    expect(graph.current.missing).toMatchObject([{ source: 'orders', reason: 'connection: connect ECONNREFUSED' }]);
  });

  test('after another time where one is set', async () => {
    graph.stop();
    up.add('http://auth.test/');
    graph = openGraph(60_000);
    await pass(59);
    expect(graph.ready).toBe(false);
    await pass(2);
    expect(graph.ready).toBe(true);
  });

  test('not before callers can log in, however long that takes', async () => {
    up.add('http://orders.test/');
    await pass(3_600);
    expect(graph.ready).toBe(false);
    up.add('http://auth.test/');
    await pass(16);
    expect(graph.ready).toBe(true);
  });

  test('and asks those that are missing until they are there, fifteen seconds apart at most', async () => {
    up.add('http://auth.test/');
    await pass(3_600);
    const before = graph.current;
    up.add('http://orders.test/');
    await pass(16);
    expect(graph.current.missing).toEqual([]);
    expect(graph.current).not.toBe(before);
    expect(before.missing).toHaveLength(1);
  });
});
