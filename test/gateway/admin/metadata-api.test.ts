import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { ADMIN_SECRET, openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, graphqlUpstream, keeper, openIssuer } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const issuer = await keep(openIssuer());
const shop = await keep(graphqlUpstream('type Query { item: String }', { Query: { item: () => 'bolt' } }));
const SHOP = {
  name: 'shop',
  definition: { url: '{{SHOP_URL}}', headers: [{ name: 'x-key', value_from_env: 'SHOP_KEY' }] },
};
const environment = { SHOP_URL: shop.graphqlUrl, SHOP_KEY: 'a-secret-key' };
const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': [SHOP] }, { issuer, environment }));
const admin = { 'x-hasura-admin-secret': ADMIN_SECRET };
const RELOAD = { type: 'reload_metadata', args: {} };

describe('the metadata API is for admins', () => {
  test('with the admin secret', async () => {
    expect((await gateway.post('/v1/metadata', RELOAD, admin)).status).toBe(200);
  });

  test('with a token of the role admin', async () => {
    const token = issuer.token({ role: 'admin', roles: ['admin'] });
    expect((await gateway.post('/v1/metadata', RELOAD, bearer(token))).status).toBe(200);
  });

  test.each<[who: string, headers: () => Record<string, string>, status: number, code: string]>([
    ['nobody', () => ({}), 401, 'invalid-headers'],
    ['a wrong secret', () => ({ 'x-hasura-admin-secret': 'wrong' }), 401, 'access-denied'],
    ['a bad token', () => bearer('x'), 401, 'invalid-jwt'],
    ['another role', () => bearer(issuer.token()), 403, 'access-denied'],
    [
      'another role that would like to be admin',
      () => ({ ...bearer(issuer.token()), 'x-hasura-role': 'admin' }),
      403,
      'access-denied',
    ],
    ['an admin who takes another role', () => ({ ...admin, 'x-hasura-role': 'user' }), 403, 'access-denied'],
  ])('and not for %s', async (_, headers, status, code) => {
    const reloads = gateway.logged('metadata.reloaded').length;
    for (const command of [RELOAD, { type: 'export_metadata', args: {} }]) {
      const answer = await gateway.post<{ code: string }>('/v1/metadata', command, headers());
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.text).not.toContain('shop');
    }
    expect(gateway.logged('metadata.reloaded')).toHaveLength(reloads);
  });

  test('in Hasura’s words for another role', async () => {
    const { body } = await gateway.post('/v1/metadata', RELOAD, bearer(issuer.token()));
    expect(body).toEqual({ path: '$.args', error: 'restricted access : admin only', code: 'access-denied' });
  });

  test('and for no caller with a secret where none is set', async () => {
    const environmentWithout = { ...environment, HASURA_GRAPHQL_ADMIN_SECRET: undefined };
    const closed = await keepForTest(
      openEditedGateway({ 'remote_schemas.yaml': [SHOP] }, { issuer, environment: environmentWithout }),
    );
    for (const secret of ['', ADMIN_SECRET, 'undefined'])
      expect((await closed.post('/v1/metadata', RELOAD, { 'x-hasura-admin-secret': secret })).status).toBe(401);
  });
});

