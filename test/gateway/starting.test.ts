import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../../gateway/process/gateway.ts';
import { SettingsError, StartError } from '../../platform/index.ts';
import {
  type GatewayOptions,
  gatewayEnvironment,
  keeper,
  type MetadataFiles,
  openGateway,
  openIssuer,
  openPlatform,
  writeMetadata,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

/** The lines that tell why it does not start. */
async function reasons(metadata: MetadataFiles, options: Partial<GatewayOptions> = {}): Promise<string[]> {
  const error = await openGateway({ issuer, metadata, ...options }).then(
    async (gateway) => {
      await gateway.close();
      return undefined;
    },
    (thrown: unknown) => thrown,
  );
  if (error instanceof SettingsError) return [...error.problems];
  if (error instanceof StartError) return error.message.split('\n').map((line) => line.trim());
  throw new Error('it has started, or failed in another way', { cause: error });
}

const REMOTE = { name: 'orders', definition: { url: 'http://127.0.0.1:1/graphql' } };

describe('with metadata that is not valid the gateway does not start, and says', () => {
  test('file, line, path and reason of everything that is wrong, at once', async () => {
    const lines = await reasons({
      'remote_schemas.yaml': '- name: orders\n  definition:\n    timeout_seconds: soon\n',
      'rest_endpoints.yaml': '- name: a\n  url: a\n  methods: [FETCH]\n',
      'services.yaml': '- name: files\n  path: files\n  url: http://127.0.0.1:1\n  paht: /x\n',
    });
    expect(lines[0]).toMatch(/metadata/);
    expect(lines.slice(1)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^remote_schemas\.yaml:3 \[0\]\.definition\.timeout_seconds: /),
        expect.stringMatching(/^rest_endpoints\.yaml:3 \[0\]\.methods\[0\]: /),
        expect.stringMatching(/^rest_endpoints\.yaml:1 \[0\]\.definition: /),
        expect.stringMatching(/^services\.yaml:2 \[0\]\.path: expected a path such as \/api\/orders/),
        expect.stringMatching(/^services\.yaml:\d \[0\].*"paht"/),
      ]),
    );
  });

  test('which variables of the environment are missing, of all sources at once', async () => {
    const lines = await reasons({
      'remote_schemas.yaml': [
        { name: 'orders', definition: { url: '{{ORDERS}}/{{PATH_OF_ORDERS}}' } },
        { name: 'other', definition: { url_from_env: 'OTHER', headers: [{ name: 'x', value_from_env: 'KEY' }] } },
      ],
      'actions.yaml': { actions: [{ name: 'act', definition: { handler: '{{HOOK}}' } }] },
      'actions.graphql': 'type Mutation { act: String }',
    });
    const all = lines.join('\n');
    expect(all).toMatch(
      /^remote_schemas\.yaml:3 .*: ORDERS, PATH_OF_ORDERS \(to be set where this process is started\)$/m,
    );
    expect(all).toMatch(/^remote_schemas\.yaml:6 .*: OTHER \(/m);
    expect(all).toMatch(/^remote_schemas\.yaml:9 .*: KEY \(/m);
    expect(all).toMatch(/^actions\.yaml:4 .*: HOOK \(/m);
  });

  const cases: [string, MetadataFiles, string | RegExp][] = [
    ['that the version is missing', { 'version.yaml': undefined }, /^version\.yaml: is missing/],
    ['that the version is another one', { 'version.yaml': 'version: 4\n' }, /^version\.yaml.*expected .*3/],
    ['that a file is no YAML', { 'services.yaml': '- name: [\n' }, /^services\.yaml:\d+:\d+: /],
    ['that a file is of another kind', { 'services.yaml': 'name: files\n' }, /^services\.yaml:1.*expected array/],
    [
      'which name stands twice',
      { 'remote_schemas.yaml': [REMOTE, REMOTE] },
      /^remote_schemas\.yaml:\d+ \[1\]\.name: "orders" already exists/,
    ],
    [
      'which collection is missing',
      endpoints(['a']),
      /^rest_endpoints\.yaml:\d+ \[0\]\.definition\.query: there is no collection "saved"/,
    ],
    [
      'which query is missing',
      { ...endpoints(['a']), ...collection({ other: '{ a }' }) },
      /there is no query "q" in the collection "saved"/,
    ],
    [
      'which query is misspelt',
      { ...endpoints(['a']), ...collection({ Q: '{ a }' }) },
      /there is no query "q" in the collection "saved": did you mean "Q"\?/,
    ],
    [
      'which query cannot be read',
      { ...endpoints(['a']), ...collection({ q: '{ a' }) },
      /the query "q" is not valid GraphQL: Syntax Error/,
    ],
    [
      'which query holds two operations',
      { ...endpoints(['a']), ...collection({ q: '{ a } query b { b }' }) },
      /the query "q" must contain exactly one operation/,
    ],
    [
      'which query is a subscription',
      { ...endpoints(['a']), ...collection({ q: 'subscription { a }' }) },
      /the query "q" is a subscription/,
    ],
    [
      'which endpoints answer the same',
      { ...endpoints(['users/:id', 'users/:name']), ...collection({ q: '{ a }' }) },
      /^rest_endpoints\.yaml:\d+ \[1\]\.url: .* handle the same GET requests/,
    ],
    [
      'which endpoint has an empty segment',
      { ...endpoints(['users//x']), ...collection({ q: '{ a }' }) },
      /^rest_endpoints\.yaml:\d+ \[0\]\.url: expected path segments/,
    ],
    [
      'which endpoint begins with a slash',
      { ...endpoints(['/api/rest/users']), ...collection({ q: '{ a }' }) },
      /^rest_endpoints\.yaml:\d+ \[0\]\.url: expected the path after \/api\/rest\/, without a slash at its beginning$/m,
    ],
    [
      'which endpoint has a parameter twice',
      { ...endpoints(['a/:x/:x']), ...collection({ q: '{ a }' }) },
      /a path parameter appears twice/,
    ],
    [
      'which service would take an address of the gateway’s own',
      { 'services.yaml': [{ name: 's', path: '/v1/x', url: 'http://x' }] },
      /this path is the gateway’s own/,
    ],
    [
      'that an action has no field',
      {
        'actions.yaml': { actions: [{ name: 'act', definition: { handler: 'http://x' } }] },
        'actions.graphql': 'type Query { b: Int }',
      },
      /action act is not present in actions\.graphql/,
    ],
    [
      'that a URL is none',
      { 'remote_schemas.yaml': [{ name: 'o', definition: { url: 'ftp://x' } }] },
      /expected an http or https URL/,
    ],
    [
      'that there are two URLs',
      { 'remote_schemas.yaml': [{ name: 'o', definition: { url: 'http://x', url_from_env: 'X' } }] },
      /expected exactly one of url and url_from_env/,
    ],
    [
      'that a header has no value',
      { 'remote_schemas.yaml': [{ name: 'o', definition: { url: 'http://x', headers: [{ name: 'a' }] } }] },
      /expected exactly one of value and value_from_env/,
    ],
    [
      'that a header would show a setting of ours',
      {
        'remote_schemas.yaml': [
          {
            name: 'o',
            definition: { url: 'http://x', headers: [{ name: 'a', value_from_env: 'HASURA_GRAPHQL_JWT_SECRET' }] },
          },
        ],
      },
      /HASURA_GRAPHQL_/,
    ],
  ];

  test.each(cases)('%s', async (_, metadata, expected) => {
    const lines = await reasons(metadata);
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
  });

  test('that there is no directory', async () => {
    const environment = { HASURA_GRAPHQL_METADATA_DIR: '/nowhere/metadata' };
    expect((await reasons({}, { environment })).join('\n')).toContain('/nowhere/metadata');
  });
});

describe('with settings that are not valid the gateway does not start, and says', () => {
  test('all of them at once and no value', async () => {
    const environment = {
      HASURA_GRAPHQL_SERVER_PORT: 'canary-port',
      HASURA_GRAPHQL_JWT_SECRET: '{"type":"HS256","key":"canary-key"}',
      PORTICO_MAX_BATCH: '0',
      PORTICO_REFERENCE_ENVELOPE: 'canary-yes',
    };
    const lines = await reasons({}, { environment });
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(Object.keys(environment).sort());
    expect(lines.join('\n')).not.toContain('canary');
  });

  test.each([
    ['nothing at all', undefined, /^HASURA_GRAPHQL_JWT_SECRET/],
    ['no JSON', '{', /expected a JSON object/],
    ['neither key nor URL', '{"type":"RS256"}', /key and jwk_url both cannot be empty/],
    ['key and URL', '{"type":"HS256","key":"k","jwk_url":"http://x"}', /key, jwk_url both cannot be present/],
    ['a short key', '{"type":"HS256","key":"short"}', /Key size too small/],
    ['a key that is no PEM', '{"type":"ES256","key":"canary"}', /key/],
    ['an unknown member', '{"jwk_url":"http://x","issuers":"x"}', /issuers/],
  ])('what is wrong with a JWT secret of %s', async (_, secret, expected) => {
    const lines = await reasons({}, { environment: { HASURA_GRAPHQL_JWT_SECRET: secret } });
    expect(lines.join('\n')).toMatch(expected);
    expect(lines.join('\n')).not.toContain('canary');
  });

  test('which variable sets the port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = String(typeof address === 'object' && address?.port);
    const [line] = await reasons({}, { environment: { HASURA_GRAPHQL_SERVER_PORT: port } });
    expect(line).toBe(`port ${port} on 127.0.0.1 is already in use: set HASURA_GRAPHQL_SERVER_PORT to a free one`);
    taken.close();
  });
});

