import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../gateway/config.ts';
import { bearer, gatewayEnvironment, keeper, openGateway, openIssuer } from './harness/index.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const MARKUP = '<script>alert(1)</script>&"\'';
const ACCOUNTS = [{ tenant_id: 1, tenant: 'acme', username: 'alice', password: MARKUP, roles: ['user', MARKUP] }];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const gateway = await keep(openGateway({ issuer }));
const demo = await keep(openGateway({ issuer, environment: { PORTICO_DEMO_ACCOUNTS: JSON.stringify(ACCOUNTS) } }));

describe('the page at /', () => {
  test('says what this is and leads on, without scripts and foreign origins', async () => {
    const { status, headers, text } = await gateway.send('/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Portico');
    expect(text).toContain('href="api/swagger"');
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:|https?:|\/\//i);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "style-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toMatch(/script-src|unsafe/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test('is the same whatever a request says', async () => {
    const plain = (await gateway.send('/')).text;
    const headers = { ...bearer(issuer.token()), host: 'evil.test', 'x-forwarded-host': 'evil.test', accept: MARKUP };
    expect((await gateway.send(`/?x=${encodeURIComponent(MARKUP)}`, { headers })).text).toBe(plain);
  });

  test('has its style, and takes GET and HEAD only', async () => {
    expect((await gateway.send('/portico-home.css')).headers['content-type']).toBe('text/css; charset=utf-8');
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

describe('demo accounts', () => {
  test('are shown where there are some, as text', async () => {
    const { text } = await demo.send('/');
    expect(text).toContain('<td>alice</td><td>&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;</td>');
    expect(text).not.toContain('<script');
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
