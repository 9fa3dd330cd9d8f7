import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../gateway/config.ts';
import { describeSettings, hasuraSettings } from '../../gateway/hasura-settings.ts';
import { reportOf } from './cli/run-check.ts';
import { openEditedGateway } from './harness/edited-gateway.ts';
import { bearer, type GatewayOptions, graphqlUpstream, keeper, openGateway, openIssuer } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';
import { wsClient } from './subscriptions/clients.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(graphqlUpstream('type Query { orders: Int }', { Query: { orders: () => 3 } }));
const OPEN = { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl } }] };
const ADMIN = { HASURA_GRAPHQL_ADMIN_SECRET: 'correct-horse-battery-staple' };
const asAdmin = { 'x-hasura-admin-secret': ADMIN.HASURA_GRAPHQL_ADMIN_SECRET };
const open = (environment: GatewayOptions['environment'], metadata: Record<string, unknown> = OPEN) =>
  keep(openGateway({ issuer, metadata, environment: { ...ADMIN, ...environment } }));

const settingsIn = (environment: Record<string, string>, referred: readonly string[] = []) =>
  hasuraSettings(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [`HASURA_GRAPHQL_${name}`, value])),
    ['HASURA_GRAPHQL_ADMIN_SECRET', 'HASURA_GRAPHQL_LOG_LEVEL', 'HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL'],
    (variable) => referred.includes(variable),
  );