describe('a command that is none', () => {
  test.each<[what: string, body: unknown, status: number, code: string]>([
    ['a list', [RELOAD], 400, 'parse-failed'],
    ['without a type', { args: {} }, 400, 'parse-failed'],
    ['with arguments that are no object', { type: 'reload_metadata', args: 'all' }, 400, 'parse-failed'],
    ['that changes metadata', { type: 'replace_metadata', args: {} }, 400, 'not-supported'],
    ['that tracks a table', { type: 'pg_track_table', args: {} }, 400, 'not-supported'],
    ['of an object’s own names', { type: 'constructor', args: {} }, 400, 'not-supported'],
  ])('is refused: %s', async (_, body, status, code) => {
    const answer = await gateway.post<{ code: string }>('/v1/metadata', body, admin);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test.each([
    ['reload_metadat', 'reload_metadata'],
    ['create_cron_triger', 'create_cron_trigger'],
    ['portico_get_source', 'portico_get_sources'],
    ['portico_retry_job', 'portico_retry_jobs'],
    ['replace_metadata', undefined],
    ['x'.repeat(100_000), undefined],
  ])('is refused with the one that is spelled nearly so: %.30s', async (type, meant) => {
    const { body } = await gateway.post<{ error: string }>('/v1/metadata', { type, args: {} }, admin);
    expect(/did you mean "(\w+)"\?/.exec(body.error)?.[1]).toBe(meant);
    expect(body.error).toContain('Supported: ');
  });

  test('is refused: no JSON', async () => {
    const answer = await gateway.send<{ code: string }>('/v1/metadata', {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: '{',
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-json']);
  });

  test('is refused: a GET', async () => {
    const { status, headers, body } = await gateway.send('/v1/metadata', { headers: admin });
    expect([status, headers.allow]).toEqual([405, 'POST']);
    expect(body).toMatchObject({ code: 'method-not-allowed' });
  });
});

describe('export_metadata', () => {
  test('gives the current metadata, with references to the environment in place of its values', async () => {
    const { body, text } = await gateway.command('export_metadata');
    expect(body).toEqual({ version: 3, sources: [], remote_schemas: [SHOP] });
    expect(text).not.toMatch(/a-secret-key|127\.0\.0\.1/);
  });

  test('gives it in the wrapped form when it is asked for version 2', async () => {
    const { body } = await gateway.post('/v1/metadata', { type: 'export_metadata', version: 2, args: {} }, admin);
    expect(body).toEqual({ resource_version: 1, metadata: { version: 3, sources: [], remote_schemas: [SHOP] } });
  });

  test('gives the last valid metadata when the files have become invalid', async () => {
    const edited = await keepForTest(openEditedGateway({ 'remote_schemas.yaml': [SHOP] }, { issuer, environment }));
    expect((await edited.edit({ 'remote_schemas.yaml': '[' })).status).toBe(400);
    expect((await edited.command('export_metadata')).body).toMatchObject({ remote_schemas: [SHOP] });
  });

  test('gives a file that a gateway can be pointed at', async () => {
    const original = metadataDirectory({
      'remote_schemas.yaml': [SHOP],
      'actions.yaml': {
        actions: [{ name: 'ping', definition: { handler: '{{SHOP_URL}}' }, permissions: [{ role: 'user' }] }],
      },
      'actions.graphql': 'type Query { ping(of: Kind): Pong } type Pong { at: Int! } enum Kind { A B }',
    });
    const exporting = await keepForTest(
      openEditedGateway({}, { issuer, environment: { ...environment, HASURA_GRAPHQL_METADATA_DIR: original.path } }),
    );
    const { text } = await exporting.command('export_metadata');
    const copy = metadataDirectory({ 'metadata.json': text });
    const file = `${copy.path}/metadata.json`;
    expect(loadMetadata(file).actions.actions).toEqual(loadMetadata(original.path).actions.actions);
    const importing = await keepForTest(
      openEditedGateway({}, { issuer, environment: { ...environment, HASURA_GRAPHQL_METADATA_DIR: file } }),
    );
    const introspect =
      '{ __schema { types { name kind fields { name type { name ofType { name } } args { name defaultValue } } } } }';
    const [before, after] = await Promise.all(
      [exporting, importing].map((one) => one.graphql(introspect, { token: issuer.token() })),
    );
    expect(after?.body.data).toEqual(before?.body.data);
    original.close();
    copy.close();
  });
});

test('reload_metadata says how it went, and get_inconsistent_metadata what is amiss', async () => {
  const edited = await keepForTest(openEditedGateway({ 'remote_schemas.yaml': [SHOP] }, { issuer, environment }));
  const gone = { name: 'gone', definition: { url: 'http://127.0.0.1:1/graphql' } };
  expect((await edited.edit({ 'remote_schemas.yaml': [SHOP, gone] })).body).toEqual({
    message: 'success',
    is_consistent: false,
    inconsistent_objects: [expect.objectContaining({ type: 'remote_schema', name: 'gone' })],
  });
  expect((await edited.command('get_inconsistent_metadata')).body).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'remote_schema', name: 'gone', reason: expect.any(String) }],
  });
  expect((await edited.edit({ 'remote_schemas.yaml': [SHOP] })).body).toEqual({
    message: 'success',
    is_consistent: true,
  });
  expect((await edited.command('get_inconsistent_metadata')).body).toEqual({
    is_consistent: true,
    inconsistent_objects: [],
  });
});

describe('remote schemas', () => {
  test('are introspected as they are, by their name', async () => {
    const { status, body } = await gateway.command<{ data: { __schema: { queryType: { name: string } } } }>(
      'introspect_remote_schema',
      { name: 'shop' },
    );
    expect([status, body.data.__schema.queryType]).toMatchObject([200, { name: 'Query' }]);
    expect(JSON.stringify(body)).toContain('"item"');
  });

  test('are asked for their schema again, by their name', async () => {
    shop.forget();
    expect(await gateway.command('reload_remote_schema', { name: 'shop' })).toMatchObject({
      status: 200,
      body: { message: 'success' },
    });
    expect(shop.requests.length).toBeGreaterThan(0);
  });

  test.each([[{ name: 'other' }], [{ name: 5 }], [{ name: '__proto__' }], [{}]])(
    'that do not exist are neither: %j',
    async (args) => {
      for (const type of ['introspect_remote_schema', 'reload_remote_schema'])
        expect(await gateway.command(type, args)).toMatchObject({
          status: 400,
          body: { path: '$.args.name', code: 'not-found' },
        });
    },
  );
});

describe('a bulk', () => {
  const bulk = (args: unknown) => gateway.command<unknown>('bulk', args as object);

  test('runs its commands in order', async () => {
    const { status, body } = await bulk([RELOAD, { type: 'export_metadata', args: {} }]);
    expect([status, body]).toMatchObject([200, [{ message: 'success' }, { version: 3 }]]);
  });

  test('with a command that is none does nothing', async () => {
    const reloads = gateway.logged('metadata.reloaded').length;
    expect(await bulk([RELOAD, { args: {} }])).toMatchObject({ status: 400, body: { path: '$.args[1]' } });
    expect(gateway.logged('metadata.reloaded')).toHaveLength(reloads);
  });

  test.each([
    ['an object', {}, 'parse-failed'],
    ['too many commands', Array.from({ length: 101 }, () => ({ type: 'export_metadata' })), 'parse-failed'],
    ['another bulk', [{ type: 'bulk', args: [] }], 'not-supported'],
    ['a command that changes metadata', [{ type: 'clear_metadata', args: {} }], 'not-supported'],
  ])('of %s is refused', async (_, args, code) => {
    expect(await bulk(args)).toMatchObject({ status: 400, body: { code } });
  });
});
