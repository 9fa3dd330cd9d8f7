import { afterAll, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from './harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(
  graphqlUpstream('type Query { hello: String orders(first: Int): [Order] } type Order { id: ID! name: String }', {
    Query: { hello: () => 'hello', orders: () => [{ id: '1', name: 'bolt' }] },
  }),
);
const people = await keep(
  graphqlUpstream('type Query { person(id: ID!): Person } type Person { id: ID! mail: String }', {
    Query: { person: (_: unknown, { id }: { id: string }) => ({ id, mail: 'a@b' }) },
  }),
);
const FIRST = 'type Query { orders(first: Int @preset(value: "x-hasura-first")): [Order] } type Order { id: ID! }';
const FILES = {
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url: shop.graphqlUrl },
      permissions: [
        { role: 'clerk', definition: { schema: FIRST } },
        {
          role: 'user',
          definition: { schema: 'type Query { hello: String orders: [Order] } type Order { id: ID! name: String }' },
        },
      ],
      remote_relationships: [
        {
          type_name: 'Order',
          relationships: [
            {
              name: 'owner',
              definition: {
                to_remote_schema: {
                  remote_schema: 'people',
                  lhs_fields: ['id'],
                  remote_field: { person: { arguments: { id: '$id' } } },
                },
              },
            },
          ],
        },
      ],
    },
    { name: 'people', definition: { url: people.graphqlUrl } },
  ],
};
const gateway = await keep(openEditedGateway(FILES, { issuer }));
const ask = async (query: string, token = issuer.token()) => (await gateway.graphql(query, { token })).body;

describe('__typename and aliases', () => {
  test.each([
    ['{ t: __typename hello }', { t: 'Query', hello: 'hello' }],
    ['{ __typename: hello }', { __typename: 'hello' }],
    ['{ orders { __typename: name id } }', { orders: [{ __typename: 'bolt', id: '1' }] }],
    ['{ orders { t: __typename __typename: id } }', { orders: [{ t: 'Order', __typename: '1' }] }],
    [
      '{ __typename: hello person(id: 1) { __typename: mail } }',
      { __typename: 'hello', person: { __typename: 'a@b' } },
    ],
    [
      '{ orders { __typename: name owner { __typename: mail t: __typename } } }',
      { orders: [{ __typename: 'bolt', owner: { __typename: 'a@b', t: 'Person' } }] },
    ],
  ])('%s', async (query, data) => {
    expect(await ask(query)).toEqual({ data });
  });
});

test('a session variable of another type than the preset is not sent, and reported by its name alone', async () => {
  shop.forget();
  const token = issuer.token({ role: 'clerk', roles: ['clerk'], hasura: { 'x-hasura-first': 's3cret' } });
  const body = await ask('{ orders { id } }', token);
  expect(body).toMatchObject({
    data: { orders: null },
    errors: [
      {
        message: 'the session variable "x-hasura-first" is not valid for the type Int',
        extensions: { code: 'unexpected' },
      },
    ],
  });
  expect(JSON.stringify(body)).not.toContain('s3cret');
  expect(shop.operations()).toEqual([]);
});

test.each([
  [
    'a changed signature',
    (token: string) => `${token.slice(0, -4)}AAAA`,
    'Could not verify JWT: JWSError JWSInvalidSignature',
  ],
  ['no base64', (token: string) => `${token}=`, 'Could not verify JWT: JWSError JWSInvalidSignature'],
  [
    'two parts',
    (token: string) => token.split('.').slice(0, 2).join('.'),
    'Could not verify JWT: JWSError: Invalid number of parts: Expected 3 parts',
  ],
])('a token with %s', async (_, change, message) => {
  const { status, body } = await gateway.graphql('{ hello }', { token: change(issuer.token()) });
  expect([status, body.errors]).toMatchObject([401, [{ message, extensions: { code: 'invalid-jwt', path: '$' } }]]);
});

test('a reload while a remote schema is dead succeeds and keeps what it was; one that is new and dead is inconsistent', async () => {
  await shop.stop();
  try {
    expect((await gateway.edit({}, { reload_remote_schemas: true })).body).toMatchObject({
      message: 'success',
      is_consistent: true,
    });
    expect((await gateway.graphql('{ hello }', { token: issuer.token() })).body.data).toEqual({ hello: null });
    const dead = { name: 'dead', definition: { url: 'http://127.0.0.1:1/graphql' } };
    const changed = { 'remote_schemas.yaml': [...FILES['remote_schemas.yaml'], dead] };
    expect((await gateway.edit(changed, { reload_remote_schemas: true })).body).toMatchObject({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [{ type: 'remote_schema', name: 'dead' }],
    });
  } finally {
    await shop.start();
    await gateway.edit(FILES);
  }
});