describe('settings of Hasura', () => {
  test('may have the values that deployments of Hasura give them', () => {
    const given = {
      HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'Yes',
      HASURA_GRAPHQL_DEV_MODE: 'F',
      HASURA_GRAPHQL_SERVER_HOST: '*',
      HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '300',
    };
    expect(readConfig({ ...ADMIN, ...given })).toMatchObject({
      HASURA_GRAPHQL_ENABLE_ALLOWLIST: true,
      HASURA_GRAPHQL_DEV_MODE: false,
      HASURA_GRAPHQL_SERVER_HOST: '*',
      HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: 300,
    });
  });

  test('without effect are named, those that are acted on or empty are not', () => {
    const { withoutEffect, differing, unknown } = settingsIn({
      ENABLE_TELEMETRY: 'true',
      DATABASE_URL: 'postgres://x',
      LOG_LEVEL: 'info',
      ADMIN_SECRET_FILE: '/run/secret',
      PG_CONNECTIONS: '',
    });
    expect(withoutEffect).toEqual(['HASURA_GRAPHQL_DATABASE_URL', 'HASURA_GRAPHQL_ENABLE_TELEMETRY']);
    expect([...differing, ...unknown]).toEqual([]);
  });

  test.each([
    [
      { ADMIN_SECRETS: '["a"]' },
      'HASURA_GRAPHQL_ADMIN_SECRETS: is not accepted: HASURA_GRAPHQL_ADMIN_SECRET is the only admin secret',
    ],
    [{ ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'false' }, 'are always enforced'],
    [{ CONFIGURED_HEADER_PRECEDENCE: 'false' }, 'configured headers always take precedence'],
    [{ WS_READ_COOKIE: 'true' }, 'is rejected unless HASURA_GRAPHQL_CORS_DOMAIN contains the origin'],
    [{ METRICS_SECRET: 's3cret-of-metrics' }, 'metrics are served without a secret'],
    [{ RATE_LIMIT_REDIS_USE_TLS: 'true', RATE_LIMIT_REDIS_URL: 'redis://a' }, 'begins with rediss://'],
  ])('with an effect on security are reported with the alternative: %j', (environment, message) => {
    const lines = describeSettings(settingsIn(environment));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(message);
    expect(lines[0]).not.toContain('s3cret');
  });

  test('are not reported where they ask for what happens anyway', () => {
    const environment = {
      ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
      CONFIGURED_HEADER_PRECEDENCE: 'true',
      WS_READ_COOKIE: 'false',
      RATE_LIMIT_REDIS_USE_TLS: 'true',
      RATE_LIMIT_REDIS_URL: 'rediss://a',
    };
    expect(describeSettings(settingsIn(environment))).toEqual([]);
  });

  test('that are misspelt are questioned, unless the metadata refers to them', () => {
    const environment = { ADMIN_SECERT: 'x', ENABEL_TELEMETRY: 'true', MY_OWN_URL: 'http://x' };
    expect(describeSettings(settingsIn(environment, ['HASURA_GRAPHQL_MY_OWN_URL']))).toEqual([
      'HASURA_GRAPHQL_ADMIN_SECERT is not a setting of Hasura or Portico: did you mean HASURA_GRAPHQL_ADMIN_SECRET?',
      'HASURA_GRAPHQL_ENABEL_TELEMETRY is not a setting of Hasura or Portico: did you mean HASURA_GRAPHQL_ENABLE_TELEMETRY?',
    ]);
    expect(describeSettings(settingsIn(environment))).toContain(
      'HASURA_GRAPHQL_MY_OWN_URL is not a setting of Hasura or Portico',
    );
  });

  test('of Portico that are misspelt are questioned, those of other processes are not', () => {
    const found = hasuraSettings(
      { PORTICO_MAX_DEPHT: '3', PORTICO_REDIS_URL_FIEL: '/x', PORTICO_REDIS_URL_FILE: '/x', PORTICO_PORTS: '8080' },
      ['PORTICO_MAX_DEPTH', 'PORTICO_REDIS_URL', 'PORTICO_JOBS'],
      () => false,
    );
    expect(describeSettings(found)).toEqual([
      'PORTICO_MAX_DEPHT is not a setting of Hasura or Portico: did you mean PORTICO_MAX_DEPTH?',
    ]);
  });

  test('are reported by the start and by the check', async () => {
    const environment = {
      HASURA_GRAPHQL_ENABLE_TELEMETRY: 'true',
      HASURA_GRAPHQL_PG_CONNECTIONS: '50',
      HASURA_GRAPHQL_ADMIN_SECRETS: '["s3cret-one"]',
      HASURA_GRAPHQL_UNAUTHORISED_ROLE: 'guest',
    };
    const gateway = await open(environment);
    const lines = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes('"event":"settings.'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        level: 'info',
        event: 'settings.without_effect',
        variables: ['HASURA_GRAPHQL_ENABLE_TELEMETRY', 'HASURA_GRAPHQL_PG_CONNECTIONS'],
      },
      { level: 'warn', event: 'settings.different', msg: expect.stringContaining('HASURA_GRAPHQL_ADMIN_SECRETS') },
      { level: 'warn', msg: expect.stringContaining('did you mean HASURA_GRAPHQL_UNAUTHORIZED_ROLE?') },
    ]);
    expect(gateway.logs()).not.toContain('s3cret-one');
    const { path: location } = await keep(metadataDirectory(OPEN));
    const { report } = await reportOf({ location, environment });
    expect(report.valid).toBe(true);
    expect(report.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('HASURA_GRAPHQL_ADMIN_SECRETS'),
      expect.stringContaining('HASURA_GRAPHQL_UNAUTHORISED_ROLE'),
    ]);
    expect(report.ignored).toEqual([
      {
        file: 'environment',
        what: 'settings of Hasura without effect: HASURA_GRAPHQL_ENABLE_TELEMETRY, HASURA_GRAPHQL_PG_CONNECTIONS',
      },
    ]);
  });

  test('that hold secrets cannot be read by metadata', async () => {
    for (const name of ['ADMIN_SECRETS', 'METRICS_SECRET', 'REDIS_URL', 'SSO_PROVIDERS', 'EE_LICENSE_KEY']) {
      const variable = `HASURA_GRAPHQL_${name}`;
      const files = {
        'remote_schemas.yaml': [{ name: 'thief', definition: { url: `http://127.0.0.1:1/{{${variable}}}` } }],
      };
      const { path: location } = await keep(metadataDirectory(files));
      const { report } = await reportOf({ location, environment: { [variable]: 'secret' } });
      expect(report.problems.map(({ message }) => message).join()).toContain(
        `secrets of the platform itself: ${variable}`,
      );
    }
  });
});

