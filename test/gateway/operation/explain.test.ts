import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Explanation } from '../../../gateway/pipeline/explanation.ts';
import { readExposition } from '../../prometheus.ts';
import { productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { ADMIN_SECRET, openEditedGateway } from '../harness/edited-gateway.ts';
import {
  freePort,
  type GraphqlBody,
  graphqlUpstream,
  keeper,
  openIssuer,
  reply,
  send,
  until,
} from '../harness/index.ts';

interface ExplainedCall {
  readonly source: string;
  readonly outcome: string;
  readonly bytes: number;
  readonly retries: number;
  readonly shared: boolean;
  readonly durationMs: number;
}

interface Explained {
  readonly role: string;
  readonly requestId: string;
  readonly traceId?: string;
  readonly durationMs: number;
  readonly document: { readonly validatedBefore: boolean };
  readonly plan?: { readonly kind: string; readonly cached: boolean; readonly steps?: readonly object[] };
  readonly calls: readonly ExplainedCall[];
  readonly cost: Readonly<Record<string, { readonly value: number; readonly limit?: number }>>;
}

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const products = await keep(productsSubgraph());
const reviews = await keep(reviewsSubgraph());
const shop = await keep(
  graphqlUpstream('type Query { item(id: String): String items: [String] } type Mutation { buy: String }', {
    Query: { item: () => 'bolt', items: () => ['bolt', 'nut'] },
    Mutation: { buy: () => 'bought' },
  }),
);
const music = await keep(
  graphqlUpstream('type Query { sound: String } type Mutation { play: String }', {
    Query: { sound: () => 'loud' },
    Mutation: { play: () => 'playing' },
  }),
);
const metadata = {
  'remote_schemas.yaml': [
    federated('products', products),
    federated('reviews', reviews),
    {
      name: 'shop',
      definition: {
        url: shop.graphqlUrl,
        headers: [{ name: 'x-key', value: 'key-of-the-shop' }],
        resilience: { deduplicate: 'in-flight' },
      },
    },
    {
      name: 'music',
      definition: { url: music.graphqlUrl, resilience: { retries: { limit: 2, backoff_milliseconds: 1 } } },
    },
  ],
};
const metricsPort = await freePort();
const gateway = await keep(
  openEditedGateway(metadata, {
    issuer,
    environment: { PORTICO_EXPLAIN_ROLES: 'developer', PORTICO_METRICS_PORT: String(metricsPort) },
  }),
);
const developer = () => issuer.token({ role: 'developer', roles: ['developer', 'user'] });
const ASKS = { 'x-portico-explain': 'true' };

beforeEach(() => {
  shop.instead = undefined;
  music.instead = undefined;
});

function explained({ extensions }: GraphqlBody): Explained {
  return (extensions as { portico: Explained }).portico;
}

async function explain(query: string, variables?: object): Promise<{ body: GraphqlBody; portico: Explained }> {
  const { body } = await gateway.graphql(query, { token: developer(), headers: ASKS, variables });
  return { body, portico: explained(body) };
}

describe('an explanation says', () => {
  test('how an operation of one service was run, and what it cost', async () => {
    const query = 'query Explained { item }';
    const { body, portico } = await explain(query);
    expect(body.data).toEqual({ item: 'bolt' });
    expect(portico).toMatchObject({
      role: 'developer',
      requestId: expect.any(String),
      durationMs: expect.any(Number),
      document: { validatedBefore: false },
      plan: { kind: 'forward', cached: false, steps: [{ source: 'shop', fields: ['item'], wave: 1 }] },
      calls: [{ source: 'shop', kind: 'remote-schema', outcome: 'success', retries: 0, shared: false }],
      cost: { depth: { value: 0, limit: 15 }, nodes: { value: 0, limit: 1000 }, aliases: { value: 0, limit: 30 } },
    });
    expect(portico.calls[0]?.bytes).toBe('{"data":{"item":"bolt"}}'.length);
    expect(portico.calls[0]?.durationMs).toBeGreaterThan(0);
  });

  test('whether it had been validated and planned before', async () => {
    await explain('query Again { items }');
    expect((await explain('query Again { items }')).portico).toMatchObject({
      document: { validatedBefore: true },
      plan: { cached: true },
    });
  });

  test('which services a federated operation asks, and after what', async () => {
    const { body, portico } = await explain('{ products { name reviews { text } } }');
    expect(body.errors).toBeUndefined();
    expect(portico.plan).toMatchObject({
      kind: 'join',
      steps: [
        { source: 'products', fields: ['products'], wave: 1 },
        { source: 'reviews', path: 'products', wave: 2 },
      ],
    });
    expect(portico.calls.map(({ source }) => source)).toEqual(['products', 'reviews']);
  });

  test('who answers which root fields of an operation of several', async () => {
    const { portico } = await explain('{ item other: items sound }');
    expect(portico.plan).toMatchObject({
      kind: 'split',
      steps: [
        { source: 'shop', fields: ['item', 'items'], wave: 1 },
        { source: 'music', fields: ['sound'], wave: 1 },
      ],
    });
    expect(portico.cost.aliases).toEqual({ value: 1, limit: 30 });
  });

  test('in which order the parts of a mutation run', async () => {
    const { portico } = await explain('mutation { buy play }');
    expect(portico.plan?.steps).toEqual([
      { source: 'shop', fields: ['buy'], wave: 1 },
      { source: 'music', fields: ['play'], wave: 2 },
    ]);
  });

  test('that the gateway answers introspection itself', async () => {
    const { body, portico } = await explain('{ __schema { queryType { name } } }');
    expect(body.data).toEqual({ __schema: { queryType: { name: 'Query' } } });
    expect(portico.plan?.steps).toEqual([{ source: 'introspection', fields: ['__schema'], wave: 1 }]);
    expect(portico.calls).toEqual([]);
  });

  test('how often a query was sent again', async () => {
    let failures = 2;
    music.instead = (_, response) => {
      failures--;
      if (failures >= 0) response.writeHead(503).end();
      else reply(response, 200, { data: { sound: 'back' } });
    };
    const { body, portico } = await explain('{ sound }');
    expect(body.data).toEqual({ sound: 'back' });
    expect(portico.calls).toMatchObject([{ source: 'music', retries: 2, outcome: 'success' }]);
  });

  test('that a query had the response of an equal one', async () => {
    let answer = () => {};
    shop.instead = (_, response) => {
      answer = () => reply(response, 200, { data: { item: 'shared' } });
    };
    shop.forget();
    const token = developer();
    const query = '{ item(id: "shared") }';
    const first = gateway.graphql(query, { token, headers: ASKS });
    await until('the first query is under way', () => shop.operations().length === 1);
    const second = gateway.graphql(query, { token, headers: ASKS });
    const counted = 'portico_upstream_shared_total{service="shop",kind="remote-schema"}';
    await until(
      'the second one waits for its response',
      async () => readExposition((await send(`http://127.0.0.1:${metricsPort}/metrics`)).text).get(counted) === 1,
    );
    answer();
    const calls = [await first, await second].map(({ body }) => explained(body).calls[0]);
    expect(calls).toMatchObject([
      { shared: false, outcome: 'success' },
      { shared: true, outcome: 'success' },
    ]);
  });

  test('what a failed call ended with, beside the errors', async () => {
    shop.instead = (_, response) => response.writeHead(500).end('trace: at 10.0.0.1');
    const { body, portico } = await explain('{ item }');
    expect(body.errors).toHaveLength(1);
    expect(portico.calls).toMatchObject([{ source: 'shop', outcome: 'server-error' }]);
  });

  test('what a rejected document costs', async () => {
    const { body, portico } = await explain('{ item nonsense }');
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
    expect(portico).toMatchObject({ role: 'developer', cost: { depth: { value: 0 } } });
    expect(portico.plan).toBeUndefined();
    expect(portico.calls).toEqual([]);
  });

  test('it of each operation of a batch', async () => {
    const { body } = await gateway.post<GraphqlBody[]>(
      '/v1/graphql',
      [{ query: '{ item }' }, { query: '{ sound }' }, { query: '{ nonsense }' }],
      { authorization: `Bearer ${developer()}`, ...ASKS },
    );
    expect(body.map((one) => explained(one).calls.map(({ source }) => source))).toEqual([['shop'], ['music'], []]);
  });
});

describe('may ask for it', () => {
  test('an admin, whose documents have no limits', async () => {
    const { body } = await gateway.graphql('{ item }', {
      headers: { ...ASKS, 'x-hasura-admin-secret': ADMIN_SECRET },
    });
    expect(explained(body)).toMatchObject({ role: 'admin', cost: { depth: { value: 0 } } });
    expect(explained(body).cost.depth).not.toHaveProperty('limit');
  });

  test('the holder of the admin secret for another role', async () => {
    const { body } = await gateway.graphql('{ item }', {
      headers: { ...ASKS, 'x-hasura-admin-secret': ADMIN_SECRET, 'x-hasura-role': 'user' },
    });
    expect(explained(body).role).toBe('user');
  });

  test.each<[who: string, headers: () => Record<string, string>]>([
    ['another role', () => ({ authorization: `Bearer ${issuer.token()}` })],
    ['the developer as another role', () => ({ authorization: `Bearer ${developer()}`, 'x-hasura-role': 'user' })],
  ])('and not %s, to whom the header means nothing', async (_, headers) => {
    for (const query of ['{ item }', '{ nonsense }', '{ item sound }', '{ products { name reviews { text } } }']) {
      const plain = await gateway.graphql(query, { headers: headers() });
      const asked = await gateway.graphql(query, { headers: { ...headers(), ...ASKS } });
      expect(asked.text).toBe(plain.text);
      expect(asked.status).toBe(plain.status);
    }
  });

  test.each([
    ['nobody', {}],
    ['a wrong secret', { 'x-hasura-admin-secret': 'wrong' }],
    ['a bad token', { authorization: 'Bearer x' }],
  ])('and not %s', async (_, headers) => {
    const { body, text } = await gateway.graphql('{ item }', { headers: { ...headers, ...ASKS } });
    expect(body).not.toHaveProperty('extensions');
    expect(text).not.toContain('shop');
  });

  test('and no role but admin where no setting names any', async () => {
    const closed = await openEditedGateway(metadata, { issuer });
    const { body } = await closed.graphql('{ item }', { token: developer(), headers: ASKS });
    await closed.close();
    expect(body).toEqual({ data: { item: 'bolt' } });
  });
});

test('only true and 1 ask for it', async () => {
  for (const asked of ['false', '0', '', 'yes', 'true, true']) {
    const { body } = await gateway.graphql('{ item }', { token: developer(), headers: { 'x-portico-explain': asked } });
    expect(body).not.toHaveProperty('extensions');
  }
  const { body } = await gateway.graphql('{ item }', { token: developer(), headers: { 'x-portico-explain': '1' } });
  expect(explained(body).calls).toHaveLength(1);
});

test('it holds no value, no address and no credential, and no service learns that it was asked for', async () => {
  shop.forget();
  const { body } = await explain('query ($id: String) { item(id: $id) one: item(id: "a-literal") }', {
    id: 'a-variable',
  });
  const text = JSON.stringify(explained(body));
  expect(text).not.toMatch(/a-variable|a-literal|key-of-the-shop|127\.0\.0\.1|http:|Bearer/);
  expect(shop.operations()[0]?.headers).not.toHaveProperty('x-portico-explain');
});

test('it names a hundred calls at most, and says how many there were beyond', () => {
  const recorded: string[] = [];
  const explanation = new Explanation({
    role: 'developer',
    requestId: '1',
    traceId: undefined,
    isValidated: true,
    cost: {},
    record: { addCall: (name) => void recorded.push(name) },
  });
  for (let call = 0; call < 130; call++) {
    explanation.explainCall('shop', 'remote-schema')?.end('success', 1);
    explanation.addCall('shop', 'remote-schema', 'success', 1);
  }
  const { calls, omittedCalls } = explanation.extensions.portico;
  expect([(calls as unknown[]).length, omittedCalls, recorded.length]).toEqual([100, 30, 130]);
});

test('a request without the header gets the bytes of its service', async () => {
  const bytes = '{"data":{"item":  "spaced"}}';
  shop.instead = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(bytes);
  expect((await gateway.graphql('{ item }', { token: developer() })).text).toBe(bytes);
  expect((await explain('{ item }')).body.data).toEqual({ item: 'spaced' });
});

test('of a REST endpoint it is beside the fields, or beside the error, for those who may ask', async () => {
  const files = {
    'query_collections.yaml': [
      { name: 'saved', definition: { queries: [{ name: 'item', query: 'query item { item }' }] } },
    ],
    'rest_endpoints.yaml': [
      {
        name: 'item',
        url: 'item',
        methods: ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'item' } },
      },
    ],
  };
  await gateway.edit(files);
  const ask = async (token: string) => {
    const { body } = await gateway.send<GraphqlBody>('/api/rest/item', {
      headers: { authorization: `Bearer ${token}`, ...ASKS },
    });
    return body;
  };
  const { extensions, ...fields } = await ask(developer());
  expect(fields).toEqual({ item: 'bolt' });
  expect(explained({ extensions })).toMatchObject({
    role: 'developer',
    plan: { kind: 'forward' },
    calls: [{ source: 'shop' }],
  });
  expect(await ask(issuer.token({ role: 'user' }))).toEqual({ item: 'bolt' });
  shop.instead = (_, response) => reply(response, 500, {});
  const failed = await ask(developer());
  expect(failed).toMatchObject({ path: expect.any(String), error: expect.any(String), code: 'remote-schema-error' });
  expect(explained(failed).calls).toHaveLength(1);
});
