import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { refreshTokenHash, sealSuccessor } from '../../auth-service/tokens/index.ts';
import { availableEngines } from '../database/index.ts';
import { claimsOf, REFRESH, type SessionClient, sessionClient, type Tokens } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const REFUSED = { success: false, error_message: 'Invalid or expired refresh token', data: null };
const PASSWORD = 'a password of alice that is long';
const DAY_MS = 86_400_000;

describe.each(await availableEngines())('refreshing, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let clock = Date.now();
  let aliceId: string;

  beforeAll(async () => {
    world = await createWorld(engine, {}, { now: () => new Date(clock) });
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    aliceId = await world.addUser(1, 'alice', PASSWORD);
    await world.addUser(2, 'alice', PASSWORD);
  });
  beforeEach(() => {
    clock = Date.now();
  });
  afterAll(() => world.close());

  const login = () => client.login('alice', PASSWORD, 1);
  const sessionRow = (tokens: Tokens) => {
    const { sid, tenant_id } = claimsOf(tokens.access_token);
    return world.database.session.findUniqueOrThrow({ where: { tenantId_id: { tenantId: tenant_id, id: sid } } });
  };

  async function refreshed(token: string): Promise<Tokens> {
    const { result } = await client.refresh(token);
    if (!result.data) throw new Error(`refused: ${result.error_message}`);
    return result.data;
  }

  /** The grace time of a token runs from the moment that the reply with its successor is known to have arrived. */
  const delivered = (tokens: Tokens) =>
    until('the reply counts as delivered', async () => {
      const { sid: sessionId, tenant_id: tenantId } = claimsOf(tokens.access_token);
      const awaited = await world.database.refreshToken.count({ where: { tenantId, sessionId, awaitingAnswer: true } });
      return awaited === 0;
    });

  /** Sends the token, and hangs up when it has been exchanged, without having read a byte. */
  async function refreshAndHangUp({ refresh_token, access_token }: Tokens): Promise<void> {
    const { sid } = claimsOf(access_token);
    const body = JSON.stringify({ query: REFRESH, variables: { data: { refresh_token } } });
    const { hostname, port } = new URL(world.service.url);
    const socket = connect(Number(port), hostname).pause();
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await until(
      'the exchange is committed',
      async () => (await world.database.refreshToken.count({ where: { tenantId: 1, sessionId: sid } })) === 2,
    );
    socket.destroy();
  }

  test('a refresh token gives the same data as the login: an access token of the same session, and the next one', async () => {
    const first = await login();
    const { result, status } = await client.refresh(first.refresh_token);

    expect(status).toBeUndefined();
    expect(result).toEqual({
      success: true,
      error_message: null,
      data: {
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expires_in: 900,
        refresh_token: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      },
    });
    expect(result.data?.refresh_token).not.toBe(first.refresh_token);
    expect(claimsOf(result.data?.access_token ?? '').sid).toBe(claimsOf(first.access_token).sid);
    expect((await client.me(result.data?.access_token)).result).toMatchObject({ user_id: aliceId, tenant_id: 1 });
  });

  test('a missing token is named, and what is no token of ours is refused', async () => {
    expect(await client.refresh(undefined)).toMatchObject({
      status: 400,
      result: { success: false, error_message: 'refresh_token is required', data: null },
    });
    for (const token of ['', randomUUID(), '\u0000', '\ud800', "' OR 1=1 --", 'x'.repeat(10_000)])
      expect(await client.refresh(token)).toMatchObject({ status: 401, result: REFUSED });
  });

  test('new roles are in the next access token', async () => {
    const { refresh_token } = await login();
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 1, id: aliceId } },
      data: { allowedRoles: ['user', 'manager'] },
    });
    const { access_token } = await refreshed(refresh_token);

    expect(claimsOf(access_token)).toMatchObject({
      'https://hasura.io/jwt/claims': { 'x-hasura-allowed-roles': ['user', 'manager'] },
    });
  });

  test('a token that is sent again within the grace time gives the same successor, and the session lives on', async () => {
    const { refresh_token } = await login();
    const winner = await refreshed(refresh_token);
    await delivered(winner);
    clock += 10_000;
    const late = await refreshed(refresh_token);

    expect(late.refresh_token).toBe(winner.refresh_token);
    expect((await refreshed(late.refresh_token)).refresh_token).not.toBe(late.refresh_token);
  });

  test('a token that is sent again after the grace time ends the session', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    await delivered(second);
    clock += 10_001;

    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.refresh(second.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.me(second.access_token)).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
    expect(world.service.logs()).toContain('"event":"refresh.reuse_detected"');
  });

  test('the token before the last ends the session, also within the grace time', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);

    expect((await client.refresh(first.refresh_token)).result).toEqual(REFUSED);
    expect((await client.refresh(third.refresh_token)).result).toEqual(REFUSED);
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
  });

  const rowsOf = (tokens: Tokens) =>
    world.database.refreshToken.count({ where: { tenantId: 1, sessionId: claimsOf(tokens.access_token).sid } });

  test('a session has two rows of tokens however often it is refreshed, and one of weeks ago still ends it', async () => {
    const first = await login();
    let last = first;
    for (let times = 0; times < 12; times += 1) {
      last = await refreshed(last.refresh_token);
      clock += 2 * DAY_MS;
    }
    expect(await rowsOf(first)).toBe(2);

    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.refresh(last.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
    expect((await client.refresh(first.refresh_token)).result).toEqual(REFUSED);
  });

  test('a token of long ago logs its session out, as any other token of it does', async () => {
    const first = await login();
    const third = await refreshed((await refreshed(first.refresh_token)).refresh_token);
    expect(await rowsOf(first)).toBe(2);

    expect((await client.logout({ refresh_token: first.refresh_token })).result.success).toBe(true);
    expect((await client.refresh(third.refresh_token)).result).toEqual(REFUSED);
  });

  test('a token that is newer than what a restored backup knows of is refused, and ends nothing', async () => {
    const first = await login();
    const { sid: sessionId } = claimsOf(first.access_token);
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);
    // As after the login.
    await world.database.refreshToken.deleteMany({ where: { sessionId } });
    await world.database.session.updateMany({ where: { id: sessionId }, data: { refreshGeneration: 1 } });

    for (const { refresh_token } of [second, third])
      expect((await client.refresh(refresh_token)).result).toEqual(REFUSED);
    expect((await sessionRow(first)).revokedAt).toBeNull();
  });

  describe('tokens of 128 random bits, as the version before made them', () => {
    /** What that version stored at a login, and at a refresh. */
    async function addRandomToken(tokens: Tokens, parent?: string): Promise<string> {
      const { sid: sessionId } = claimsOf(tokens.access_token);
      const token = randomBytes(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      if (parent !== undefined)
        await world.database.refreshToken.updateMany({
          where: { tenantId: 1, hash: refreshTokenHash(parent) },
          data: { usedAt: new Date(clock), sealedSuccessor: sealSuccessor(token, parent) },
        });
      const expiresAt = new Date(clock + 30 * DAY_MS);
      const parentHash = parent === undefined ? null : refreshTokenHash(parent);
      const hash = refreshTokenHash(token);
      const createdAt = new Date(clock);
      await world.database.refreshToken.create({
        data: { tenantId: 1, hash, sessionId, parentHash, createdAt, expiresAt },
      });
      return token;
    }

    async function oldSession(): Promise<{ tokens: Tokens; token: string }> {
      const tokens = await login();
      const { sid: sessionId } = claimsOf(tokens.access_token);
      await world.database.refreshToken.deleteMany({ where: { sessionId } });
      await world.database.session.updateMany({ where: { id: sessionId }, data: { refreshGeneration: 0 } });
      return { tokens, token: await addRandomToken(tokens) };
    }

    test('are exchanged, given again within the grace time, and end the session when they are copies', async () => {
      const { tokens, token } = await oldSession();
      const second = await refreshed(token);
      expect((await refreshed(token)).refresh_token).toBe(second.refresh_token);
      const third = await refreshed(second.refresh_token);
      await refreshed(third.refresh_token);

      expect((await client.refresh(token)).result).toEqual(REFUSED);
      expect((await sessionRow(tokens)).revokedAt).not.toBeNull();
    });

    test('take turns with new ones while both versions run, and any older one of either kind ends the session', async () => {
      for (const [copy, place] of [['new', 1] as const, ['old', 2] as const]) {
        const { tokens, token } = await oldSession();
        const chain = [token];
        chain.push((await refreshed(chain[0] ?? '')).refresh_token);
        chain.push(await addRandomToken(tokens, chain[1]), '');
        chain[3] = (await refreshed(chain[2] ?? '')).refresh_token;
        chain.push((await refreshed(chain[3])).refresh_token);
        await refreshed(chain[4] ?? '');

        expect([copy, (await client.refresh(chain[place])).result]).toEqual([copy, REFUSED]);
        expect([copy, (await sessionRow(tokens)).revokedAt]).toEqual([copy, expect.any(Date)]);
      }
    });
  });

  test('another session of the same user does not mind', async () => {
    const stolen = await login();
    const other = await login();
    await delivered(await refreshed(stolen.refresh_token));
    clock += 10_001;
    await client.refresh(stolen.refresh_token);

    expect((await client.refresh(other.refresh_token)).result.success).toBe(true);
  });

  test('a client whose connection broke before it saw the reply can ask again, also long after', async () => {
    const first = await login();
    await refreshAndHangUp(first);
    // A later exchange shows that the one before was looked at.
    await delivered(await refreshed((await login()).refresh_token));
    clock += 3_600_000;
    const again = await refreshed(first.refresh_token);

    const { sid } = claimsOf(first.access_token);
    expect(await world.database.refreshToken.count({ where: { tenantId: 1, sessionId: sid } })).toBe(2);
    expect((await client.refresh(again.refresh_token)).result.success).toBe(true);
  });

  test('from the reply that it did get, the grace time counts, and it is not extended by asking again', async () => {
    const first = await login();
    await refreshAndHangUp(first);
    clock += 3_600_000;
    await delivered(await refreshed(first.refresh_token));
    clock += 9_000;
    await delivered(await refreshed(first.refresh_token));
    clock += 1_001;

    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
  });

  test('a reply that was lost does not hide a copy: once its successor is used, the token ends the session', async () => {
    const first = await login();
    await refreshAndHangUp(first);
    const copy = await refreshed(first.refresh_token);
    await refreshed(copy.refresh_token);

    expect((await client.refresh(first.refresh_token)).result).toEqual(REFUSED);
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
  });

  test('an unused token ends after 30 days, and every refresh gives it 30 more', async () => {
    const { refresh_token } = await login();
    clock += 29 * DAY_MS;
    const second = await refreshed(refresh_token);
    clock += 29 * DAY_MS;
    const third = await refreshed(second.refresh_token);
    clock += 30 * DAY_MS;

    expect(await client.refresh(third.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
  });

  test('after 90 days a session ends however often it was refreshed', async () => {
    // Sessions end at a whole second.
    clock = Math.floor(clock / 1_000) * 1_000;
    let tokens = await login();
    for (let days = 20; days < 90; days += 20) {
      clock += 20 * DAY_MS;
      tokens = await refreshed(tokens.refresh_token);
    }
    clock += 10 * DAY_MS - 1;
    tokens = await refreshed(tokens.refresh_token);
    clock += 1;

    expect((await client.refresh(tokens.refresh_token)).result).toEqual(REFUSED);
  });

  test('the tokens of a session cannot be read from the database, sealed or not, without a token', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    const rows = await world.database.$queryRaw<{ text: string }[]>`SELECT t::text AS text FROM refresh_tokens t`;
    const everything = rows.map(({ text }) => text).join('\n');

    for (const { refresh_token } of [first, second])
      for (const form of [refresh_token, refresh_token.replaceAll('-', ''), Buffer.from(refresh_token).toString('hex')])
        expect(everything).not.toContain(form);
    const sealed = await world.database.refreshToken.count({ where: { sealedSuccessor: { not: null } } });
    expect(sealed).toBeGreaterThan(0);
  });

  test('headers that name another tenant or user change nothing', async () => {
    const { refresh_token } = await login();
    const spoofed = { 'x-hasura-tenant-id': '2', 'x-hasura-user-id': randomUUID(), 'x-hasura-role': 'admin' };
    const { result } = await client.refresh(refresh_token, spoofed);

    expect(claimsOf(result.data?.access_token ?? '')).toMatchObject({ tenant_id: 1, sub: aliceId });
  });

  test('tokens are neither echoed nor logged', async () => {
    const { refresh_token } = await login();
    const second = await refreshed(refresh_token);
    clock += 10_001;
    const { text } = await client.refresh(refresh_token);
    const wrongType = await client.refresh([refresh_token]);

    expect(text + wrongType.text).not.toContain(refresh_token);
    expect(world.service.logs()).not.toContain(refresh_token);
    expect(world.service.logs()).not.toContain(second.refresh_token);
    expect(world.service.logs()).not.toContain(second.access_token);
  });
});
