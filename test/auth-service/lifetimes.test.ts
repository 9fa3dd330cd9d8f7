import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../database/index.ts';
import { startTestService } from './service.ts';
import { claimsOf, type SessionClient, sessionClient, type Tokens } from './session-client.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of alice that is long';
const SESSION_DAYS = 1;
const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3_600;

describe.each(await availableEngines())('the lifetimes of tokens, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let clock: number;

  const settings = {
    AUTH_SESSION_MAX_DAYS: String(SESSION_DAYS),
    AUTH_REFRESH_TOKEN_IDLE_DAYS: '30',
    AUTH_ACCESS_TOKEN_TTL_SECONDS: String(HOUR_SECONDS),
  };
  const surroundings = { now: () => new Date(clock) };

  beforeAll(async () => {
    clock = Date.now();
    world = await createWorld(engine, settings, surroundings);
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', PASSWORD);
  });
  beforeEach(() => {
    // Between two seconds, which tokens count in.
    clock = Math.floor(Date.now() / 1000) * 1000 + 700;
  });
  afterAll(() => world.close());

  const login = () => client.login('alice', PASSWORD, 1);
  const sessionRow = ({ access_token }: Tokens) =>
    world.database.session.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: 1, id: claimsOf(access_token).sid } },
    });

  async function refreshed({ refresh_token }: Tokens): Promise<Tokens> {
    const { result } = await client.refresh(refresh_token);
    if (!result.data) throw new Error(`refused: ${result.error_message}`);
    return result.data;
  }

  test('an access token lives for its lifetime while its session lasts longer', async () => {
    const tokens = await login();
    const { iat, exp } = claimsOf(tokens.access_token);

    expect([tokens.expires_in, exp - iat]).toEqual([HOUR_SECONDS, HOUR_SECONDS]);
    expect((await sessionRow(tokens)).accessEndsAt).toEqual(new Date(clock + HOUR_SECONDS * 1000));
  });

  test.each([
    ['by a refresh', (tokens: Tokens) => refreshed(tokens)],
    [
      'by one that is sent again',
      async (tokens: Tokens) => {
        await refreshed(tokens);
        return refreshed(tokens);
      },
    ],
  ])('no access token outlives its session: %s', async (_, refresh) => {
    const first = await login();
    const { expiresAt } = await sessionRow(first);
    expect(expiresAt.getTime()).toBe(Math.floor((clock + SESSION_DAYS * DAY_MS) / 1000) * 1000);

    clock = expiresAt.getTime() - 90_300;
    const last = await refresh(first);

    expect(claimsOf(last.access_token).exp * 1000).toBe(expiresAt.getTime());
    expect(last.expires_in).toBe(91);
    expect((await sessionRow(last)).accessEndsAt).toEqual(expiresAt);
    expect((await client.sessions(last.access_token)).result?.find(({ current }) => current)?.expires_at).toBe(
      expiresAt.toISOString(),
    );
  });

  test('the last token of a session is valid until the session ends, and not after', async () => {
    const first = await login();
    const { expiresAt } = await sessionRow(first);
    clock = expiresAt.getTime() - 1;
    const last = await refreshed(first);

    expect(last.expires_in).toBe(1);
    expect((await client.me(last.access_token)).result).not.toBeNull();
    clock = expiresAt.getTime();
    expect((await client.me(last.access_token)).result).toBeNull();
    expect((await client.refresh(last.refresh_token)).result.success).toBe(false);
  });

  test('the last token of a session that ends within a second, as those of earlier versions, is not issued expired', async () => {
    const first = await login();
    const { expiresAt, tenantId, id } = await sessionRow(first);
    const data = { expiresAt: new Date(expiresAt.getTime() + 500) };
    await world.database.session.update({ where: { tenantId_id: { tenantId, id } }, data });
    await world.database.refreshToken.updateMany({ where: { tenantId, sessionId: id }, data });
    clock = expiresAt.getTime() + 200;
    const last = await refreshed(first);

    expect(claimsOf(last.access_token).exp * 1000).toBeGreaterThan(clock);
    expect(last.expires_in).toBe(1);
    expect((await client.me(last.access_token)).result).not.toBeNull();
  });

  test('a login whose tokens would live longer than its session gets one that ends with it', async () => {
    const long = await startTestService(
      world.databaseUrl,
      { ...settings, AUTH_ACCESS_TOKEN_TTL_SECONDS: '86400' },
      surroundings,
    );
    try {
      const tokens = await sessionClient(long.url).login('alice', PASSWORD, 1);
      const { expiresAt, accessEndsAt } = await sessionRow(tokens);

      expect(claimsOf(tokens.access_token).exp * 1000).toBe(expiresAt.getTime());
      expect(accessEndsAt).toEqual(expiresAt);
    } finally {
      await long.stop();
    }
  });

  test.each(['by a refresh', 'by one that is sent again'])(
    'where the lifetime has been reduced, a revocation lasts as long as the older token: %s',
    async (by) => {
      const older = await login();
      const { exp } = claimsOf(older.access_token);
      const brief = await startTestService(
        world.databaseUrl,
        { ...settings, AUTH_ACCESS_TOKEN_TTL_SECONDS: '60' },
        surroundings,
      );
      try {
        const reduced = sessionClient(brief.url);
        const { result } = await reduced.refresh(older.refresh_token);
        if (by === 'by one that is sent again') await reduced.refresh(older.refresh_token);
        expect(result.data?.expires_in).toBe(60);
        await reduced.logout(undefined, result.data?.access_token);
      } finally {
        await brief.stop();
      }
      const [revocation] = await world.database.revocation.findMany({
        where: { tenantId: 1, sessionId: claimsOf(older.access_token).sid },
      });
      expect(revocation?.until.getTime()).toBeGreaterThanOrEqual(exp * 1000);
    },
  );
});
