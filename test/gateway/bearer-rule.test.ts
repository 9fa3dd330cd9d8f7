import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Answer,
  bearer,
  type GraphqlBody,
  hostileTokens,
  keeper,
  openPlatform,
  padded,
  type RequestHeaders,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer } = platform;
beforeEach(() => platform.forget());

const CHALLENGE = 'Bearer realm="portico"';

const doors = {
  'the GraphQL endpoint': (headers: Record<string, string>) =>
    gateway.post('/v1/graphql', { query: '{ orders { id } }' }, headers),
  'a REST endpoint': (headers: RequestHeaders) => gateway.send('/api/rest/orders', { headers }),
  'a pass-through route': (headers: RequestHeaders) => gateway.send('/files/list.csv', { headers }),
};

interface Refusal {
  status: number;
  code: unknown;
  message: unknown;
  challenge: unknown;
}

/** What a refusal says, whichever of the two error bodies says it. */
function refusalOf({ status, headers, body }: Answer): Refusal {
  const { errors, code, error } = body as GraphqlBody;
  const [first] = errors ?? [];
  return {
    status,
    code: first ? first.extensions.code : code,
    message: first ? first.message : error,
    challenge: headers['www-authenticate'],
  };
}

describe.each(Object.entries(doors))('%s', (_, knock) => {
  async function refusedWith(headers: Record<string, string>): Promise<Refusal> {
    const answer = await knock(headers);
    expect(platform.asked()).toBe(0);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    return refusalOf(answer);
  }

  test('lets a good token in', async () => {
    expect((await knock(bearer(issuer.token()))).status).toBe(200);
    expect(platform.asked()).toBe(1);
  });

  test('takes the word Bearer in any case', async () => {
    expect((await knock({ authorization: `bEARER ${issuer.token()}` })).status).toBe(200);
  });

  test('without a token answers 401 with a challenge that names no error', async () => {
    expect(await refusedWith({})).toEqual({
      status: 401,
      code: 'invalid-headers',
      message: "Missing 'Authorization' header: log in and send it as 'Bearer <token>'",
      challenge: CHALLENGE,
    });
  });

  test('without a token, and with an admin secret that the gateway does not have, says that it has none', async () => {
    expect(await refusedWith({ 'x-hasura-admin-secret': 'guess' })).toMatchObject({
      status: 401,
      code: 'invalid-headers',
      message: expect.stringMatching(/; the admin secret has no effect: HASURA_GRAPHQL_ADMIN_SECRET is not set$/),
    });
  });

  test.each([
    ['is empty', ''],
    ['is only a scheme', 'Bearer'],
    ['is another scheme', `Basic ${Buffer.from('alice:right').toString('base64')}`],
    ['is a bare token', issuer.token()],
    ['holds two tokens', `Bearer ${issuer.token()} ${issuer.token()}`],
    ['holds two tokens with a comma', `Bearer ${issuer.token()}, Bearer ${issuer.token()}`],
    ['holds a token in quotes', `Bearer "${issuer.token()}"`],
    ['joins scheme and token', `Bearer${issuer.token()}`],
    ['holds what no token may hold', 'Bearer a.b.c{}'],
  ])('refuses an Authorization header that %s', async (__, authorization) => {
    expect(await refusedWith({ authorization })).toEqual({
      status: 401,
      code: 'invalid-headers',
      message: "Malformed Authorization header: expected 'Bearer <token>'",
      challenge: CHALLENGE,
    });
  });

  test.each(hostileTokens(issuer))('refuses a token when %s', async (__, token, reason) => {
    const code = reason.includes('claims') ? 'jwt-invalid-claims' : 'invalid-jwt';
    const message = code === 'invalid-jwt' ? `Could not verify JWT: ${reason}` : reason;
    expect(await refusedWith(bearer(token))).toEqual({
      status: 401,
      code,
      message,
      challenge: `${CHALLENGE}, error="invalid_token", error_description="${message}"`,
    });
  });

  test('takes a token of 8 KiB, not one character more', async () => {
    expect((await knock(bearer(padded(issuer, 8_192)))).status).toBe(200);
    expect((await knock(bearer(padded(issuer, 8_193)))).status).toBe(401);
  });

  test.each([
    ['no allowed roles', { 'x-hasura-allowed-roles': undefined }, 'jwt-missing-role-claims'],
    ['no default role', { 'x-hasura-default-role': undefined }, 'jwt-missing-role-claims'],
    ['allowed roles that are no list', { 'x-hasura-allowed-roles': 'user' }, 'jwt-invalid-claims'],
    ['allowed roles that are no texts', { 'x-hasura-allowed-roles': ['user', 1] }, 'jwt-invalid-claims'],
    ['a default role that is a list', { 'x-hasura-default-role': ['user'] }, 'jwt-invalid-claims'],
    ['a line break in a claim', { 'x-hasura-user-id': '7\r\nx-hasura-role: admin' }, 'jwt-invalid-claims'],
    ['a NUL in a claim', { 'x-hasura-user-id': '7\u0000' }, 'jwt-invalid-claims'],
    ['a line break in a claim’s name', { 'x-hasura-a\r\nb': '7' }, 'jwt-invalid-claims'],
    ['a space in a claim’s name', { 'x-hasura-a b': '7' }, 'jwt-invalid-claims'],
  ])('refuses a token with %s', async (__, hasura, code) => {
    expect(await refusedWith(bearer(issuer.token({ hasura })))).toMatchObject({
      status: 401,
      code,
      challenge: expect.stringMatching(/^Bearer realm="portico", error="invalid_token", error_description="[^"\\]+"$/),
    });
  });

  test('says what is wrong with the name of a claim', async () => {
    expect(await refusedWith(bearer(issuer.token({ hasura: { 'x-hasura-org.id': '7' } })))).toMatchObject({
      message: 'x-hasura-* claims: names have letters, digits, - and _ only',
    });
  });

  test.each(['admin', 'root', 'user, manager', 'USER', ''])(
    'answers 403 when I ask for the role "%s", which my token does not allow',
    async (role) => {
      expect(await refusedWith({ ...bearer(issuer.token()), 'x-hasura-role': role })).toEqual({
        status: 403,
        code: 'access-denied',
        message: 'Your requested role is not in allowed roles',
        challenge: `${CHALLENGE}, error="insufficient_scope"`,
      });
    },
  );

  test('answers 403 when the default role is none of the allowed ones', async () => {
    expect(await refusedWith(bearer(issuer.token({ role: 'admin' })))).toMatchObject({ status: 403 });
  });

  test('takes neither of two Authorization headers', async () => {
    const bad = issuer.token({ payload: { exp: 1 } });
    const refused = await knock({ ...bearer(bad), Authorization: `Bearer ${issuer.token()}` });
    expect(refused.status).toBe(400);
  });
});

test('no token and no piece of one is in the logs', () => {
  const [, payload = '', signature = ''] = issuer.token().split('.');
  const logs = gateway.logs();
  expect(logs).toContain('"status":401');
  expect(logs).not.toContain('Bearer ey');
  expect(logs).not.toContain(payload.slice(0, 40));
  expect(logs).not.toContain(signature);
});
