import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { joins, OWNER, ordersService, toUsers, usersService } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const orders = await keep(ordersService());
const users = await keep(usersService());
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
              toUsers('fans', ['owner_id', 'tags'], {
                users: { arguments: { where: { ids: ['$owner_id', '1'], tags: '$tags', region: 'EU' } } },
              }),
              toUsers('entry', ['id'], {
                directory: { arguments: { region: 'EU' }, field: { entry: { arguments: { id: '$id' } } } },
              }),
              toUsers('nowhere', ['id'], {
                directory: { arguments: { region: 'US' }, field: { entry: { arguments: { id: '$id' } } } },
              }),
              toUsers('count', [], { directory: { arguments: { region: 'EU' }, field: { size: {} } } }),
              toUsers('brewed', ['broken'], { user: { arguments: { id: '$broken' } } }),
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

describe('a relationship', () => {
  test('joins what another service answers, in one request for all objects', async () => {
    const { data, errors } = await ask('{ orders { id owner { id name } } }');
    expect(data).toEqual({
      orders: [
        { id: '1', owner: { id: '7', name: 'user 7' } },
        { id: '2', owner: null },
        { id: '3', owner: { id: '7', name: 'user 7' } },
        { id: '4', owner: null },
      ],
    });
    expect(errors).toMatchObject([
      { message: 'she has left', path: ['orders', 1, 'owner'], extensions: { code: 'GONE', service: 'users' } },
    ]);
    expect(orders.operations()).toHaveLength(1);
    expect(users.operations()).toHaveLength(1);
    // Two of the four have the same owner, and one has none.
    expect(users.operations()[0]?.body.query.match(/user\(/g)).toHaveLength(2);
  });

  test('does not fetch for an object without a key', async () => {
    const { data } = await ask('{ order(id: 4) { owner { name } } }');
    expect(data).toEqual({ order: { owner: null } });
    expect(users.operations()).toHaveLength(0);
  });

  test('is fetched with its own fields, whatever the client calls others', async () => {
    const { data } = await ask(
      'query ($up: Boolean) { mine: order(id: 1) { owner_id: note ...F } } fragment F on Order { by: owner { ...U } } fragment U on User { name(upper: $up) n: name }',
      { up: true },
    );
    expect(data).toEqual({ mine: { owner_id: 'first', by: { name: 'USER 7', n: 'user 7' } } });
  });

  test('takes the arguments that its description leaves to the client', async () => {
    const query =
      'query ($l: String) { order(id: 1) { owner { asked } other: owner(locale: "de") { asked } third: owner(locale: $l) { asked } } }';
    expect((await ask(query, { l: 'fr' })).data).toEqual({
      order: { owner: { asked: 'en' }, other: { asked: 'de' }, third: { asked: 'fr' } },
    });
    expect(users.operations()).toHaveLength(1);
    expect((await ask('{ order(id: 1) { owner(id: 3) { id } } }')).errors).toMatchObject([
      { message: 'Unknown argument "id" on field "Order.owner".' },
    ]);
  });

  test('gives values within objects and lists', async () => {
    const { data } = await ask('{ order(id: 2) { fans { id friends { name } } } }');
    expect(data).toEqual({
      order: {
        fans: [
          { id: '8', friends: [{ name: 'user 80' }] },
          { id: '1', friends: [{ name: 'user 10' }] },
        ],
      },
    });
    const [{ body } = { body: undefined }] = users.operations();
    expect(Object.values(body?.variables ?? {})).toEqual([{ ids: [8, '1'], tags: ['a', 'b'], region: 'EU' }]);
  });

  test('reaches a field within a field', async () => {
    const { data, errors } = await ask('{ orders { entry { name } nowhere { name } count } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      orders: ['1', '2', '3', '4'].map((id) => ({ entry: { name: `user ${id}` }, nowhere: null, count: 2 })),
    });
    expect(users.operations()).toHaveLength(1);
  });

  test('reports the errors within what it joins for each object, at its path', async () => {
    const { data, errors } = await ask('{ orders { owner { friends { secret } } } }');
    expect(data).toMatchObject({ orders: [{ owner: { friends: [{ secret: null }] } }, {}, {}, { owner: null }] });
    expect(errors?.map(({ path }) => path?.join('.')).sort()).toEqual([
      'orders.0.owner.friends.0.secret',
      'orders.1.owner',
      'orders.2.owner.friends.0.secret',
    ]);
  });

  test('is null with an error where its key cannot be fetched', async () => {
    const { data, errors } = await ask('{ order(id: 1) { brewed { id } } }');
    expect(data).toEqual({ order: { brewed: null } });
    expect(errors).toMatchObject([
      { message: 'no tea today', path: ['order', 'brewed'], extensions: { service: 'orders' } },
    ]);
    expect(users.operations()).toHaveLength(0);
  });

  test('keeps the rest of the answer when its service does not answer', async () => {
    users.instead = (_received, response) => response.writeHead(500).end('oops');
    const { data, errors } = await ask('{ order(id: 1) { note owner { id } } }');
    users.instead = undefined;
    expect(data).toEqual({ order: { note: 'first', owner: null } });
    expect(errors).toMatchObject([{ path: ['order', 'owner'], extensions: { service: 'users' } }]);
  });

  test('is fetched again after each mutation', async () => {
    const { data } = await ask('mutation { place { owner { id } } reopen { owner { id } } }');
    expect(data).toEqual({ place: { owner: { id: '7' } }, reopen: { owner: { id: '7' } } });
    expect(users.operations()).toHaveLength(2);
    expect(users.operations()[0]?.body.query).toMatch(/^query/);
  });
});

test('an operation without one is sent on as it is', async () => {
  expect((await ask('{ order(id: 1) { note } }')).data).toEqual({ order: { note: 'first' } });
  expect(orders.operations()[0]?.body.query).toBe('{order(id:1){note}}');
});
