import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  bearer,
  type GraphqlBody,
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type TestGateway,
} from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';

const WOOD = /* GraphQL */ `
  type Query {
    tree: Tree
    trees: [Tree!]!
  }
  type Mutation {
    plant: Tree
    plantAll: [Tree]
  }
  type Subscription {
    grown: Tree
    felled: [Tree]
  }
  type Tree {
    id: ID!
    branches: [Tree]
    grid: [[Int!]!]!
    next: Tree
  }
`;

const { keep, close } = keeper();
let issuer: Issuer;
let service: GraphqlUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await keep(openIssuer());
  const tree = { id: '1', branches: () => [], grid: [[1]], next: null };
  service = await keep(graphqlUpstream(WOOD, { Query: { tree: () => tree }, Mutation: { plant: () => tree } }));
  gateway = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'wood', definition: { url: service.graphqlUrl } }] },
      // The rules themselves have to bear many directives.
      environment: {
        PORTICO_MAX_TOKENS: '1000000',
        PORTICO_MAX_DIRECTIVES: '100000',
        PORTICO_MAX_REPETITION: '1000000',
      },
    }),
  );
});
afterAll(close);

const post = (query: string, accept = 'application/json', variables = {}) =>
  gateway.graphql(query, { token: issuer.token(), variables, headers: { accept } });
const messages = ({ errors }: GraphqlBody) => errors?.map(({ message }) => message);

const INVALID: readonly (readonly [string, string, string])[] = [
  [
    'a label twice',
    '{ tree { ... @defer(label: "a") { id } next { ... @defer(label: "a") { id } } } }',
    'The labels of "@defer" and "@stream" must be unique in the document.',
  ],
  [
    'a label of @defer at @stream',
    '{ tree { ...T @defer(label: "a") } } fragment T on Tree { branches @stream(label: "a") { id } }',
    'The labels of "@defer" and "@stream" must be unique in the document.',
  ],
  [
    'a label that is written in another way',
    String.raw`{ tree { ... @defer(label: "a") { id } ... @defer(label: "\u0061") { id } } }`,
    'The labels of "@defer" and "@stream" must be unique in the document.',
  ],
  [
    'a label that is a variable',
    'query ($l: String) { tree { ... @defer(label: $l) { id } } }',
    'The label of "@defer" must be a constant string, not a variable.',
  ],
  [
    'a label of @stream that is a variable',
    'query ($l: String) { tree { branches @stream(label: $l) { id } } }',
    'The label of "@stream" must be a constant string, not a variable.',
  ],
  [
    'a label that is a number',
    '{ tree { ... @defer(label: 1) { id } } }',
    'Expected value of type "String", found an integer.',
  ],
  ['@stream on an object', '{ tree @stream { id } }', '"@stream" requires a list, but the field "tree" is not a list.'],
  [
    '@stream on a leaf',
    '{ tree { id @stream(if: false) } }',
    '"@stream" requires a list, but the field "id" is not a list.',
  ],
  [
    '@stream on __typename',
    '{ tree { __typename @stream } }',
    '"@stream" requires a list, but the field "__typename" is not a list.',
  ],
  [
    '@defer of root fields of a mutation',
    'mutation { ... @defer { plant { id } } }',
    '"@defer" may not be used on root fields of a mutation.',
  ],
  [
    '@defer of root fields of a mutation, by a fragment',
    'mutation { ...M } fragment M on Mutation { ... @defer { plant { id } } }',
    '"@defer" may not be used on root fields of a mutation.',
  ],
  [
    '@stream at a root field of a mutation',
    'mutation { plantAll @stream { id } }',
    '"@stream" may not be used on root fields of a mutation.',
  ],
  [
    '@stream at a root field of a subscription',
    'subscription { felled @stream(if: false) { id } }',
    '"@stream" may not be used on root fields of a subscription.',
  ],
  [
    '@defer in a subscription',
    'subscription { grown { ... @defer { id } } }',
    '"@defer" may be used in a subscription only with "if: false", or with a variable as its "if".',
  ],
  [
    '@stream in a fragment of a subscription',
    'subscription { grown { ...T } } fragment T on Tree { next { branches @stream(if: true) { id } } }',
    '"@stream" may be used in a subscription only with "if: false", or with a variable as its "if".',
  ],
];

