import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { consoleSchemaFile } from '../../build/console-schema.ts';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, serve } from './harness/index.ts';

const ACCOUNTS = [{ tenant_id: 1, tenant: 'acme', username: 'alice', password: 'demo', roles: ['user'] }];
const SERVICES = [{ name: 'site', path: '/console', url: '{{SITE}}' }];
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const site = await keep(serve((_, response) => response.end('of the service')));
const on = await keep(
  openGateway({
    issuer,
    metadata: { 'services.yaml': SERVICES },
    environment: {
      HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
      PORTICO_DEMO_ACCOUNTS: JSON.stringify(ACCOUNTS),
      SITE: site.url,
    },
  }),
);
const off = await keep(openGateway({ issuer }));
const taken = await keep(
  openGateway({ issuer, metadata: { 'services.yaml': SERVICES }, environment: { SITE: site.url } }),
);

/** The assets that the page names. */
async function assets(): Promise<readonly string[]> {
  const { text } = await on.send('/console/');
  return [...text.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => `/console/${name}`);
}

describe('a gateway whose console is off', () => {
  test('answers its address as any unknown one', async () => {
    const unknown = await off.send('/unknown');
    for (const path of ['/console', '/console/', '/console/settings.json', '/console/explorer']) {
      const { status, body } = await off.send(path);
      expect([status, body]).toEqual([unknown.status, unknown.body]);
    }
    expect((await off.send('/')).text).not.toMatch(/(?:href|src)="[^"]*console/);
  });
});

describe('the console', () => {
  test('is the same page at each of its addresses, which leads to its files from there', async () => {
    for (const [path, root] of [
      ['/console/', './'],
      ['/console/explorer', './'],
      ['/console/users/', '../'],
      ['/console/a/b/c', '../../'],
    ] as const) {
      const { status, headers, text } = await on.send(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['cache-control']).toBe('no-cache');
      expect(text).toMatch(
        new RegExp(`<script type="module" src="${root.replaceAll('.', '\\.')}assets/main-\\w+\\.js">`),
      );
      expect(text).not.toMatch(/https?:|\/\/|\sstyle=|<style|\son\w+=|javascript:/i);
    }
    expect(await on.send('/console')).toMatchObject({ status: 308, headers: { location: './console/' } });
    expect((await on.send('/')).text).toContain('href="console/"');
  });

  test('lets in nothing but its own files, and no frame around it', async () => {
    for (const path of ['/console/', '/console/settings.json', ...(await assets())]) {
      const { headers } = await on.send(path);
      expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([...POLICY].sort());
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('sends files that may be kept forever, in the coding that the client takes', async () => {
    const [script] = (await assets()).filter((name) => name.includes('/main-'));
    if (script === undefined) throw new Error('the page names no script');
    const plain = await on.send(script);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const coded = async (accept: string) => {
      const response = await fetch(`${on.url}${script}`, { headers: { 'accept-encoding': accept } });
      return { coding: response.headers.get('content-encoding'), text: await response.text() };
    };
    expect(await coded('gzip, br')).toEqual({ coding: 'br', text: plain.text });
    expect(await coded('gzip')).toEqual({ coding: 'gzip', text: plain.text });
    for (const accept of ['identity', 'br;q=0, gzip;q=0', 'zstd'])
      expect(await coded(accept)).toEqual({ coding: null, text: plain.text });
  });

  test.each([
    '/console/assets/',
    '/console/assets/nothing.js',
    '/console/assets/../manifest.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/manifest.json',
    '/console/index.html',
    '/console/a/b/c/d/e/f/g/h',
    '/Console/',
    '/console/assets/__proto__',
  ])('has nothing at %s', async (path) => {
    const { status, text } = await on.send(path, { headers: bearer(issuer.token()) });
    expect([status, text.includes('<script')]).toEqual([404, false]);
  });

  test('takes GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect(await on.send('/console/', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await on.send('/console/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  test('takes its address from a service only while it is on', async () => {
    const headers = bearer(issuer.token());
    expect((await taken.send('/console/anything', { headers })).text).toBe('of the service');
    const before = site.requests.length;
    expect((await on.send('/console/anything', { headers })).text).toContain('<script');
    expect(site.requests).toHaveLength(before);
  });

  test('offers the accounts of demo data, and holds nothing of what a request says', async () => {
    const { body } = await on.send('/console/settings.json');
    expect(body).toEqual({ demoAccounts: ACCOUNTS, publicRole: 'anonymous', insightRoles: [], hasJobs: false });
    const plain = (await on.send('/console/')).text;
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-prefix': '/evil' };
    expect((await on.send('/console/?x=<script>', { headers })).text).toBe(plain);
  });
});

describe('/console/operations.json', () => {
  const TYPES = 'type Query { open: String secret: String } type Mutation { change: String }';
  const QUERIES = [
    { name: 'open', query: 'query open { open }' },
    { name: 'secret', query: 'query secret { secret }' },
    { name: 'change', query: 'mutation change { change }' },
  ];
  const grant = (role: string, schema: string) => ({ role, definition: { schema } });
  const world = (async () => {
    const service = await keep(graphqlUpstream(TYPES));
    return keep(
      openGateway({
        issuer,
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'service',
              definition: { url: service.graphqlUrl },
              permissions: [
                grant('user', 'type Query { open: String }'),
                grant('manager', TYPES),
                grant('blind', TYPES),
              ],
            },
          ],
          'query_collections.yaml': [{ name: 'shared', definition: { queries: QUERIES } }],
          'graphql_schema_introspection.yaml': { disabled_for_roles: ['blind'] },
        },
        environment: { HASURA_GRAPHQL_ENABLE_CONSOLE: 'true', HASURA_GRAPHQL_ADMIN_SECRET: 'secret-of-the-admin' },
      }),
    );
  })();

  async function names(headers: Readonly<Record<string, string>>): Promise<unknown> {
    const { status, body } = await (await world).send<{ operations?: readonly { name: string }[] }>(
      '/console/operations.json',
      { headers },
    );
    return body.operations?.map(({ name }) => name) ?? status;
  }

  test('holds what the role of the caller can run, and nothing else', async () => {
    expect(await names(bearer(issuer.token({ role: 'user' })))).toEqual(['open']);
    expect(await names(bearer(issuer.token({ role: 'manager' })))).toEqual(['open', 'secret', 'change']);
    expect(await names({ 'x-hasura-admin-secret': 'secret-of-the-admin' })).toEqual(['open', 'secret', 'change']);
  });

  test('is refused without credentials, with wrong ones, and to a role that may not introspect', async () => {
    expect(await names({})).toBe(401);
    expect(await names({ authorization: 'Bearer x.y.z' })).toBe(401);
    expect(await names({ 'x-hasura-admin-secret': 'wrong' })).toBe(401);
    expect(await names(bearer(issuer.token({ role: 'blind', roles: ['blind'] })))).toBe(403);
    expect(await names({ ...bearer(issuer.token({ role: 'user' })), 'x-hasura-role': 'blind' })).toBe(403);
  });
});

test('console/api/schema.d.ts is current: npm run docs writes it', () => {
  expect(readFileSync('console/api/schema.d.ts', 'utf8')).toBe(consoleSchemaFile());
});
