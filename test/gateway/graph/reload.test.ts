import { describe, expect, test } from '@jest/globals';
import { bearer, reply, serve, until, webhook } from '../harness/index.ts';
import { editedShop, permission, remote } from './edited-shop.ts';

const { keepForTest, MAIL, open, SHOP, shop, token } = await editedShop();

describe('an edit of the metadata', () => {
  test('takes effect when the files have changed, without being asked to', async () => {
    const gateway = await open(undefined, { PORTICO_METADATA_WATCH: 'true' });
    expect((await gateway.graphql('{ letter }', { token })).body.errors).toHaveLength(1);
    gateway.metadata.write({
      'remote_schemas.yaml': '- !include shop.yaml\n- !include more/mail.yaml',
      'shop.yaml': SHOP,
      'more/mail.yaml': MAIL,
    });
    await until('the other service is there', async () => (await gateway.graphql('{ letter }', { token })).body.data);
    expect(gateway.logged('metadata.reloaded')).toMatchObject([{ reason: 'the files have changed' }]);

    gateway.metadata.write({ 'more/mail.yaml': 'name: mail' });
    await until('the mistake is seen', async () => (await gateway.health()) !== 'OK');
    gateway.metadata.write({ 'remote_schemas.yaml': [SHOP] });
    await until('it is gone again', async () => (await gateway.graphql('{ letter }', { token })).body.errors);
    expect(await gateway.health()).toBe('OK');
  });

  test('is of all that there is: services, actions, permissions, REST endpoints and passed-through paths', async () => {
    const files = await keepForTest(serve((received, response) => reply(response, 200, { url: received.url })));
    const other = await keepForTest(serve((_, response) => reply(response, 200, 'the other')));
    const ping = await keepForTest(webhook(() => 'pong'));
    const gateway = await open({
      'remote_schemas.yaml': [SHOP],
      'services.yaml': [{ name: 'files', path: '/files', url: `${files.url}/a` }],
    });
    const get = (path: string) => gateway.send(path, { headers: bearer(token) });
    expect((await get('/files/x')).body).toEqual({ url: '/a/x' });
    expect((await get('/api/rest/item')).status).toBe(404);

    await gateway.edit({
      'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, permission('type Query { item: String }')), MAIL],
      'services.yaml': [
        { name: 'files', path: '/files', url: other.url },
        { name: 'more', path: '/more', url: `${files.url}/b` },
      ],
      'actions.yaml': {
        actions: [{ name: 'ping', definition: { handler: ping.url }, permissions: [{ role: 'user' }] }],
      },
      'actions.graphql': 'type Query { ping: String }',
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'item', query: '{ item }' }] } }],
      'rest_endpoints.yaml': [
        {
          name: 'item',
          url: 'item',
          methods: ['GET'],
          definition: { query: { collection_name: 'saved', query_name: 'item' } },
        },
      ],
    });
    expect((await get('/files/x')).body).toBe('the other');
    expect((await get('/more/x')).body).toEqual({ url: '/b/x' });
    expect((await get('/api/rest/item')).body).toEqual({ item: 'bolt' });
    expect((await gateway.graphql('{ item letter ping }', { token })).body).toEqual({
      data: { item: 'bolt', letter: 'hello', ping: 'pong' },
    });
    expect((await gateway.graphql('{ price }', { token })).body.errors).toHaveLength(1);

    await gateway.edit({
      'services.yaml': undefined,
      'actions.yaml': undefined,
      'actions.graphql': undefined,
      'rest_endpoints.yaml': undefined,
    });
    expect((await get('/files/x')).status).toBe(404);
    expect((await get('/api/rest/item')).status).toBe(404);
    expect((await gateway.graphql('{ ping }', { token })).body.errors).toHaveLength(1);
  });

  test('may be of the SDL file of a service', async () => {
    const file = (types: string) => ({ 'shop.graphql': types });
    const gateway = await open({
      'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, {}, { schema_file: 'shop.graphql' })],
      ...file('type Query { item: String }'),
    });
    expect((await gateway.graphql('{ price }', { token })).body.errors).toHaveLength(1);
    await gateway.edit(file('type Query { item: String price: Int }'), { reload_remote_schemas: false });
    expect((await gateway.graphql('{ item price }', { token })).body).toEqual({ data: { item: 'bolt', price: null } });
    expect((await gateway.edit(file('type Query {'))).status).toBe(400);
    expect((await gateway.graphql('{ item }', { token })).body).toEqual({ data: { item: 'bolt' } });
  });

  test('may save an operation that only a role with a preset can run', async () => {
    const sdl = 'type Query { of(tenant: Int!): String }';
    const preset = sdl.replace('Int!', 'Int! @preset(value: "x-hasura-tenant-id")');
    const gateway = await open();
    const { status } = await gateway.edit({
      'remote_schemas.yaml': [remote('shop', shop.graphqlUrl, permission(preset), { schema_file: 'shop.graphql' })],
      'shop.graphql': sdl,
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'of', query: '{ of }' }] } }],
    });
    expect(status).toBe(200);
  });

  test('lets operations in flight finish on the generation that they started with', async () => {
    const gateway = await open();
    const held = new Promise<() => void>((resolve) => {
      shop.instead = (_, response) => resolve(() => reply(response, 200, { data: { item: 'late' } }));
    });
    const slow = gateway.graphql('{ item }', { token });
    const finish = await held;
    shop.instead = undefined;

    await gateway.edit({ 'remote_schemas.yaml': [MAIL] });
    expect((await gateway.graphql('{ letter }', { token })).body).toEqual({ data: { letter: 'hello' } });
    expect((await gateway.graphql('{ item }', { token })).body.errors).toHaveLength(1);
    finish();
    expect((await slow).body).toEqual({ data: { item: 'late' } });
  });

  test('does not introspect services again whose definition is unchanged, unless the reload requests it', async () => {
    const gateway = await open({ 'remote_schemas.yaml': [SHOP, MAIL] });
    shop.requests.length = 0;
    await gateway.edit(
      { 'remote_schemas.yaml': [{ ...SHOP, comment: 'a new one' }, MAIL] },
      { reload_remote_schemas: false },
    );
    // The standard query, and that for all that it supports.
    expect(shop.requests).toHaveLength(2);
    await gateway.edit(
      { 'remote_schemas.yaml': [{ ...SHOP, comment: 'a new one' }] },
      { reload_remote_schemas: false },
    );
    expect(shop.requests).toHaveLength(2);
    await gateway.command('reload_metadata');
    expect(shop.requests).toHaveLength(4);
  });
});