describe('HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS', () => {
  test('makes a remote schema without permissions the admin’s alone, after a reload too', async () => {
    const gateway = await keep(
      openEditedGateway(OPEN, { issuer, environment: { HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' } }),
    );
    const statuses = async () =>
      Promise.all(
        [{ token: issuer.token() }, {}, { headers: asAdmin }].map(async (caller) => {
          const { status, body } = await gateway.graphql('{ orders }', caller);
          return body.data?.orders ?? body.errors?.[0]?.extensions.code ?? status;
        }),
      );
    expect(await statuses()).toEqual(['validation-failed', 'invalid-headers', 3]);
    await gateway.edit({ 'remote_schemas.yaml': [{ ...OPEN['remote_schemas.yaml'][0], comment: 'edited' }] });
    expect(await statuses()).toEqual(['validation-failed', 'invalid-headers', 3]);
    const permissions = [{ role: 'user', definition: { schema: 'type Query { orders: Int }' } }];
    await gateway.edit({ 'remote_schemas.yaml': [{ ...OPEN['remote_schemas.yaml'][0], permissions }] });
    expect(await statuses()).toEqual([3, 'invalid-headers', 3]);
  });

  test('shows in the check', async () => {
    const { path: location } = await keep(metadataDirectory(OPEN));
    const closed = { HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' };
    expect((await reportOf({ location, environment: closed })).report.roles['*']).toEqual([]);
    expect((await reportOf({ location, environment: {} })).report.roles['*']).toEqual(['query orders']);
  });
});

describe('HASURA_GRAPHQL_ENABLED_APIS', () => {
  const post = {
    method: 'POST',
    body: '{"query":"{ orders }"}',
    headers: { 'content-type': 'application/json', ...asAdmin },
  };
  const METADATA = { ...post, body: '{"type":"export_metadata","args":{}}' };

  test.each([
    ['graphql', 200, 404],
    ['metadata, config', 404, 200],
    ['metadata,graphql,pgdump,config,developer,metrics', 200, 200],
    ['pgdump', 404, 404],
  ])('%s', async (apis, ofGraphql, ofMetadata) => {
    const gateway = await open({ HASURA_GRAPHQL_ENABLED_APIS: apis });
    const gone = { path: '$', error: 'resource does not exist', code: 'not-found' };
    for (const path of ['/v1/graphql', '/v1alpha1/graphql']) {
      const { status, body } = await gateway.send(path, post);
      expect(status).toBe(ofGraphql);
      if (status === 404) expect(body).toEqual(gone);
    }
    const { status, body } = await gateway.send('/v1/metadata', METADATA);
    expect(status).toBe(ofMetadata);
    if (status === 404) expect(body).toEqual(gone);
    // Odd ways to write an address that is switched off lead nowhere either.
    for (const path of ['/V1/metadata', '/v1/metadata/', '/v1//metadata', '/v1/graphql/', '/v1/%67raphql'])
      if (path.includes('metadata') ? ofMetadata === 404 : ofGraphql === 404)
        expect((await gateway.send(path, path.includes('metadata') ? METADATA : post)).status).toBe(404);
    expect((await gateway.send('/healthz')).status).toBe(200);
    expect((await gateway.send('/v1/version')).status).toBe(200);
  });

  test('without graphql, neither a GET, a WebSocket nor an event stream gets through; REST endpoints stay', async () => {
    const gateway = await open(
      { HASURA_GRAPHQL_ENABLED_APIS: 'metadata' },
      {
        ...OPEN,
        'query_collections.yaml': [
          { name: 'saved', definition: { queries: [{ name: 'orders', query: '{ orders }' }] } },
        ],
        'rest_endpoints.yaml': [
          {
            name: 'orders',
            url: 'orders',
            methods: ['GET'],
            definition: { query: { collection_name: 'saved', query_name: 'orders' } },
          },
        ],
      },
    );
    const headers = bearer(issuer.token());
    shop.forget();
    expect((await gateway.send('/v1/graphql?query={orders}', { headers })).status).toBe(404);
    expect(
      (await gateway.send('/v1/graphql?query={orders}', { headers: { ...headers, accept: 'text/event-stream' } }))
        .status,
    ).toBe(404);
    const client = await keep(wsClient(gateway.url, { headers }));
    expect(await client.subscribe('subscription { a }').ended()).not.toBe('complete');
    expect(shop.operations()).toEqual([]);
    expect(await gateway.send('/api/rest/orders', { headers })).toMatchObject({ status: 200, body: { orders: 3 } });
  });

  test('with a name that is none keeps the gateway from starting', async () => {
    await expect(open({ HASURA_GRAPHQL_ENABLED_APIS: 'graphql,metdata' })).rejects.toThrow(
      /HASURA_GRAPHQL_ENABLED_APIS: expected a list of metadata, graphql/,
    );
  });
});

test('HASURA_GRAPHQL_DISABLE_CORS takes all origins out', async () => {
  const environment = { HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.example.com', HASURA_GRAPHQL_DISABLE_CORS: 'true' };
  const gateway = await open(environment);
  const { headers } = await gateway.send('/v1/graphql', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});
