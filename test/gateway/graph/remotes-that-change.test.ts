import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { changingUpstream } from '../harness/changing-upstream.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const answers = { Query: { item: () => 'bolt' } };
const letters = { Query: { letter: () => 'hello' } };
const SHOP = 'type Query { item: String }';

async function data(gateway: EditedGateway, query: string) {
  return (await gateway.graphql(query, { token })).body.data;
}

/** A gateway before a shop that can change, and before others. */
async function open(definition: object = {}, more: object = {}, others: readonly object[] = [], waitUntilReady = true) {
  const shop = await keepForTest(changingUpstream(SHOP, answers));
  const remote = { name: 'shop', definition: { url: shop.graphqlUrl, ...definition }, ...more };
  const gateway = await keepForTest(
    openEditedGateway({ 'remote_schemas.yaml': [remote, ...others] }, { issuer, waitUntilReady }),
  );
  return { shop, gateway, remote };
}

const isWhole = (gateway: EditedGateway) => until('the graph is whole', async () => (await gateway.health()) === 'OK');

describe('a service that is down when the gateway starts', () => {
  test('does not keep the others, is listed with its reason, and heals by itself', async () => {
    const late = await keepForTest(changingUpstream(SHOP, answers));
    await late.stop();
    const mail = await keepForTest(graphqlUpstream('type Query { letter: String }', letters));
    const gateway = await keepForTest(
      openEditedGateway(
        {
          'remote_schemas.yaml': [
            { name: 'late', definition: { url: late.graphqlUrl } },
            { name: 'mail', definition: { url: mail.graphqlUrl } },
          ],
        },
        { issuer, waitUntilReady: false },
      ),
    );
    await until('the other service is there', () => data(gateway, '{ letter }'));
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(body).toEqual({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'remote_schema', name: 'late', definition: 'late', reason: expect.stringContaining('ECONNREFUSED') },
      ],
    });
    expect((await gateway.send('/readyz')).body).toMatchObject({ ready: false, missing_sources: ['late'] });
    expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
    // An edit of something else is not held up by it.
    expect((await gateway.command('reload_metadata', { reload_remote_schemas: false })).body).toEqual({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [expect.objectContaining({ type: 'remote_schema', name: 'late' })],
    });

    await late.start();
    await isWhole(gateway);
    expect(await data(gateway, '{ item letter }')).toEqual({ item: 'bolt', letter: 'hello' });
    expect((await gateway.command('get_inconsistent_metadata')).body).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    });
    expect(gateway.logged('remote_schema.unavailable')).toHaveLength(1);
  });

  test.each<[how: string, answer: string, status: number, reason: string]>([
    ['with no GraphQL at all', '<html>', 502, 'the response to the introspection is not JSON (status 502)'],
    [
      'from another path',
      '<html>',
      404,
      'the response to the introspection is not JSON (status 404): check the path of its URL',
    ],
    [
      'that it may not be asked',
      '{"errors":[{"message":"introspection is off"}]}',
      200,
      'the introspection was refused: introspection is off',
    ],
    [
      'with a schema without root types',
      '{"data":{"__schema":{"types":[],"directives":[]}}}',
      200,
      'its schema has no root types',
    ],
  ])('or answers %s is asked until it does', async (_, answer, status, reason) => {
    const odd = await keepForTest(changingUpstream(SHOP, answers));
    odd.instead = (__, response) => response.writeHead(status).end(answer);
    const remote = { name: 'odd', definition: { url: odd.graphqlUrl } };
    const gateway = await keepForTest(
      openEditedGateway({ 'remote_schemas.yaml': [remote] }, { issuer, waitUntilReady: false }),
    );
    await until('it has been asked', () => gateway.logged('remote_schema.unavailable').length > 0);
    const { body, text } = await gateway.command('get_inconsistent_metadata');
    expect(body).toMatchObject({ inconsistent_objects: [{ reason: expect.stringContaining(reason) }] });
    expect(text).not.toContain(odd.url);
    odd.instead = undefined;
    await isWhole(gateway);
    expect(await data(gateway, '{ item }')).toEqual({ item: 'bolt' });
  });
});

