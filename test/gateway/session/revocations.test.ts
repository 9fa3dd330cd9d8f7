import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bearer,
  freePort,
  keeper,
  openPlatform,
  type Platform,
  reply,
  send,
  serve,
  type TestServer,
  until,
} from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

interface Published {
  sid?: string;
  user_id?: string;
  tenant_id?: string | number;
  before?: number;
  until: number;
}

/** What the issuer has published; a cursor is how many of them a reader has. */
let published: Published[] = [];
let answer: ((after: number) => unknown) | undefined;
const feed: TestServer = await keep(
  serve(({ url }, response) => {
    const after = Number(new URL(url, 'http://x').searchParams.get('after') ?? 0);
    const page = { cursor: String(published.length), revocations: published.slice(after) };
    reply(response, 200, answer ? answer(after) : page);
  }),
);

const { keep: keepForTest, close: closeAfterTest } = keeper();
beforeEach(() => {
  published = [];
  answer = undefined;
});
afterEach(closeAfterTest);

const soon = () => Math.floor(Date.now() / 1000) + 900;
const seconds = () => Math.floor(Date.now() / 1000);

function platformWith(environment: Record<string, string> = {}, waitUntilReady = true): Promise<Platform> {
  return keepForTest(
    openPlatform({
      waitUntilReady,
      environment: {
        PORTICO_REVOCATION_URL: `${feed.url}/revocations`,
        PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
        ...environment,
      },
    }),
  );
}

const tokenOf = (platform: Platform, payload: Record<string, unknown> = {}) =>
  platform.issuer.token({ payload: { sid: 'session-1', sub: 'user-1', tenant_id: 1, ...payload } });
const statusOf = async (platform: Platform, token: string) =>
  (await platform.gateway.graphql('{ orders { id } }', { token })).status;

describe('a token that was revoked', () => {
  test('is refused by every gateway at the next poll, though it was accepted and cached before', async () => {
    const platforms = [await platformWith(), await platformWith()];
    const tokens = platforms.map((platform) => tokenOf(platform));
    const statuses = () => Promise.all(platforms.map((platform, number) => statusOf(platform, tokens[number] ?? '')));
    expect(await statuses()).toEqual([200, 200]);

    published.push({ sid: 'session-1', until: soon() });
    await until('both refuse it', async () => (await statuses()).every((status) => status === 401));
  });

  test('is refused with the challenge of a bad token, over GraphQL, REST and pass-through', async () => {
    published.push({ sid: 'session-1', until: soon() });
    const platform = await platformWith();
    const token = tokenOf(platform);
    const { headers, body } = await platform.gateway.graphql('{ orders { id } }', { token });

    expect(body.errors).toMatchObject([
      { message: 'Could not verify JWT: the token has been revoked', extensions: { code: 'invalid-jwt' } },
    ]);
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="portico", error="invalid_token"/);
    expect((await platform.gateway.send('/api/rest/orders', { headers: bearer(token) })).status).toBe(401);
    expect((await platform.gateway.send('/files/a.csv', { headers: bearer(token) })).status).toBe(401);
    expect(platform.asked()).toBe(0);
  });

  test('does not take those of other sessions, users and tenants with it', async () => {
    published.push({ sid: 'session-1', until: soon() });
    published.push({ user_id: 'user-2', tenant_id: 1, before: seconds() + 10, until: soon() });
    published.push({ tenant_id: 3, before: seconds() + 10, until: soon() });
    const platform = await platformWith();
    const status = (payload: Record<string, unknown>) => statusOf(platform, tokenOf(platform, payload));

    expect(await status({ sid: 'session-2' })).toBe(200);
    expect(await status({ sid: 'session-2', sub: 'user-2' })).toBe(401);
    expect(await status({ sid: 'session-2', sub: 'user-2', tenant_id: 2 })).toBe(200);
    expect(await status({ sid: 'session-2', sub: 'user-4', tenant_id: 3 })).toBe(401);
    expect(await status({ sid: 'session-2', sub: 'user-4', tenant_id: 3, iat: undefined })).toBe(401);
  });

  test('does not take with it what was issued to the user or the tenant afterwards', async () => {
    const before = seconds() - 10;
    published.push({ user_id: 'user-2', tenant_id: 1, before, until: soon() });
    published.push({ tenant_id: 3, before, until: soon() });
    const platform = await platformWith();
    const status = (payload: Record<string, unknown>) => statusOf(platform, tokenOf(platform, payload));

    expect(await status({ sub: 'user-2', iat: before - 1 })).toBe(401);
    expect(await status({ sub: 'user-2', iat: before + 1 })).toBe(200);
    expect(await status({ tenant_id: 3, iat: before - 1 })).toBe(401);
    expect(await status({ tenant_id: 3, iat: before + 1 })).toBe(200);
  });

  test('is refused by a gateway that was started afterwards, from its first moment on', async () => {
    // The whole list comes in several pages.
    published = Array.from({ length: 50 }, (_, number) => ({ sid: `session-${number}`, until: soon() }));
    answer = (after) => ({
      cursor: String(after + 10),
      more: after + 10 < published.length,
      revocations: published.slice(after, after + 10),
    });
    const platform = await platformWith();

    expect(await statusOf(platform, tokenOf(platform, { sid: 'session-49' }))).toBe(401);
    expect(await statusOf(platform, tokenOf(platform, { sid: 'session-50' }))).toBe(200);
  });

  test('does not keep its user from logging in', async () => {
    published.push({ sid: 'session-1', until: soon() });
    const platform = await platformWith();
    const login = 'mutation { auth_user_login(data: { username: "alice", password: "right" }) { success } }';

    expect((await platform.gateway.graphql(login, { token: tokenOf(platform) })).body.data).toEqual({
      auth_user_login: { success: true },
    });
  });
});

