import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { LiveGraph } from '../../../gateway/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { type UpstreamConnections, UpstreamError } from '../../../gateway/sources/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { writeMetadata } from '../harness/index.ts';

const LOGIN = 'type Mutation { login: Boolean }';
const SCHEMAS: Record<string, string> = {
  'http://auth.test/': `type Query { me: Int } ${LOGIN}`,
  'http://orders.test/': 'type Query { orders: Int }',
};

/** Services that answer or do not, as the test says; nothing goes over a wire. */
const up = new Set<string>();
const http: UpstreamConnections = {
  dispatch: () => {
    throw new Error('no operation is run here');
  },
  send: async ({ url }) => {
    if (!up.has(url)) throw new UpstreamError('connection', new Error('connect ECONNREFUSED'));
    const schema = buildSchema(SCHEMAS[url] ?? '');
    const body = JSON.stringify(graphqlSync({ schema, source: getIntrospectionQuery() }));
    return { status: 200, headers: {}, body, pieces: [Buffer.from(body)], bytes: Buffer.from(body) };
  },
  lane: () => http,
  buffered: { bytes: 0, held: 0 },
  close: async () => {},
};

let graph: LiveGraph;

beforeEach(() => {
  jest.useFakeTimers();
  up.clear();
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
  graph = new LiveGraph(loadMetadata(files.directory), { environment: {}, http, publicRole: 'anonymous' }, log);
  files.close();
  graph.start();
});

afterEach(() => {
  graph.stop();
  jest.useRealTimers();
});

const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);

describe('the graph is ready', () => {
  test('when every service has told its types', async () => {
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
