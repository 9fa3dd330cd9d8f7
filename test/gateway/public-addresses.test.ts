import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import WebSocket from 'ws';
import { bearer, keeper, openGateway, openIssuer, serve } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const accounts = await keep(serve((_, response) => response.writeHead(200, { 'x-from': 'accounts' }).end('answered')));
const service = {
  name: 'oauth',
  path: '/oauth',
  url: '{{ACCOUNTS}}/oauth',
  forward_client_headers: true,
  only_public_without_token: [
    { path: '/oauth/token', methods: ['POST'] },
    { path: '/oauth/keys', methods: ['GET'] },
  ],
};
const gateway = await keep(
  openGateway({ issuer, environment: { ACCOUNTS: accounts.url }, metadata: { 'services.yaml': [service] } }),
);
beforeEach(() => {
  accounts.requests.length = 0;
});

describe('addresses that are public without a token', () => {
  test('are reached without one, with the body and the client’s own Authorization', async () => {
    const headers = { authorization: 'Basic aWQ6c2VjcmV0', 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await gateway.send('/oauth/token?x=1', { method: 'POST', headers, body: 'grant_type=a' });

    expect([answer.status, answer.text]).toEqual([200, 'answered']);
    expect(accounts.requests).toMatchObject([
      { method: 'POST', url: '/oauth/token?x=1', text: 'grant_type=a', headers },
    ]);
  });

  test('ignore an invalid token', async () => {
    const headers = bearer(issuer.token({ payload: { exp: 1 } }));
    expect((await gateway.send('/oauth/token', { method: 'POST', headers })).status).toBe(200);
  });

  test('get no claim, neither the client’s word nor a token’s', async () => {
    const claims = { 'X-Hasura-Role': 'admin', 'x-hasura-user-id': '1', 'x-hasura-admin-secret': 's' };
    await gateway.send('/oauth/token', { method: 'POST', headers: { ...bearer(issuer.token()), ...claims } });

    expect(Object.keys(accounts.requests[0]?.headers ?? {}).filter((name) => name.startsWith('x-hasura-'))).toEqual([]);
  });

  test('take the methods that are listed only', async () => {
    for (const [method, path, allow] of [
      ['GET', '/oauth/token', 'POST'],
      ['DELETE', '/oauth/token', 'POST'],
      ['POST', '/oauth/keys', 'GET, HEAD'],
    ] as const) {
      const answer = await gateway.send(path, { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    }
    expect((await gateway.send('/oauth/keys', { method: 'HEAD' })).status).toBe(200);
    expect(accounts.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  test.each([
    '/oauth',
    '/oauth/',
    '/oauth/revoke',
    '/oauth/token/',
    '/oauth/token/x',
    '/oauth/Token',
    '/OAUTH/token',
    '/oauth//token',
    '/oauth/%74oken',
    '/oauth/token;x',
    '/oauth/../graphql',
    '/oauth/keys/../../graphql',
    '/oauth/%2e%2e/graphql',
    '/oauth/token%2f..%2f..%2fgraphql',
    '/revocations',
    '/graphql',
  ])('do not include %s, with a token or without', async (path) => {
    for (const headers of [{}, bearer(issuer.token())]) expect(await statusOf(path, headers)).toBe(404);
    expect(accounts.requests).toHaveLength(0);
  });

  /** Sends a path as it is written; fetch would resolve its dots. */
  function statusOf(path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect(gateway.port, '127.0.0.1');
      let text = '';
      socket.on('data', (piece) => {
        text += piece.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(Number(text.match(/^HTTP\/1\.1 (\d+)/)?.[1])));
      const lines = Object.entries({ host: 'x', 'content-length': '0', connection: 'close', ...headers });
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    });
  }

  test('take no WebSocket', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/oauth/keys`);
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('open', () => resolve('open'));
      socket.on('error', () => {});
    });
    expect(status).toBe(404);
  });
});

describe('the metadata of such addresses', () => {
  const refusal = (changes: object) =>
    openGateway({
      issuer,
      environment: { ACCOUNTS: accounts.url },
      metadata: { 'services.yaml': [{ ...service, ...changes }] },
    }).then(
      (opened) => opened.close().then(() => 'accepted'),
      (error: Error) => error.message,
    );

  test.each<[string, object, RegExp]>([
    [
      'outside the service’s path',
      { only_public_without_token: [{ path: '/graphql', methods: ['GET'] }] },
      /below \/oauth/,
    ],
    ['beside it', { only_public_without_token: [{ path: '/oauthx', methods: ['GET'] }] }, /below \/oauth/],
    [
      'with a dot segment',
      { only_public_without_token: [{ path: '/oauth/../graphql', methods: ['GET'] }] },
      /dot segments/,
    ],
    ['with a pattern', { only_public_without_token: [{ path: '/oauth/*', methods: ['GET'] }] }, /expected a path/],
    ['for every method', { only_public_without_token: [{ path: '/oauth/x', methods: ['*'] }] }, /methods/],
    ['for no method', { only_public_without_token: [{ path: '/oauth/x', methods: [] }] }, /methods/],
    ['without any', { only_public_without_token: [] }, /only_public_without_token/],
    ['with permissions', { permissions: [{ role: 'user' }] }, /cannot have permissions/],
  ])('%s is refused', async (_what, changes, reason) => {
    expect(await refusal(changes)).toMatch(reason);
  });
});