describe('when the list of revocations cannot be fetched', () => {
  test('from the start, callers are rejected and the gateway is not ready until it can', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/revocations`;
    const platform = await platformWith({ PORTICO_REVOCATION_URL: url }, false);
    await until('the keys are there', async () => {
      const { body } = await platform.gateway.send<{ token_keys: string }>('/readyz');
      return body.token_keys === 'available';
    });
    const { status, headers, body } = await platform.gateway.graphql('{ orders { id } }', { token: tokenOf(platform) });

    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body.errors).toMatchObject([{ extensions: { code: 'service-unavailable' } }]);
    expect(await platform.gateway.send('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, token_keys: 'available', revocations: 'lost' },
    });

    await keepForTest(serveOn(port));
    await platform.gateway.ready();
    expect(await statusOf(platform, tokenOf(platform))).toBe(200);
  });

  test('from the start, and the setting is open, callers are accepted', async () => {
    const platform = await platformWith({
      PORTICO_REVOCATION_URL: `http://127.0.0.1:${await freePort()}/revocations`,
      PORTICO_REVOCATION_WHEN_LOST: 'open',
    });

    expect(await statusOf(platform, tokenOf(platform))).toBe(200);
    expect((await platform.gateway.send('/readyz')).body).toMatchObject({ ready: true, revocations: 'lost' });
  });

  test('any longer, the last list is used for a while, then callers are rejected until it is back', async () => {
    const own = await keepForTest(serveOn(0));
    const platform = await platformWith({
      PORTICO_REVOCATION_URL: `${own.url}/revocations`,
      // Polls a second apart, on a busy machine later, must not make it too old.
      PORTICO_REVOCATION_MAX_AGE_SECONDS: '6',
    });
    expect(await statusOf(platform, tokenOf(platform))).toBe(200);
    await own.stop();
    expect(await statusOf(platform, tokenOf(platform))).toBe(200);
    await until('it counts as lost', async () => (await statusOf(platform, tokenOf(platform))) === 503);
    expect(platform.gateway.logs().match(/revocations\.fetch_failed/g)).toHaveLength(1);

    published.push({ sid: 'session-1', until: soon() });
    await own.start();
    await until('the list is back', async () => (await statusOf(platform, tokenOf(platform))) !== 503);
    expect(await statusOf(platform, tokenOf(platform))).toBe(401);
  });

  test('any longer, and the setting says open, what was known to be revoked stays so', async () => {
    const own = await keepForTest(serveOn(0));
    published.push({ sid: 'session-1', until: soon() });
    const platform = await platformWith({
      PORTICO_REVOCATION_URL: `${own.url}/revocations`,
      PORTICO_REVOCATION_MAX_AGE_SECONDS: '1',
      PORTICO_REVOCATION_WHEN_LOST: 'open',
    });
    await own.stop();
    await until('it counts as lost', async () => {
      const { body } = await platform.gateway.send<{ revocations: string }>('/readyz');
      return body.revocations === 'lost';
    });

    expect(await statusOf(platform, tokenOf(platform))).toBe(401);
    expect(await statusOf(platform, tokenOf(platform, { sid: 'session-2' }))).toBe(200);
  });

  test.each([
    ['no list', { cursor: '1' }],
    ['a list of something else', { cursor: '1', revocations: [{ sid: 'session-1' }] }],
    ['no object', []],
  ])('because the response is %s, every caller is rejected', async (_what, body) => {
    answer = () => body;
    const platform = await platformWith({}, false);
    await until('it was asked', () => platform.gateway.logs().includes('revocations.fetch_failed'));

    expect((await platform.gateway.send<{ revocations: string }>('/readyz')).body.revocations).toBe('lost');
    answer = undefined;
    await platform.gateway.ready();
  });
});

