import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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

  test('whoever sends it again within the grace time gets the same successor, and the session lives on', async () => {
    const { refresh_token } = await login();
    const winner = await refreshed(refresh_token);
    await delivered(winner);
    clock += 10_000;
    const late = await refreshed(refresh_token);

    expect(late.refresh_token).toBe(winner.refresh_token);
    expect((await refreshed(late.refresh_token)).refresh_token).not.toBe(late.refresh_token);
  });

  test('whoever sends it again after the grace time ends the session for everybody', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    await delivered(second);
    clock += 10_001;

    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.refresh(second.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.me(second.access_token)).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
    expect(world.service.logs()).toContain('"outcome":"reused"');
  });

  test('whoever sends the one before the last ends the session, also within the grace time', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);

    expect((await client.refresh(first.refresh_token)).result).toEqual(REFUSED);
    expect((await client.refresh(third.refresh_token)).result).toEqual(REFUSED);
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
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

  test('the tokens of a session are nowhere in the database, sealed or not, for who has no token', async () => {
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
