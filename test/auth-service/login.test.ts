import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../database/index.ts';
import { createWorld, type World } from './world.ts';

const REFUSED = {
  success: false,
  error_message: 'Invalid username, password or tenant',
  data: null,
};

const DAY_MS = 86_400_000;

describe.each(await availableEngines())('logging in, on %s', (engine) => {
  let world: World;
  let aliceId: string;

  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_ISSUER: 'https://portico.example', AUTH_AUDIENCE: 'shop' });
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    await world.addTenant(3, 'closed', { disabled: true });
    aliceId = await world.addUser(1, 'alice', 'alice at acme', { allowedRoles: ['user', 'manager'] });
    await world.addUser(2, 'alice', 'alice at globex');
    await world.addUser(1, 'twin', 'one password for two tenants');
    await world.addUser(2, 'twin', 'one password for two tenants');
    await world.addUser(1, 'carol', 'carol at acme', { disabled: true });
    await world.addUser(3, 'dave', 'dave at closed');
  });
  afterAll(() => world.close());

  /** Logs in and expects to be let in. */
  async function tokensOf(username: string, password: string, tenant_id: number) {
    const { body } = await world.service.login({ username, password, tenant_id });
    const result = body.data?.auth_user_login;
    if (!result?.data) throw new Error(`refused: ${result?.error_message}`);
    return result.data;
  }

  /** Checks the signature with node's own crypto and the published keys alone. */
  async function verifiedParts(token: string) {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const response = await fetch(`${world.service.url}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    const jwk = keys.find(({ kid }) => kid === decode(header).kid);
    if (!jwk) throw new Error('the key of the token is not published');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    const genuine = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
    return { genuine, header: decode(header), claims: decode(payload), jwk };
  }

  test('the right name, password and tenant give tokens', async () => {
    const answer = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        auth_user_login: {
          success: true,
          error_message: null,
          data: {
            access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
            expires_in: 900,
            refresh_token: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          },
        },
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('the access token says who I am, in which tenant and with which roles, and its signature holds', async () => {
    const { access_token } = await tokensOf('alice', 'alice at acme', 1);
    const { genuine, header, claims, jwk } = await verifiedParts(access_token);

    expect(genuine).toBe(true);
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid });
    const now = Date.now() / 1000;
    expect(claims).toEqual({
      iss: 'https://portico.example',
      aud: 'shop',
      sub: aliceId,
      client_id: 'portico',
      iat: expect.any(Number),
      exp: claims.iat + 900,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: 1,
      'https://hasura.io/jwt/claims': {
        'x-hasura-allowed-roles': ['user', 'manager'],
        'x-hasura-default-role': 'user',
        'x-hasura-user-id': aliceId,
        'x-hasura-tenant-id': '1',
      },
    });
    expect(Math.abs(claims.iat - now)).toBeLessThan(60);
  });

  test('a token that was changed does not pass its signature', async () => {
    const { access_token } = await tokensOf('alice', 'alice at acme', 1);
    const [header, payload = '', signature] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, tenant_id: 2 })).toString('base64url');

    expect((await verifiedParts(`${header}.${forged}.${signature}`)).genuine).toBe(false);
  });

  test('the session and its refresh token end when the settings say', async () => {
    const { access_token } = await tokensOf('alice', 'alice at acme', 1);
    const { claims } = await verifiedParts(access_token);
    const session = await world.database.session.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: 1, id: claims.sid } },
      include: { refreshTokens: true },
    });
    const [token] = session.refreshTokens;

    expect(session.userId).toBe(aliceId);
    // A whole second, as the expiry of access tokens is.
    expect(session.expiresAt.getTime()).toBe(Math.floor((session.createdAt.getTime() + 90 * DAY_MS) / 1_000) * 1_000);
    expect(session.refreshTokens).toHaveLength(1);
    expect(token?.expiresAt.getTime()).toBe(session.createdAt.getTime() + 30 * DAY_MS);
    expect(token).toMatchObject({ usedAt: null, parentHash: null });
  });

  test('the refresh token and the password are nowhere in the database', async () => {
    const { refresh_token } = await tokensOf('alice', 'alice at acme', 1);
    const bare = refresh_token.replaceAll('-', '');
    const tables = await world.database.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    let everything = '';
    for (const { name } of tables) {
      const rows = await world.database.$queryRawUnsafe<{ text: string }[]>(`SELECT t::text AS text FROM "${name}" t`);
      everything += rows.map(({ text }) => text).join('\n');
    }

    expect(everything).toContain('alice');
    expect(everything).not.toContain(refresh_token);
    expect(everything).not.toContain(bare);
    expect(everything).not.toContain('alice at acme');
    expect(everything).not.toContain(Buffer.from(refresh_token).toString('hex'));
  });

  test('the same name and password in two tenants are two people', async () => {
    const first = await verifiedParts((await tokensOf('twin', 'one password for two tenants', 1)).access_token);
    const second = await verifiedParts((await tokensOf('twin', 'one password for two tenants', 2)).access_token);

    expect([first.claims.tenant_id, second.claims.tenant_id]).toEqual([1, 2]);
    expect(first.claims.sub).not.toBe(second.claims.sub);
  });

  test('tokens and sessions are new at every login', async () => {
    const first = await tokensOf('alice', 'alice at acme', 1);
    const second = await tokensOf('alice', 'alice at acme', 1);

    expect(first.refresh_token).not.toBe(second.refresh_token);
    expect((await verifiedParts(first.access_token)).claims.sid).not.toBe(
      (await verifiedParts(second.access_token)).claims.sid,
    );
  });

  test.each([
    ['a wrong password', { username: 'alice', password: 'alice at globex', tenant_id: 1 }],
    ['the password of my other tenant', { username: 'alice', password: 'alice at acme', tenant_id: 2 }],
    ['an unknown user', { username: 'nobody', password: 'alice at acme', tenant_id: 1 }],
    ['an unknown tenant', { username: 'alice', password: 'alice at acme', tenant_id: 99 }],
    ['tenant zero', { username: 'alice', password: 'alice at acme', tenant_id: 0 }],
    ['a negative tenant', { username: 'alice', password: 'alice at acme', tenant_id: -1 }],
    ['the largest tenant', { username: 'alice', password: 'alice at acme', tenant_id: 2147483647 }],
    ['a disabled user', { username: 'carol', password: 'carol at acme', tenant_id: 1 }],
    ['a disabled tenant', { username: 'dave', password: 'dave at closed', tenant_id: 3 }],
    ['an empty username', { username: '', password: 'alice at acme', tenant_id: 1 }],
    ['an empty password', { username: 'alice', password: '', tenant_id: 1 }],
    ['a name in another case', { username: 'Alice', password: 'alice at acme', tenant_id: 1 }],
    ['a name with a space after it', { username: 'alice ', password: 'alice at acme', tenant_id: 1 }],
    ['a name that is a pattern', { username: 'alic%', password: 'alice at acme', tenant_id: 1 }],
    ['a NUL in the name', { username: 'alice\u0000', password: 'alice at acme', tenant_id: 1 }],
    ['a lone surrogate in the name', { username: 'alice\ud800', password: 'alice at acme', tenant_id: 1 }],
    ['a name of 10 kB', { username: 'a'.repeat(10_240), password: 'alice at acme', tenant_id: 1 }],
    ['a NUL in the password', { username: 'alice', password: 'alice at acme\u0000', tenant_id: 1 }],
    ['a lone surrogate in the password', { username: 'alice', password: 'alice at acme\udfff', tenant_id: 1 }],
    ['a password of 90 kB', { username: 'alice', password: 'x'.repeat(90_000), tenant_id: 1 }],
  ])('%s is refused with the one message, after exactly one hash', async (_what, variables) => {
    const hashesBefore = world.service.hashes();
    const sessionsBefore = await world.database.session.count();
    const answer = await world.service.login(variables);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { auth_user_login: REFUSED }, extensions: { http: { status: 401 } } });
    expect(world.service.hashes() - hashesBefore).toBe(1);
    expect(await world.database.session.count()).toBe(sessionsBefore);
  });

  test('a login that succeeds takes exactly one hash too', async () => {
    const before = world.service.hashes();
    await tokensOf('alice', 'alice at acme', 1);

    expect(world.service.hashes() - before).toBe(1);
  });

  test.each([
    [{ password: 'p', tenant_id: 1 }, 'username is required'],
    [{ username: null, password: null, tenant_id: null }, 'username is required'],
    [{}, 'username is required'],
    [{ username: 'alice', tenant_id: 1 }, 'password is required'],
    [{ username: 'alice', password: null }, 'password is required'],
    [{ username: 'alice', password: 'p' }, 'tenant_id is required'],
    [{ username: '', password: '', tenant_id: null }, 'tenant_id is required'],
  ])('%j is refused by naming the first missing field', async (variables, message) => {
    const before = world.service.hashes();
    const answer = await world.service.login(variables);

    expect(answer.body).toEqual({
      data: { auth_user_login: { success: false, error_message: message, data: null } },
      extensions: { http: { status: 400 } },
    });
    expect(world.service.hashes()).toBe(before);
  });

  test.each([
    ['a text', '1'],
    ['a fraction', 1.5],
    ['a number over 32 bits', 2147483648],
    ['an array', [1]],
    ['an object', { id: 1 }],
  ])('a tenant_id that is %s is an error of the operation', async (_what, tenant_id) => {
    const before = world.service.hashes();
    const { body } = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id });

    expect(body.data).toBeUndefined();
    expect(body.errors).toMatchObject([
      {
        message: 'Variable "$tenant_id" is missing or has a value that is not of type "Int"',
        extensions: { code: 'validation-failed' },
      },
    ]);
    expect(world.service.hashes()).toBe(before);
  });

  test('data with thousands of unknown members is refused for the first of them, since each takes long to describe', async () => {
    const query = 'mutation ($data: AuthUserLoginInput!) { auth_user_login(data: $data) { success } }';
    const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`member${number}`, 1]));
    const { body } = await world.service.graphql(query, { data });

    expect(body.errors).toHaveLength(2);
    expect(body.errors?.[1]?.message).toMatch(/^Too many errors processing variables/);
  });

  test('a name is found however its characters were composed', async () => {
    await world.addUser(1, 'ren\u00e9', 'rene at acme');

    await expect(tokensOf('rene\u0301', 'rene at acme', 1)).resolves.toBeDefined();
  });

  test('a lone surrogate in the name is not taken for the character that drivers put in its place', async () => {
    await world.addUser(1, 'zoe\ufffd', 'zoe at acme');
    const { body } = await world.service.login({ username: 'zoe\ud800', password: 'zoe at acme', tenant_id: 1 });

    expect(body.data?.auth_user_login).toEqual(REFUSED);
    await expect(tokensOf('zoe\ufffd', 'zoe at acme', 1)).resolves.toBeDefined();
  });

  test.each([
    ['the user is disabled', 'user'],
    ['the whole tenant is disabled', 'tenant'],
    ['the password is changed', 'password'],
  ])('there is no session if %s while the password is being checked', async (_what, change) => {
    const tenantId = { user: 11, tenant: 12, password: 13 }[change] ?? 0;
    await world.addTenant(tenantId, `race ${change}`);
    const id = await world.addUser(tenantId, 'erin', 'erin at race');
    const user = { tenantId_id: { tenantId, id } };
    world.service.duringNextHash(async () => {
      if (change === 'tenant')
        await world.database.tenant.update({ where: { id: tenantId }, data: { disabledAt: new Date() } });
      if (change === 'user') await world.database.user.update({ where: user, data: { disabledAt: new Date() } });
      if (change === 'password') await world.database.user.update({ where: user, data: { passwordHash: 'another' } });
    });
    const { body } = await world.service.login({ username: 'erin', password: 'erin at race', tenant_id: tenantId });

    expect(body.data?.auth_user_login).toEqual(REFUSED);
    expect(await world.database.session.count({ where: { tenantId } })).toBe(0);
  });
});