afterEach(() => service.forget());

describe('invalid is', () => {
  test.each(INVALID)('%s, over HTTP', async (_, query, message) => {
    const { status, body } = await post(query);
    expect([status, messages(body)]).toEqual([200, [message]]);
    expect(body).not.toHaveProperty('data');
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
    expect((await post(query, 'application/graphql-response+json')).status).toBe(400);
    // An error that prevents execution is JSON for every client.
    const inParts = await post(query, 'multipart/mixed; deferSpec=20220824');
    expect([inParts.status, messages(inParts.body)]).toEqual([400, [message]]);
    expect(service.operations()).toHaveLength(0);
  });

  test.each(INVALID)('%s, over a WebSocket', async (_, query, message) => {
    const client = wsClient(gateway.url, { headers: bearer(issuer.token()) });
    try {
      expect(await client.subscribe(query).ended()).toMatchObject([
        { message, extensions: { code: 'validation-failed' } },
      ]);
      expect(service.operations()).toHaveLength(0);
    } finally {
      await client.close();
    }
  });
});

test.each([
  ['labels that differ', '{ tree { ... @defer(label: "a") { id } ... @defer(label: "A") { id } } }'],
  ['no label twice', '{ tree { ... @defer(label: null) { id } ... @defer(label: null) { id } ... @defer { id } } }'],
  ['a label of another directive', '{ tree { branches @stream(label: "a") { ... @defer(label: "b") { id } } } }'],
  ['@stream on a list of lists', '{ tree { grid @stream } }'],
  ['@defer below a root field of a mutation', 'mutation { plant { ... @defer { id } } }'],
  ['@defer of root fields of a query', '{ ... @defer { tree { id } } }'],
  ['a label by the name of what every object has', '{ tree { ... @defer(label: "__proto__") { id } } }'],
])('valid is %s', async (_, query) => {
  expect(messages((await post(query)).body)).toBeUndefined();
});

test.each([
  'subscription ($d: Boolean!) { grown { ... @defer(if: $d) { id } } }',
  'subscription { grown { ... @defer(if: false) { id } } }',
])('a subscription may switch @defer off: %s', async (query) => {
  const { body } = await post(query, 'application/json', { d: false });
  // It is valid, and refused only because the response is no stream.
  expect(body.errors).toMatchObject([{ extensions: { code: 'unexpected-payload' } }]);
});

describe('hostile documents', () => {
  const MANY = 10_000;
  const repeated = (piece: (index: number) => string) =>
    Array.from({ length: MANY }, (_, index) => piece(index)).join(' ');

  test.each([
    ['10,000 labels that are the same', repeated(() => '...T@defer(label:"a")')],
    ['10,000 of @defer at one fragment', `...${repeated(() => '@defer')}{id}`],
    ['10,000 of @stream at one field', `branches${repeated(() => '@stream(label:"a")')}{id}`],
  ])('%s get a bounded answer', async (_, selections) => {
    const { status, text } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(issuer.token()) },
      body: JSON.stringify({ query: `{tree{id ...T ${selections}}}fragment T on Tree{id}` }),
    });
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(100_000);
    expect(JSON.parse(text).errors.length).toBeGreaterThan(10);
    expect(service.operations()).toHaveLength(0);
  });

  test('a label is not repeated in the error', async () => {
    const secret = 'hunter2-of-a-label';
    const twice = `{ tree { ...@defer(label: "${secret}"){id} ...@defer(label: "${secret}"){id} } }`;
    expect(JSON.stringify((await post(twice)).body)).not.toContain('hunter2');
  });

  test('10,000 different labels are valid', async () => {
    const spreads = repeated((index) => `...T @defer(label:"${index}")`);
    expect((await post(`{ tree { ${spreads} } } fragment T on Tree { id }`)).body.errors).toBeUndefined();
  });

  test('a label of a megabyte and one of control characters are labels', async () => {
    for (const label of ['x'.repeat(900_000), '\\u0000\\u2028\\ud83d\\ude00', ''])
      expect(messages((await post(`{ tree { ... @defer(label: "${label}") { id } } }`)).body)).toBeUndefined();
  });
});
