import { afterAll, describe, expect, test } from '@jest/globals';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const USER = { __typename: 'User', id: '1', name: 'Ann', email: 'ann@shop.test', number: 5 };
const subgraph = await keep(
  apolloSubgraph(
    linked(`type Query { me: User strict: User! people: [Person!]! any: Any users(count: Int!): [User!]! }
      interface Person { id: ID! name: String }
      union Any = User | Robot
      type User implements Person @key(fields: "id") {
        id: ID! name: String friend: User
        email: String @requiresScopes(scopes: [["email"]])
        number: Int! @requiresScopes(scopes: [["number"]])
      }
      type Robot implements Person { id: ID! name: String }`),
    {
      Query: {
        me: () => USER,
        strict: () => USER,
        people: () => [USER, { __typename: 'Robot', id: '2', name: 'R2' }],
        any: () => USER,
        users: (_: unknown, { count }: { readonly count: number }) => Array.from({ length: count }, () => USER),
      },
      User: { friend: () => USER },
    },
  ),
);
// Without permissions, so that nothing else changes the response.
const metadata = {
  'remote_schemas.yaml': [{ name: 'users', definition: { url: subgraph.graphqlUrl, composition: 'federation' } }],
};
const gateway = await keep(openGateway({ issuer, metadata }));
const ask = async (query: string, scope = '', variables?: unknown) =>
  (await gateway.graphql(query, { token: issuer.token({ payload: { scope } }), variables })).body;
const refused = (...path: (string | number)[]) =>
  expect.objectContaining({ message: 'Unauthorized field or type', path });

describe('the response has what the client selects, and nothing else', () => {
  test('where nothing is left of an object', async () => {
    const { data, errors } = await ask('{ me { email } }');
    expect(data).toEqual({ me: { email: null } });
    expect(errors).toEqual([refused('me', 'email')]);
  });

  test('where a field is refused of objects of one type', async () => {
    const { data, errors } = await ask('{ people { id ... on User { email } } any { ... on User { mail: email } } }');
    expect(data).toEqual({ people: [{ id: '1', email: null }, { id: '2' }], any: { mail: null } });
    expect(errors).toEqual([refused('people', 0, 'email'), refused('any', 'mail')]);
  });

  test('in the order of the operation', async () => {
    const { data } = await ask('{ me { email friend { email name } name } }');
    expect(JSON.stringify(data)).toBe('{"me":{"email":null,"friend":{"email":null,"name":"Ann"},"name":"Ann"}}');
  });

  test.each(['constructor', '__proto__', 'toString'])('whatever it is called: %s', async (alias) => {
    const { data, errors } = await ask(`{ me { ${alias}: email name } }`);
    expect(JSON.stringify(data)).toBe(`{"me":{"${alias}":null,"name":"Ann"}}`);
    expect(errors).toEqual([refused('me', alias)]);
  });

  test('also under the key by which types are asked for', async () => {
    const { data, errors } = await ask('{ people { portico__typename: name ... on User { email } } }');
    expect(data).toEqual({
      people: [{ portico__typename: 'Ann', email: null }, { portico__typename: 'R2' }],
    });
    expect(errors).toEqual([refused('people', 0, 'email')]);
  });
});

describe('a field that @skip or @include leaves out is not reported', () => {
  const query = `query ($on: Boolean = false) {
    me { name email @include(if: $on) ... on User @include(if: $on) { mail: email } ...F @skip(if: true) }
  } fragment F on User { third: email }`;

  test('where it is left out', async () => {
    expect(await ask(query)).toEqual({ data: { me: { name: 'Ann' } } });
    expect(await ask(query, '', { on: false })).toEqual({ data: { me: { name: 'Ann' } } });
  });

  test('where it is not', async () => {
    const { data, errors } = await ask(query, '', { on: true });
    expect(data).toEqual({ me: { name: 'Ann', email: null, mail: null } });
    expect(errors).toEqual([refused('me', 'email'), refused('me', 'mail')]);
  });
});

test('a refused field that must not be null makes its object null', async () => {
  const { data, errors } = await ask('{ me { name number } people { id ... on User { number } } }');
  expect({ data, errors }).toEqual({
    data: null,
    errors: [refused('me', 'number'), refused('people', 0, 'number')],
  });
  expect(await ask('{ me { name number } any { __typename } }')).toEqual({
    data: { me: null, any: { __typename: 'User' } },
    errors: [refused('me', 'number')],
  });
});

test('callers with different scopes get their own fields of one document', async () => {
  const query = '{ me { name email number } }';
  for (let round = 0; round < 2; round++) {
    expect(await ask(query, 'email number')).toEqual({ data: { me: { name: 'Ann', email: USER.email, number: 5 } } });
    expect(await ask(query, 'number')).toEqual({
      data: { me: { name: 'Ann', email: null, number: 5 } },
      errors: [refused('me', 'email')],
    });
    expect(await ask(query, 'email')).toEqual({ data: { me: null }, errors: [refused('me', 'number')] });
  }
});

test('of many refused places, as many errors as usual are reported', async () => {
  const { data, errors } = await ask('{ users(count: 2000) { name email } }');
  expect(errors).toHaveLength(1_001);
  expect(data?.users).toEqual(Array.from({ length: 2_000 }, () => ({ name: 'Ann', email: null })));
});

test('a refused field that the gateway itself needs as a key is not in the response', async () => {
  const people = await keep(
    apolloSubgraph(
      linked(`type Query { me: Person } type Person @key(fields: "code") {
        name: String code: ID @requiresScopes(scopes: [["code"]]) }`),
      { Query: { me: () => ({ name: 'Ann', code: 'c1' }) } },
    ),
  );
  const scores = await keep(
    apolloSubgraph(
      linked('type Person @key(fields: "code") { code: ID @requiresScopes(scopes: [["code"]]) score: Int }'),
      { Person: { __resolveReference: ({ code }: { readonly code: string }) => ({ code, score: code.length }) } },
    ),
  );
  const entries = Object.entries({ people, scores }).map(([name, { graphqlUrl: url }]) => ({
    name,
    definition: { url, composition: 'federation' },
  }));
  const joined = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': entries } }));
  const { body } = await joined.graphql('{ me { code score name } }', { token: issuer.token() });
  expect(body).toEqual({ data: { me: { code: null, score: 2, name: 'Ann' } }, errors: [refused('me', 'code')] });
});
