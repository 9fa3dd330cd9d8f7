import { afterAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { joins, OWNER, toUsers } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

/** Owners with several digits have friends, those that end in certain digits fail in different depths. */
const users = await keep(
  graphqlUpstream(
    /* GraphQL */ `
      type Query {
        user(id: ID!): User
        certainUser(id: ID!): User!
        size(of: ID!): Int
        being(id: ID!): Being
        beings(of: ID!): [Being]
        directory(region: String!): Directory
      }
      type Directory {
        entry(id: ID!, note: String): User
      }
      interface Being {
        id: ID!
        name: String!
      }
      type Bot implements Being {
        id: ID!
        name: String!
        version: Int
      }
      type User implements Being {
        id: ID!
        name: String!
        friends: [User!]
        secret: String
      }
    `,
    {
      Query: {
        user: (_, { id }) => found(id),
        certainUser: (_, { id }) => found(id),
        size: (_, { of }) => (of.endsWith('3') ? failure() : of.length),
        being: (_, { id }) => being(id),
        beings: (_, { of }) => (of.endsWith('4') ? null : [being(of), being(`${of}3`), being(`${of}1`)]),
        directory: (_, { region }) => (region.endsWith('4') ? failure() : {}),
      },
      Directory: { entry: (_, { id }) => found(id) },
      Being: { __resolveType: ({ id }: { id: string }) => (id.endsWith('1') ? 'Bot' : 'User') },
      User: {
        name: ({ id }) => (id.endsWith('5') ? failure() : `user ${id}`),
        friends: ({ id }) => [...id].map((digit) => ({ id: digit })),
        secret: failure,
      },
    },
  ),
);

function failure(): never {
  throw new GraphQLError('not for you', { extensions: { code: 'NO' } });
}
function found(id: string) {
  if (id.endsWith('3')) failure();
  return id.endsWith('4') ? null : { id };
}
function being(id: string) {
  const one = found(id);
  return one && { ...one, name: `being ${id}`, version: 1 };
}

const ROWS = Array.from({ length: 60 }, (_, id) => ({ id: String(id), owner_id: id % 40 === 6 ? null : id % 40 }));
const orders = await keep(
  graphqlUpstream(
    'type Query { orders(ids: [ID!]!): [Order]! order(id: ID!): Order } type Order { id: ID! owner_id: Int owner_text: ID }',
    {
      Query: {
        orders: (_, { ids }) => ids.map((id: string) => ROWS[Number(id)] ?? null),
        order: (_, { id }) => ROWS[Number(id)] ?? null,
      },
      Order: { owner_text: ({ owner_id: id }) => id },
    },
  ),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        {
          name: 'orders',
          definition: { url: orders.graphqlUrl },
          remote_relationships: [
            joins(
              'Order',
              OWNER,
              toUsers('certain', ['owner_id'], { certainUser: { arguments: { id: '$owner_id' } } }),
              toUsers('size', ['owner_id'], { size: { arguments: { of: '$owner_id' } } }),
              toUsers('being', ['owner_id'], { being: { arguments: { id: '$owner_id' } } }),
              toUsers('beings', ['owner_id'], { beings: { arguments: { of: '$owner_id' } } }),
              toUsers('entry', ['owner_id', 'owner_text'], {
                directory: {
                  arguments: { region: '$owner_text' },
                  field: { entry: { arguments: { id: '$owner_id' } } },
                },
              }),
            ),
          ],
        },
        { name: 'users', definition: { url: users.graphqlUrl } },
      ],
    },
  }),
);
beforeEach(() => {
  orders.forget();
  users.forget();
});

const ask = async (query: string, variables?: unknown) =>
  (await gateway.graphql(query, { token: issuer.token(), variables })).body;

type Body = Awaited<ReturnType<typeof ask>>;

/** Errors by their paths, without what says where the row is, and in a fixed order. */
function errorsOf({ errors = [] }: Body, begin: (path: readonly unknown[]) => readonly unknown[] | undefined) {
  const own = errors.flatMap(({ message, path = [], extensions }) => {
    const rest = begin(path);
    return rest ? [{ message, path: rest.join('.'), code: extensions?.code }] : [];
  });
  return own.sort((one, other) => one.path.localeCompare(other.path));
}

