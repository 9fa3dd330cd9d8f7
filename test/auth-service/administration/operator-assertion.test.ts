import { createHash, generateKeyPairSync, KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createGatewayKeys } from '../../../auth-service/tokens/gateway-keys.ts';
import { createAssertions } from '../../../gateway/access/assertions/index.ts';
import { signingKeyOf } from '../../../gateway/access/assertions/signing-key.ts';
import { preferredEngine } from '../../database/index.ts';
import { reply, serve, type TestServer } from '../../gateway/harness/serve.ts';
import { type Administered, openAdministered, operationOf } from './administered.ts';

const SECRET = randomBytes(32);
const assertions = createAssertions({ secret: SECRET, issuer: 'portico' });
const { privateKey, publicJwk } = signingKeyOf(SECRET);

let gateway: TestServer;
/** Knows the gateway's keys. */
let it: Administered;
/** Knows of no gateway. */
let closed: Administered;

beforeAll(async () => {
  gateway = await serve((_, response) => reply(response, 200, assertions.keySet));
  it = await openAdministered(preferredEngine(), {
    AUTH_GATEWAY_JWKS_URL: `${gateway.url}/.well-known/portico-jwks.json`,
  });
  closed = await openAdministered(preferredEngine());
});
afterAll(async () => {
  await it?.close();
  await closed?.close();
  await gateway?.close();
});

