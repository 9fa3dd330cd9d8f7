import { beforeEach, describe, expect, test } from '@jest/globals';
import { type ChangingUpstream, changingUpstream } from '../harness/changing-upstream.ts';
import { endpoint, until } from '../harness/index.ts';
import {
  type Files,
  isWhole,
  MAIL,
  mailAnswers,
  remote,
  SHOP,
  shopAnswers,
  storedSchemasSuite,
  unavailable,
} from './stored-schemas-suite.ts';

const { token, keepForTest, start, remember, stored, ask } = await storedSchemasSuite();

describe('a gateway that starts while a service is down whose schema is stored', () => {
  let shop: ChangingUpstream;
  let mail: ChangingUpstream;
  let files: Files;

  beforeEach(async () => {
    shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    mail = await keepForTest(changingUpstream(MAIL, mailAnswers));
    files = {
      'remote_schemas.yaml': [
        remote(
          'shop',
          shop,
          {},
          {
            remote_relationships: [
              {
                type_name: 'Item',
                relationships: [
                  {
                    name: 'letters',
                    definition: {
                      to_remote_schema: {
                        remote_schema: 'mail',
                        lhs_fields: ['order'],
                        remote_field: { byOrder: { arguments: { order: '$order' } } },
                      },
                    },
                  },
                ],
              },
            ],
          },
        ),
        remote('mail', mail),
      ],
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: {
            queries: [
              { name: 'letter', query: '{ letter }' },
              { name: 'item', query: '{ item { id } }' },
            ],
          },
        },
      ],
      'rest_endpoints.yaml': [endpoint('letter', 'letter', ['GET']), endpoint('item', 'item', ['GET'])],
    };
    await remember(files, ['shop', 'mail']);
    await mail.stop();
  });

  test('answers its fields with null and an error, keeps the others, and sends it nothing', async () => {
    const gateway = await keepForTest(start(files));
    const { status, headers, body } = await ask(gateway, '{ item { id letters } letter }');
    expect(status).toBe(200);
    expect(headers['retry-after']).toBe('5');
    expect(body).toEqual({
      data: { item: { id: 'i', letters: null }, letter: null },
      errors: expect.arrayContaining([unavailable('mail', 'letter'), unavailable('mail', 'item', 'letters')]),
    });
    expect((await ask(gateway, '{ letter }')).body).toEqual({
      data: { letter: null },
      errors: [unavailable('mail', 'letter')],
    });
    expect((await ask(gateway, '{ letters }')).body).toEqual({ data: null, errors: [unavailable('mail', 'letters')] });
    // What does not exist is known.
    expect((await ask(gateway, '{ lettre }')).body.errors).toMatchObject([
      { message: 'Cannot query field "lettre" on type "Query". Did you mean "letter" or "letters"?' },
    ]);
    const authorization = `Bearer ${token}`;
    expect(await gateway.send('/api/rest/letter', { headers: { authorization } })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'source-unavailable' },
    });
    expect((await gateway.send('/api/rest/item', { headers: { authorization } })).status).toBe(200);
  });

  test('says so to operators', async () => {
    const gateway = await keepForTest(start(files, {}, false));
    const missing = async () => (await gateway.send<{ missing_sources: string[] }>('/readyz')).body.missing_sources;
    await until('all have been asked', async () => String(await missing()) === 'mail');
    expect(gateway.logged('remote_schema.stored_schema_used')).toHaveLength(1);
    expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
    expect((await gateway.command('get_inconsistent_metadata')).body).toMatchObject({
      inconsistent_objects: [{ name: 'mail', reason: expect.stringContaining('ECONNREFUSED') }],
    });
  });

  test('asks it until it answers; then all is as it is', async () => {
    const gateway = await keepForTest(start(files));
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ item { letters } letter }')).body).toEqual({
      data: { item: { letters: ['about it'] }, letter: 'hello' },
    });
    expect(gateway.logged('remote_schema.changed')).toEqual([]);
  });

  test('uses the schema it changed to meanwhile, logs the difference and stores it', async () => {
    const gateway = await keepForTest(start(files));
    mail.become('type Query { letter: String parcel: String byOrder(order: Int): [String!] }', {
      Query: { parcel: () => 'a box' },
    });
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ parcel }')).body).toEqual({ data: { parcel: 'a box' } });
    await until('the change is logged', () => gateway.logged('remote_schema.changed').length > 0);
    expect(gateway.logged('remote_schema.changed')).toMatchObject([
      {
        source: 'mail',
        changes: [
          { breaking: true, message: "Field 'letters' was removed from object type 'Query'" },
          { breaking: false, message: "Field 'parcel' was added to object type 'Query'" },
        ],
      },
    ]);
    await until('it is stored', () => stored('mail').includes('parcel'));
  });

  test('lets it take nothing from a service that is there', async () => {
    // What the mail did is what the shop does now.
    shop.become(`${SHOP} extend type Query { letter: String }`, { Query: { letter: () => 'from the shop' } });
    const gateway = await keepForTest(start(files));
    expect((await ask(gateway, '{ letter }')).body).toEqual({ data: { letter: 'from the shop' } });
    expect(gateway.logged('remote_schema.conflict')).toEqual([]);
    // No error says that its other fields do not exist.
    expect((await ask(gateway, '{ letters }')).status).toBe(503);
  });

  test('gives roles what the metadata permits now, whatever it permitted then', async () => {
    const permissions = [{ role: 'user', definition: { schema: 'type Query { letter: String }' } }];
    const [first, second] = files['remote_schemas.yaml'] as readonly object[];
    const { remote_relationships: _, ...shopAlone } = first as { remote_relationships: unknown };
    const gateway = await keepForTest(
      start({ ...files, 'remote_schemas.yaml': [shopAlone, { ...second, permissions }] }),
    );
    expect((await ask(gateway, '{ letter }')).body.errors).toEqual([unavailable('mail', 'letter')]);
    expect((await ask(gateway, '{ letters }')).body.errors).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
  });

  test.each<[string, (one: { name: string; definition: object }) => object]>([
    ['another address', (one) => ({ ...one, definition: { ...one.definition, url: 'http://127.0.0.1:1/graphql' } })],
    ['another composition', (one) => ({ ...one, definition: { ...one.definition, composition: 'stitching' } })],
    [
      'another variable for its credentials',
      (one) => ({ ...one, definition: { ...one.definition, headers: [{ name: 'x-key', value_from_env: 'KEY' }] } }),
    ],
  ])('does not take it for a service with %s', async (_, changed) => {
    const [first, second] = files['remote_schemas.yaml'] as readonly { name: string; definition: object }[];
    const gateway = await keepForTest(
      start({ ...files, 'remote_schemas.yaml': [first, changed(second as never)] }, { KEY: 'k' }),
    );
    expect((await ask(gateway, '{ letter }')).status).toBe(503);
    expect(gateway.logged('stored_schema.ignored')).toMatchObject([
      { source: 'mail', reason: 'it belongs to another description of the source' },
    ]);
  });

  test('gives it the names that the metadata says now', async () => {
    const [first, second] = files['remote_schemas.yaml'] as readonly { name: string; definition: object }[];
    const { remote_relationships: _, ...shopAlone } = first as unknown as { remote_relationships: unknown };
    const customization = { root_fields_namespace: 'post' };
    const gateway = await keepForTest(
      start({
        'remote_schemas.yaml': [shopAlone, { ...second, definition: { ...second?.definition, customization } }],
      }),
    );
    expect((await ask(gateway, '{ post { letter } item { id } }')).body).toMatchObject({
      data: { item: { id: 'i' } },
      errors: [{ extensions: { code: 'source-unavailable', service: 'mail' } }],
    });
  });

  test('takes it when the metadata is reloaded, too', async () => {
    const [first] = files['remote_schemas.yaml'] as readonly object[];
    const { remote_relationships: _, ...shopAlone } = first as { remote_relationships: unknown };
    const gateway = await keepForTest(start({ 'remote_schemas.yaml': [shopAlone] }));
    expect((await ask(gateway, '{ letter }')).status).toBe(200);
    await gateway.edit({ 'remote_schemas.yaml': files['remote_schemas.yaml'] });
    expect((await ask(gateway, '{ letter }')).body.errors).toEqual([unavailable('mail', 'letter')]);
    // And keeps to ask it, through one that leaves it as it is.
    await gateway.command('reload_metadata', { reload_remote_schemas: false });
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ letter }')).body).toEqual({ data: { letter: 'hello' } });
  });
});