const selections = fc
  .subarray(
    [
      'owner { id }',
      'owner { name ...F }',
      'o: owner { friends { name secret } }',
      'size',
      's: size @include(if: $yes)',
      'being { __typename name ... on Bot { version } ... on User { secret } }',
      'beings { id ... on User { friends { name } } }',
      'entry { id name }',
      'e: entry(note: $note) { ...F }',
    ],
    { minLength: 1 },
  )
  .map((fields) => fields.join(' '));

test('what is joined to each of many rows is what is joined to it alone', async () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(ids, selections, async (rows, selected) => {
      const variables = { yes: true, note: 'n' };
      const head = 'query ($yes: Boolean! = true, $note: String = "x")';
      const used =
        ' unused: __typename @include(if: $yes) u: order(id: 1) { id @skip(if: $yes) n: entry(note: $note) { id } }';
      const fragment = ' fragment F on User { f: friends { id name } }';
      const text = (root: string) =>
        `${head} { ${root} { id ${selected} } ${used} } ${selected.includes('...F') ? fragment : ''}`;
      const together = await ask(text(`rows: orders(ids: ${JSON.stringify(rows.map(String))})`), variables);
      for (const [index, row] of rows.entries()) {
        const alone = await ask(text(`row: order(id: ${row})`), variables);
        expect((together.data as { rows: unknown[] }).rows[index]).toEqual((alone.data as { row: unknown }).row);
        expect(
          errorsOf(together, ([root, at, ...rest]) => (root === 'rows' && at === index ? rest : undefined)),
        ).toEqual(errorsOf(alone, ([root, ...rest]) => (root === 'row' ? rest : undefined)));
      }
    }),
    { numRuns: 25 },
  );
});

test('a hundred rows are asked for in one request that says once what is selected', async () => {
  const ids = JSON.stringify(ROWS.map(({ id }) => id));
  const { data } = await ask(`{ orders(ids: ${ids}) { owner { id friends { id } } } }`);
  expect((data as { orders: unknown[] }).orders).toHaveLength(60);
  expect(users.operations()).toHaveLength(1);
  const [{ body } = { body: { query: '' } }] = users.operations();
  expect(body.query.match(/user\(/g)).toHaveLength(39);
  expect(body.query.match(/friends/g)).toHaveLength(1);
});

test('equal ones are asked for once, wherever they are, and what is different beside them', async () => {
  const { data } = await ask(
    '{ a: order(id: 1) { owner { id } } b: order(id: 41) { mine: owner { id } } c: order(id: 2) { owner { id } } d: order(id: 1) { owner { name } } }',
  );
  expect(data).toEqual({
    a: { owner: { id: '1' } },
    b: { mine: { id: '1' } },
    c: { owner: { id: '2' } },
    d: { owner: { name: 'user 1' } },
  });
  expect(users.operations()).toHaveLength(1);
  expect(users.operations()[0]?.body.query.match(/user\(/g)).toHaveLength(3);
});

test('a row that leaves the others without an answer has its error reported for each', async () => {
  const { data, errors } = await ask('{ orders(ids: [1, 3, 2]) { certain { id } } }');
  expect(data).toEqual({ orders: [{ certain: null }, { certain: null }, { certain: null }] });
  expect(errors?.map(({ path, message }) => `${path?.join('.')}: ${message}`).sort()).toEqual([
    'orders.0.certain: not for you',
    'orders.1.certain: not for you',
    'orders.2.certain: not for you',
  ]);
});

test('names that a client has for its own do not get in the way', async () => {
  const { data, errors } = await ask(
    `query ($portico_0_id: Boolean!, $portico_0_id_0: Boolean!) {
      orders(ids: [1, 2]) { user_0: owner { ...portico_user ...portico_user_ __proto__: id constructor: name } }
    }
    fragment portico_user on User { id @include(if: $portico_0_id) }
    fragment portico_user_ on User { name @include(if: $portico_0_id_0) }`,
    { portico_0_id: true, portico_0_id_0: false },
  );
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).toBe(
    '{"orders":[{"user_0":{"id":"1","__proto__":"1","constructor":"user 1"}},{"user_0":{"id":"2","__proto__":"2","constructor":"user 2"}}]}',
  );
});
