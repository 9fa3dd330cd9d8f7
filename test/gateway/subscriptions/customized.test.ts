import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer, serve } from '../harness/index.ts';
import { wsClient } from './clients.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const service = await keep(graphqlWsService());

async function clientOf(remote: object, token = issuer.token()) {
  const { definition, ...rest } = { definition: {}, ...remote };
  const metadata = {
    'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url, ...definition }, ...rest }],
  };
  const gateway = await keep(openGateway({ issuer, metadata }));
  return keep(wsClient(gateway.url, { headers: bearer(token) }));
}

async function resultsOf(remote: object, query: string, token?: string) {
  const client = await clientOf(remote, token);
  const subscribed = client.subscribe(query);
  const end = await subscribed.ended();
  return end === 'complete' ? subscribed.results : end;
}

describe('a subscription of a service with other names', () => {
  test('is asked for, and answered, in the names of the graph', async () => {
    const customization = {
      type_names: { prefix: 'Feed' },
      field_names: [
        { parent_type: 'Subscription', prefix: 'feed_' },
        { parent_type: 'Counted', mapping: { number: 'which' } },
      ],
    };
    const query =
      'subscription ($to: Int = 2) { n: feed_count(to: $to) { which __typename ...More } } fragment More on FeedCounted { text }';
    expect(await resultsOf({ definition: { customization } }, query)).toEqual(
      [1, 2].map((which) => ({ data: { n: { which, __typename: 'FeedCounted', text: 'x' } } })),
    );
  });

  test('is found in its namespace', async () => {
    const customization = { root_fields_namespace: 'feed' };
    const query = 'subscription { feed { count(to: 2) { number } } }';
    expect(await resultsOf({ definition: { customization } }, query)).toEqual(
      [1, 2].map((number) => ({ data: { feed: { count: { number } } } })),
    );
  });

  test('reports errors in the names of the graph', async () => {
    const customization = { root_fields_namespace: 'feed' };
    const query = 'subscription { feed { refused { id } } }';
    expect(await resultsOf({ definition: { customization } }, query)).toMatchObject([
      {
        errors: [{ message: 'not today', path: ['feed', 'refused'], extensions: { code: 'CLOSED', service: 'feed' } }],
      },
    ]);
  });
});

describe('a role with a part of the service', () => {
  const permissions = [
    {
      role: 'user',
      definition: {
        schema: `type Query { orderCount: Int! }
          type Subscription { count(to: Int! @preset(value: "x-hasura-most"), size: Int): Counted! }
          type Counted { number: Int! }`,
      },
    },
  ];
  const token = issuer.token({ hasura: { 'x-hasura-most': '2' } });

  test('subscribes with the arguments that are preset for it', async () => {
    const results = await resultsOf({ permissions }, 'subscription { count { number } }', token);
    expect(results).toEqual([1, 2].map((number) => ({ data: { count: { number } } })));
  });

  test('gets an error when a session variable is missing', async () => {
    expect(await resultsOf({ permissions }, 'subscription { count { number } }')).toMatchObject([
      { message: expect.stringContaining('x-hasura-most') },
    ]);
  });

  test.each([
    ['a field', 'subscription { orderPlaced { id } }'],
    ['a field of an event', 'subscription { count { text } }'],
    ['an argument', 'subscription { count(to: 3) { number } }'],
  ])('does not see %s that it is not given', async (_, query) => {
    expect(await resultsOf({ permissions }, query, token)).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
  });
});

test.each<[where: string, namespace: string | null, expected: (data: object) => object]>([
  ['', null, (data) => data],
  [' in a namespace', 'news', (news) => ({ news })],
])('a role does not see in events%s what its part leaves out', async (_, namespace, expected) => {
  const events = [
    { portico_type: 'Book', id: '1', state: 'FREE' },
    { portico_type: 'Diary', id: '2', state: 'FREE' },
    { portico_type: 'Book', id: '3', state: 'SECRET' },
  ];
  const stream = await keep(
    serve((__, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const changed of events) response.write(`event: next\ndata: ${JSON.stringify({ data: { changed } })}\n\n`);
      response.end('event: complete\ndata:\n\n');
    }),
  );
  const part = (type: string, state: string) => `type Query { a: Int } type Subscription { changed: Item }
    union Item = Book${type} type Book { id: ID! state: State } enum State { FREE${state} }`;
  const metadata = {
    'remote_schemas.yaml': [
      {
        name: 'news',
        definition: {
          url: stream.url,
          schema_file: 'news.graphql',
          subscriptions: { protocol: 'sse' },
          customization: { root_fields_namespace: namespace },
        },
        permissions: [{ role: 'user', definition: { schema: part('', '') } }],
      },
    ],
    'news.graphql': `${part(' | Diary', ' SECRET')} type Diary { id: ID! state: State }`,
  };
  const gateway = await keep(openGateway({ issuer, metadata }));
  const headers = { ...bearer(issuer.token()), accept: 'text/event-stream' };
  const changed = '{ changed { ... on Book { id state } } }';
  const query = `subscription ${namespace === null ? changed : `{ news ${changed} }`}`;
  const { text } = await gateway.post('/v1/graphql', { query }, headers);
  const results = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
  expect(results.map(({ data }) => data)).toEqual([
    expected({ changed: { id: '1', state: 'FREE' } }),
    expected({ changed: null }),
    expected({ changed: { id: '3', state: null } }),
  ]);
  expect(results[2].errors).toMatchObject([{ message: '"Book.state" returned a value that is not of type State' }]);
});

test('two root fields are not one subscription', async () => {
  const query = 'subscription { a: count(to: 1) { number } b: count(to: 1) { number } }';
  expect(await resultsOf({}, query)).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
});