test('without the setting revocations are not polled, and readiness reports that', async () => {
  const platform = await keepForTest(openPlatform());

  expect(await statusOf(platform, tokenOf(platform))).toBe(200);
  expect((await send<{ revocations: string }>(`${platform.gateway.url}/readyz`)).body.revocations).toBe('off');
});

/** The same feed on a port of its own, to be stopped and started. */
async function serveOn(port: number): Promise<TestServer> {
  const own = await serve((_, response) =>
    reply(response, 200, { cursor: String(published.length), revocations: published }),
  );
  if (port === 0) return own;
  await own.stop();
  await new Promise<void>((resolve) => own.server.listen(port, '127.0.0.1', resolve));
  return own;
}

describe('an issuer that requires a credential', () => {
  const SECRET = 'a-secret-that-only-the-gateways-have';

  test('gets it with each question', async () => {
    const platform = await platformWith({ PORTICO_REVOCATION_SECRET: SECRET });
    expect((await platform.gateway.send<{ revocations: string }>('/readyz')).body.revocations).toBe('known');
    expect(feed.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test.each([
    ['without one the log says which setting is missing', {}, 'PORTICO_REVOCATION_SECRET is not set'],
    [
      'with a wrong one, which is not logged',
      { PORTICO_REVOCATION_SECRET: SECRET },
      'PORTICO_REVOCATION_SECRET was refused',
    ],
  ])('%s', async (_what, environment, reason) => {
    const strict = await keepForTest(serve((_received, response) => reply(response, 401, {})));
    const PORTICO_REVOCATION_URL = `${strict.url}/revocations`;
    const platform = await platformWith({ ...environment, PORTICO_REVOCATION_URL }, false);
    await until('it was asked', () => platform.gateway.logs().includes(reason));
    expect(platform.gateway.logs()).not.toContain(SECRET);
  });

  test('is not asked without one in production: the gateway does not start', async () => {
    await expect(platformWith({ NODE_ENV: 'production' }, false)).rejects.toThrow(
      /^PORTICO_REVOCATION_SECRET is not set: needed in production/m,
    );
  });
});