describe('a service that is killed and returns', () => {
  test('is part of the graph all the time; its fields fail in between', async () => {
    const { shop, gateway } = await open();
    for (let round = 0; round < 3; round++) {
      await shop.stop();
      const { body } = await gateway.graphql('{ item }', { token });
      expect(body.errors).toMatchObject([{ message: 'the service "shop" cannot be reached' }]);
      expect(await gateway.health()).toBe('OK');
      await shop.start();
      expect(await data(gateway, '{ item }')).toEqual({ item: 'bolt' });
    }
  });

  test('keeps its part of the graph through a reload that asks it', async () => {
    const { shop, gateway } = await open();
    await shop.stop();
    expect((await gateway.command('reload_metadata')).body).toEqual({ message: 'success', is_consistent: true });
    expect(gateway.logged('remote_schema.refresh_failed')).toMatchObject([{ level: 'warn', source: 'shop' }]);
    await shop.start();
    expect(await data(gateway, '{ item }')).toEqual({ item: 'bolt' });
  });

  test('that is reconfigured while it is down joins the graph when it is back', async () => {
    const { shop, gateway, remote } = await open();
    await shop.stop();
    const { body } = await gateway.edit({ 'remote_schemas.yaml': [{ ...remote, comment: 'changed' }] });
    expect(body).toEqual({
      message: 'success',
      is_consistent: false,
      inconsistent_objects: [expect.objectContaining({ type: 'remote_schema', name: 'shop' })],
    });
    await shop.start();
    await isWhole(gateway);
    expect(await data(gateway, '{ item }')).toEqual({ item: 'bolt' });
  });
});

describe('a service that changes its schema', () => {
  test('is polled at the configured interval, and the log lists the changes', async () => {
    const { shop, gateway } = await open({ introspection_interval_seconds: 1 });
    shop.become('type Query { item: Int stock: Int }', { Query: { item: () => 3, stock: () => 5 } });
    await until('the new field is there', () => data(gateway, '{ stock }'));
    expect(await data(gateway, '{ item stock }')).toEqual({ item: 3, stock: 5 });
    await until('the change is logged', () => gateway.logged('remote_schema.changed').length > 0);
    expect(gateway.logged('remote_schema.changed')).toMatchObject([
      {
        level: 'info',
        source: 'shop',
        changes: [
          { breaking: true, message: "Field 'Query.item' changed type from 'String' to 'Int'" },
          { breaking: false, message: "Field 'stock' was added to object type 'Query'" },
        ],
      },
    ]);
  });

  test('is not followed otherwise, but for a reload that asks', async () => {
    const { shop, gateway } = await open();
    shop.become('type Query { item: String stock: Int }', answers);
    const asked = shop.requests.length;
    expect(await data(gateway, '{ stock }')).toBeUndefined();
    expect(shop.requests).toHaveLength(asked);
    await gateway.command('reload_metadata', { reload_remote_schemas: ['shop'] });
    expect(await data(gateway, '{ stock }')).toEqual({ stock: null });
  });

  test('to one that contradicts a permission keeps the old schema, and the log says why', async () => {
    const schema = 'type Query { item: String }';
    const { shop, gateway } = await open(
      { introspection_interval_seconds: 1 },
      { permissions: [{ role: 'user', definition: { schema } }] },
    );
    shop.become('type Query { item: Int }', answers);
    await until('it is logged', () => gateway.logged('remote_schema.refresh_failed').length > 0);
    expect(gateway.logged('remote_schema.refresh_failed')[0]?.reason).toContain(
      '"Query.item" has the type String, in the remote schema it has Int',
    );
    expect(await data(gateway, '{ item }')).toEqual({ item: null });
    expect(await gateway.health()).toBe('OK');
  });

  test('to one with a root field of another service leaves that field with the other service', async () => {
    const mail = await keepForTest(graphqlUpstream('type Query { letter: String }', letters));
    const other = { name: 'mail', definition: { url: mail.graphqlUrl } };
    const { shop, gateway } = await open({ introspection_interval_seconds: 1 }, {}, [other]);
    shop.become('type Query { item: String letter: String }', { Query: { item: () => 'nut', letter: () => 'stolen' } });
    await until('it is logged', () => gateway.logged('remote_schema.refresh_failed').length > 0);
    expect(gateway.logged('remote_schema.refresh_failed')[0]?.reason).toBe(
      'the root field "letter" is offered by "shop" and by "mail"',
    );
    expect(await data(gateway, '{ item letter }')).toEqual({ item: 'nut', letter: 'hello' });
    expect(await gateway.health()).toBe('OK');
  });
});