describe('the metadata that Portico comes with', () => {
  test('is valid', async () => {
    const environment = { AUTH_SERVICE_URL: 'http://127.0.0.1:1', ORDERS_URL: 'http://127.0.0.1:1' };
    const HASURA_GRAPHQL_METADATA_DIR = fileURLToPath(new URL('../../metadata', import.meta.url));
    const gateway = await keep(
      openGateway({ issuer, environment: { ...environment, HASURA_GRAPHQL_METADATA_DIR }, waitUntilReady: false }),
    );
    expect((await gateway.send('/healthz')).status).toBe(200);
  });
});

test('several gateways can run in one process, whose signals are not theirs', async () => {
  const listening = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = listening();
  const metadata = writeMetadata({});
  const running = await startGateway(gatewayEnvironment(metadata.directory, { issuer }), { write: () => {} });
  expect(listening()).toEqual(before);
  await running.stop();
  metadata.close();
});

describe('the gateway stops', () => {
  test('after the requests that it has begun to answer', async () => {
    const platform = await openPlatform();
    let answer = () => {};
    platform.files.server.removeAllListeners('request').on('request', (_, response) => {
      answer = () => void response.end('finished');
    });
    const begun = new Promise((resolve) => platform.files.server.once('request', resolve));
    const { gateway, issuer: own } = platform;
    const fetched = gateway.send('/files/slow', { headers: { authorization: `Bearer ${own.token()}` } });
    await begun;
    const stopped = gateway.close();
    await expect(gateway.send('/healthz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    answer();
    expect(await fetched).toMatchObject({ status: 200, text: 'finished' });
    await stopped;
    await platform.close();
  });

  test('with nothing left to do', async () => {
    const metadata = writeMetadata({});
    const running = await startGateway(gatewayEnvironment(metadata.directory, { issuer }), { write: () => {} });
    await running.stop();
    metadata.close();
    await expect(fetch(`http://127.0.0.1:${running.port}/healthz`)).rejects.toThrow();
  });
});

function endpoints(urls: readonly string[]): MetadataFiles {
  const query = { collection_name: 'saved', query_name: 'q' };
  const list = urls.map((url, index) => ({ name: `e${index}`, url, methods: ['GET'], definition: { query } }));
  return { 'rest_endpoints.yaml': list };
}

function collection(queries: Record<string, string>): MetadataFiles {
  const list = Object.entries(queries).map(([name, query]) => ({ name, query }));
  return { 'query_collections.yaml': [{ name: 'saved', definition: { queries: list } }] };
}