interface Sent {
  readonly assertion?: string | undefined;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

async function post(body: string, { assertion, token, headers }: Sent, at = it) {
  const response = await fetch(`${at.world.service.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(assertion !== undefined && { 'x-portico-operator': assertion }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  });
  const { data, errors } = (await response.json()) as {
    data: Record<string, Record<string, unknown>> | null;
    errors?: readonly { extensions: { code: string } }[];
  };
  const [result] = Object.values(data ?? {});
  return { result, code: errors?.[0]?.extensions.code ?? result?.error_code };
}

const ME = JSON.stringify({ query: operationOf('query', 'auth_admin_me') });
const create = (tenant_id: number, name: string) =>
  JSON.stringify({
    query: operationOf('mutation', 'auth_admin_tenant_create'),
    variables: { data: { tenant_id, name } },
  });
const signed = (body: string) => assertions.operatorFor('auth').forRequest(body);

/** As the gateway's, but for what is changed. */
function forged(changes: { claims?: object; header?: object; key?: jwt.Secret } = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const body_sha256 = createHash('sha256').update(ME).digest('base64url');
  const claims = { iss: 'portico', aud: 'auth', iat: now, exp: now + 30, jti: randomUUID() };
  const payload = { ...claims, scope: 'platform:admin', body_sha256, ...changes.claims };
  const header = { alg: 'ES256', typ: 'portico-operator+jwt', kid: publicJwk.kid, ...changes.header } as const;
  return jwt.sign(JSON.parse(JSON.stringify(payload)), changes.key ?? privateKey, {
    algorithm: header.alg as 'ES256',
    header: header as jwt.JwtHeader,
  });
}

describe('the assertion of a gateway that its caller has shown the admin secret', () => {
  test('makes an operator of this one request, and is written down', async () => {
    expect((await post(ME, { assertion: signed(ME) })).result).toMatchObject({ acting_as: 'platform-operator' });
    const body = create(11, 'of the admin secret');
    expect((await post(body, { assertion: signed(body) })).result).toMatchObject({ success: true });
    const entry = await it.world.database.auditEntry.findFirstOrThrow({
      where: { event: 'tenant.add', subjectId: '11' },
    });
    expect(entry).toMatchObject({ actorKind: 'operator', actorId: 'gateway admin secret', outcome: 'success' });
    expect(entry.details).toMatchObject({ acting_as: 'platform-operator' });
  });

  test('counts in the place of a token that comes along, whatever rights the token has', async () => {
    expect((await post(ME, { assertion: signed(ME), token: it.tokens.anna })).result).toMatchObject({
      acting_as: 'platform-operator',
    });
    expect((await post(ME, { assertion: 'x', token: it.tokens.operator })).code).toBe('invalid-jwt');
  });

  test('is of several fields of one request, once', async () => {
    const one = 'auth_admin_tenant_create(data: { tenant_id: ID, name: "nID" }) { success error_code }';
    const query = `mutation { a: ${one.replaceAll('ID', '21')} b: ${one.replaceAll('ID', '22')} }`;
    const body = JSON.stringify({ query });
    const assertion = signed(body);
    expect((await post(body, { assertion })).result).toMatchObject({ success: true });
    expect(await it.world.database.tenant.count({ where: { id: { in: [21, 22] } } })).toBe(2);
    expect((await post(body, { assertion })).code).toBe('invalid-jwt');
  });

  test('changes nothing when it is sent again, with the same request or another', async () => {
    const body = create(31, 'once');
    const assertion = signed(body);
    await post(body, { assertion });
    for (const again of [body, create(32, 'twice'), ME, body.replace('31', '33'), `${body} `])
      expect((await post(again, { assertion })).code).toBe('invalid-jwt');
    expect(await it.world.database.tenant.count({ where: { id: { in: [32, 33] } } })).toBe(0);
  });

  test('may be sent again with a query, as a gateway does whose connection was lost', async () => {
    const assertion = signed(ME);
    for (const _ of [1, 2]) expect((await post(ME, { assertion })).code).toBeUndefined();
  });

  test('is accepted as the forgeries below are made, but for what is forged', async () => {
    expect((await post(ME, { assertion: forged() })).code).toBeUndefined();
  });

  const now = Math.floor(Date.now() / 1000);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  test.each<[string, () => string]>([
    ['of a stranger', () => forged({ key: stranger })],
    ['of a key that the gateway has not', () => forged({ header: { kid: 'unknown' } })],
    ['that has ended', () => forged({ claims: { iat: now - 60, exp: now - 30 } })],
    ['of the future', () => forged({ claims: { iat: now + 600, exp: now + 630 } })],
    ['that lives for longer than a minute', () => forged({ claims: { exp: now + 3600 } })],
    ['without an end', () => forged({ claims: { exp: undefined } })],
    ['for another service', () => forged({ claims: { aud: 'orders' } })],
    ['of another issuer', () => forged({ claims: { iss: 'evil' } })],
    ['without its scope', () => forged({ claims: { scope: undefined } })],
    ['with another scope', () => forged({ claims: { scope: 'platform:read' } })],
    ['without an id', () => forged({ claims: { jti: undefined } })],
    ['of another request', () => forged({ claims: { body_sha256: createHash('sha256').digest('base64url') } })],
    ['of any request', () => forged({ claims: { body_sha256: undefined } })],
    ['of a service, not of an operator', () => forged({ header: { typ: 'portico-assertion+jwt' } })],
    ['with something critical', () => forged({ header: { crit: ['exp'] } })],
    ['that is really a service assertion', () => assertions.forAudience('auth').forGateway()],
    ['signed with the public key as a secret', () => hmac(forged())],
    ['without a signature', () => none(forged())],
    ['that is an access token', () => it.tokens.operator],
    ['that is empty', () => ''],
    ['that is long', () => 'x'.repeat(5_000)],
    ['that is the admin secret itself', () => 'admin-secret'],
  ])('is refused: one %s', async (_, make) => {
    expect((await post(ME, { assertion: make() })).code).toBe('invalid-jwt');
    expect((await post(ME, { assertion: make(), token: it.tokens.anna })).code).toBe('invalid-jwt');
  });

  test('is no secret: nothing but it counts, as headers of clients do not', async () => {
    const headers = {
      'x-hasura-admin-secret': 'admin-secret',
      'x-hasura-role': 'admin',
      'x-portico-assertion': signed(ME),
      'x-portico-operators': signed(ME),
    };
    expect((await post(ME, { headers })).code).toBe('invalid-jwt');
    expect((await post(ME, { headers, token: it.tokens.anna })).result).toMatchObject({
      acting_as: 'tenant-administrator',
    });
  });

  test('means nothing to an auth service that knows of no gateway', async () => {
    expect((await post(ME, { assertion: signed(ME) }, closed)).code).toBe('invalid-jwt');
    expect((await post(ME, { assertion: signed(ME), token: closed.tokens.anna }, closed)).result).toMatchObject({
      acting_as: 'tenant-administrator',
    });
  });
});

describe('the keys of the gateway', () => {
  test('are fetched again for an unknown one and after five minutes, and count no longer without an answer', async () => {
    let at = Date.now();
    const failures: unknown[] = [];
    const find = createGatewayKeys({
      url: gateway.url,
      now: () => new Date(at),
      onFetchFailed: (error) => failures.push(error),
    });
    const fetched = () => gateway.requests.length;
    const before = fetched();
    expect(await Promise.all([find(publicJwk.kid), find(publicJwk.kid)])).toEqual([
      expect.any(KeyObject),
      expect.any(KeyObject),
    ]);
    for (const _ of [1, 2, 3]) expect(await find('invented')).toBeUndefined();
    expect(fetched() - before).toBe(1);
    at += 6_000;
    expect(await find('invented')).toBeUndefined();
    expect(fetched() - before).toBe(2);
    await gateway.stop();
    at += 6 * 60_000;
    expect(await find(publicJwk.kid)).toBeUndefined();
    expect(failures).toHaveLength(1);
    await gateway.start();
    at += 6_000;
    expect(await find(publicJwk.kid)).toBeInstanceOf(KeyObject);
  });

  test('are fetched again after the clock was set back', async () => {
    let at = Date.now();
    const find = createGatewayKeys({ url: gateway.url, now: () => new Date(at), onFetchFailed: () => {} });
    await find(publicJwk.kid);
    const before = gateway.requests.length;
    at -= 3_600_000;
    expect(await find(publicJwk.kid)).toBeInstanceOf(KeyObject);
    expect(gateway.requests.length - before).toBe(1);
  });

  test('that are known are there while another one is looked for', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    const slow = await serve(async (_, response) => {
      asked += 1;
      if (asked > 1) await answered;
      reply(response, 200, assertions.keySet);
    });
    let at = Date.now();
    const find = createGatewayKeys({ url: slow.url, now: () => new Date(at), onFetchFailed: () => {} });
    await find(publicJwk.kid);
    at += 6_000;
    let isOver = false;
    const invented = find('invented').finally(() => {
      isOver = true;
    });
    expect(await find(publicJwk.kid)).toBeInstanceOf(KeyObject);
    expect(isOver).toBe(false);
    answer();
    expect(await invented).toBeUndefined();
    await slow.close();
  });
});

function none(assertion: string): string {
  const [, payload] = assertion.split('.');
  const header = { alg: 'none', typ: 'portico-operator+jwt', kid: publicJwk.kid };
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.`;
}

function hmac(assertion: string): string {
  const payload = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const header = { alg: 'HS256', typ: 'portico-operator+jwt', kid: publicJwk.kid } as const;
  return jwt.sign(payload, JSON.stringify(publicJwk), { algorithm: 'HS256', header });
}
