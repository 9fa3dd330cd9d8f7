import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../gateway/config.ts';
import { bearer, gatewayEnvironment, graphqlUpstream, keeper, openGateway, openIssuer } from './harness/index.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const MARKUP = '<script>alert(1)</script>&"\'';
const ACCOUNTS = [{ tenant_id: 1, tenant: 'acme', username: 'alice', password: MARKUP, roles: ['user', MARKUP] }];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const gateway = await keep(openGateway({ issuer }));
const demo = await keep(openGateway({ issuer, environment: { PORTICO_DEMO_ACCOUNTS: JSON.stringify(ACCOUNTS) } }));

describe('the page at /', () => {
  test('says what this is and leads on, without inline scripts and foreign origins', async () => {
    const { status, headers, text } = await gateway.send('/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Portico');
    expect(text).toContain('href="api/swagger"');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|(?:src|href)="(?:\w+:|\/\/)/i);
    for (const [tag] of text.matchAll(/<script[^>]*>[^<]*/g)) expect(tag).toMatch(/ src="[\w-]+\.js"( defer)?>$/);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test('is the same whatever a request says', async () => {
    const plain = (await gateway.send('/')).text;
    const headers = { ...bearer(issuer.token()), host: 'evil.test', 'x-forwarded-host': 'evil.test', accept: MARKUP };
    expect((await gateway.send(`/?x=${encodeURIComponent(MARKUP)}`, { headers })).text).toBe(plain);
  });

  test('has its files, and takes GET and HEAD only', async () => {
    const { text } = await gateway.send('/');
    const names = [...text.matchAll(/(?:src|href)="(portico[^"]+)"/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(['portico.svg', 'portico-home.css', 'portico-home.js', 'portico-theme.js']));
    const types = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };
    for (const [ending, type] of Object.entries(types))
      for (const name of names.filter((one) => one?.endsWith(ending)))
        expect((await gateway.send(`/${name}`)).headers['content-type']).toBe(`${type}; charset=utf-8`);
    expect(await gateway.send('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(await gateway.send('/', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    for (const path of ['//', '/home.html', '/home.css', '/index.html', '/portico-home.css/', '/%2f'])
      expect([path, (await gateway.send(path)).status]).toEqual([path, 404]);
  });

  test('names no user who can log in', async () => {
    expect((await gateway.send('/')).text).not.toMatch(/demo|password<\/th>/i);
  });
});

describe('what can be called', () => {
  const hostile = `"""<img src=x onerror=alert(1)> & more. Second sentence.""" `;
  const service = () => `type Query { ${hostile} items: [Item!]! secret: String } type Item { id: ID! name: String }`;

  async function openWith(options: {
    readonly hidden?: boolean;
    readonly demo?: boolean;
    readonly environment?: Record<string, string>;
  }) {
    const upstream = await keep(graphqlUpstream(service()));
    return keep(
      openGateway({
        issuer,
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'items',
              definition: { url: upstream.graphqlUrl },
              permissions: [
                {
                  role: 'public',
                  definition: { schema: `type Query { ${hostile} items: [Item!]! } type Item { id: ID! }` },
                },
                { role: 'user', definition: { schema: service() } },
              ],
            },
          ],
          ...(options.hidden && { 'graphql_schema_introspection.yaml': 'disabled_for_roles: [public]\n' }),
        },
        environment: {
          HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'public',
          ...(options.demo && { PORTICO_DEMO_ACCOUNTS: JSON.stringify(ACCOUNTS) }),
          ...options.environment,
        },
      }),
    );
  }

  test('is shown as callers without a token may introspect it, and escaped', async () => {
    const { text } = await (await openWith({})).send('/');
    expect(text).toContain('<code>items</code>');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; more.');
    expect(text).not.toMatch(/<img src=x|Second sentence|secret/);
    expect(text).toContain('{ items { id } }');
  });

  test('is not shown to callers who may not introspect', async () => {
    const { text } = await (await openWith({ hidden: true })).send('/');
    expect(text).not.toContain('items');
    expect(text).toContain('Everything here requires an access token.');
  });

  test.each([{ HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' }, { HASURA_GRAPHQL_ENABLED_APIS: 'metadata' }])(
    'is not shown where GraphQL is refused: %j',
    async (environment) => {
      expect((await (await openWith({ environment })).send('/')).text).not.toContain('items');
    },
  );

  test('is shown as the first demo account sees it, with what needs no token', async () => {
    const { text } = await (await openWith({ demo: true })).send('/');
    expect(text).toContain('<code>items</code> <span class="badge">no token</span>');
    expect(text).toContain('<code>secret</code></li>');
    expect(text).toContain('{ items { id name } }');
  });
});

describe('demo accounts', () => {
  test('are shown where there are some, as text', async () => {
    const { text } = await demo.send('/');
    expect(text).toContain('<td>alice</td><td>&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;</td>');
    expect(text).not.toMatch(/<script>|alert\(1\)<\/script/);
  });

  test('keep the gateway from starting in production', () => {
    const environment = { ...gatewayEnvironment('metadata', { issuer }), PORTICO_DEMO_ACCOUNTS: '[]' };
    expect(() => readConfig({ ...environment, NODE_ENV: 'production' })).toThrow(/PORTICO_DEMO_ACCOUNTS/);
    expect(readConfig(environment).PORTICO_DEMO_ACCOUNTS).toEqual([]);
    for (const wrong of ['x', '{}', '[{"username":"a"}]'])
      expect(() => readConfig({ ...environment, PORTICO_DEMO_ACCOUNTS: wrong })).toThrow(/PORTICO_DEMO_ACCOUNTS/);
  });
});

describe('the address of GraphQL, opened in a browser', () => {
  test('leads to the page', async () => {
    const { status, headers, text } = await gateway.send('/v1/graphql', { headers: { accept: BROWSER } });
    expect([status, headers.location, text]).toEqual([303, '../', '']);
    expect(headers).toMatchObject({ vary: expect.stringContaining('Accept'), 'cache-control': 'no-store' });
  });

  test.each([
    ['nothing in particular', undefined],
    ['anything', '*/*'],
    ['JSON', 'application/json'],
    ['GraphQL', 'application/graphql-response+json'],
    ['HTML last', 'application/json, text/html'],
    ['HTML and GraphQL', 'text/html, application/graphql-response+json'],
    ['no HTML', 'text/html;q=0, */*'],
    ['HTML in another word', 'text/htmlx, */*'],
    ['events', 'text/html, text/event-stream'],
    ['a list that is too long', `${'a/b,'.repeat(1_000)}text/html`],
  ])('is GraphQL to a client that accepts %s', async (_what, accept) => {
    const headers = accept === undefined ? {} : { accept };
    const { status, body } = await gateway.send<{ errors?: unknown[] }>('/v1/graphql', { headers });
    expect(status).not.toBe(303);
    expect(body.errors).toHaveLength(1);
  });

  test('is GraphQL with an operation, and by other methods', async () => {
    const headers = { accept: BROWSER };
    expect((await gateway.send('/v1/graphql?query=%7B__typename%7D', { headers })).status).not.toBe(303);
    expect((await gateway.send('/v1/graphql', { method: 'POST', headers })).status).not.toBe(303);
    expect((await gateway.send('/v1/graphql', { method: 'HEAD', headers })).status).toBe(405);
  });
});
