import { afterAll, describe, expect, test } from '@jest/globals';
import { parseJwtSecret, parseJwtSecrets } from '../../../gateway/access/session/index.ts';
import { keeper, openPlatform } from '../harness/index.ts';
import { openTestAuthenticator, tokenSignedWith } from './callers.ts';

const { keep, close } = keeper();
afterAll(close);
const ONE = '1'.repeat(32);
const TWO = '2'.repeat(32);
const A = 'https://a.test';
const B = 'https://b.test';

function token(key: string, iss: string | undefined, userId = '7', more: Record<string, unknown> = {}) {
  return tokenSignedWith('HS256', key, { payload: { iss, ...more }, hasura: { 'x-hasura-user-id': userId } });
}

/** A header that shows that no other site has made a browser send the request. */
const OWN_SITE = { 'x-requested-with': 'XMLHttpRequest' };
const NOT_VERIFIED = 'Could not verify JWT: ';

function judge(...secrets: Record<string, unknown>[]) {
  return keep(openTestAuthenticator({ secrets: secrets.map((secret) => ({ type: 'HS256', ...secret })) }));
}

const userOf = async (session: Promise<{ variables: Readonly<Record<string, string>> }>) =>
  (await session).variables['x-hasura-user-id'];

describe('a token in a header of its own', () => {
  test('is the whole value, whatever the case of the name in the secret', async () => {
    const { session } = await judge({ key: ONE, header: { type: 'CustomHeader', name: 'X-Token' } });
    expect(await userOf(session({ 'x-token': ` ${token(ONE, A)} ` }))).toBe('7');
  });

  test('is not looked for elsewhere', async () => {
    const { refusal } = await judge({ key: ONE, header: { type: 'CustomHeader', name: 'X-Token' } });
    expect(await refusal({ authorization: `Bearer ${token(ONE, A)}` })).toEqual({
      status: 401,
      code: 'invalid-headers',
      message: "Missing 'x-token' header: log in and send the token in it",
    });
  });

  test('has no scheme before it', async () => {
    const { refusal } = await judge({ key: ONE, header: { type: 'CustomHeader', name: 'X-Token' } });
    expect(await refusal({ 'x-token': `Bearer ${token(ONE, A)}` })).toMatchObject({ status: 401, code: 'invalid-jwt' });
  });

  test('is not seen by a service that gets no credentials', async () => {
    const header = { type: 'CustomHeader', name: 'X-Token' };
    const { gateway, issuer, files } = await keep(openPlatform({ jwtSecret: { header } }));
    const { status } = await gateway.send('/files/a.csv', {
      headers: { 'X-Token': issuer.token(), 'X-Other': 'seen' },
    });
    expect(status).toBe(200);
    expect(files.requests[0]?.headers).toMatchObject({ 'x-other': 'seen', 'x-hasura-user-id': '7' });
    expect(files.requests[0]?.headers).not.toHaveProperty('x-token');
  });
});

describe('a token in a cookie', () => {
  const cookieSecret = { key: ONE, header: { type: 'Cookie', name: 'jwt' } };

  test.each([
    ['alone', (value: string) => `jwt=${value}`],
    ['among others', (value: string) => `a=b; jwt=${value};c=d=e`],
    ['in quotes', (value: string) => `jwt="${value}"`],
    ['beside one of a longer name', (value: string) => `xjwt=1; jwt2=2; jwt=${value}; JWT=3`],
    ['twice the same', (value: string) => `jwt=${value}; jwt=${value}`],
    ['beside an empty one', (value: string) => `jwt=; jwt=${value}`],
  ])('is found %s', async (_, cookie) => {
    const { session } = await judge(cookieSecret);
    expect(await userOf(session({ ...OWN_SITE, cookie: cookie(token(ONE, A)) }))).toBe('7');
  });

  test.each([undefined, '', 'jwt', 'jwt=', 'jwt=""', 'a=b', 'JWT=a.b.c'])('is missing in %p', async (cookie) => {
    const { refusal } = await judge(cookieSecret);
    expect(await refusal({ ...OWN_SITE, ...(cookie !== undefined && { cookie }) })).toEqual({
      status: 401,
      code: 'invalid-headers',
      message: "Missing 'Cookie' header: log in and send the token as the cookie 'jwt'",
    });
  });

  test('is refused when there is another one of the same name', async () => {
    const { refusal } = await judge(cookieSecret);
    const cookie = `jwt=${token(ONE, A, '7')}; jwt=${token(ONE, A, '8')}`;
    expect(await refusal({ ...OWN_SITE, cookie })).toEqual({
      status: 401,
      code: 'invalid-headers',
      message: `${NOT_VERIFIED}Multiple JWTs found`,
    });
  });
});

describe('with several secrets', () => {
  test('each issuer’s tokens are verified by its own key', async () => {
    const { session, refusal } = await judge({ key: ONE, issuer: A }, { key: TWO, issuer: B });
    expect(await userOf(session({ authorization: `Bearer ${token(ONE, A, '1')}` }))).toBe('1');
    expect(await userOf(session({ authorization: `Bearer ${token(TWO, B, '2')}` }))).toBe('2');
    expect(await refusal({ authorization: `Bearer ${token(ONE, B)}` })).toMatchObject({
      message: `${NOT_VERIFIED}JWSError JWSInvalidSignature`,
    });
    expect(await refusal({ authorization: `Bearer ${token(ONE, 'https://c.test')}` })).toEqual({
      status: 401,
      code: 'invalid-jwt',
      message: `${NOT_VERIFIED}JWTNotInIssuer`,
    });
  });

  test('a token without an issuer does not pass for one of an expected issuer', async () => {
    const { refusal } = await judge({ key: ONE, issuer: A }, { key: TWO, issuer: B });
    expect(await refusal({ authorization: `Bearer ${token(ONE, undefined)}` })).toMatchObject({
      message: `${NOT_VERIFIED}JWTNotInIssuer`,
    });
  });

  test('the claims are read as the secret says whose key has signed', async () => {
    const map = (role: string) => ({ 'x-hasura-allowed-roles': [role], 'x-hasura-default-role': role });
    const { session } = await judge({ key: ONE, claims_map: map('one') }, { key: TWO, claims_map: map('two') });
    expect(await session({ authorization: `Bearer ${token(TWO, A)}` })).toMatchObject({ role: 'two' });
    expect(await session({ authorization: `Bearer ${token(ONE, A)}` })).toMatchObject({ role: 'one' });
  });

  test('an old and a new key of one issuer are both good, and the reason for a refusal is of the one that signed', async () => {
    const { session, refusal } = await judge({ key: TWO, issuer: A }, { key: ONE, issuer: A });
    expect(await userOf(session({ authorization: `Bearer ${token(ONE, A)}` }))).toBe('7');
    expect(await userOf(session({ authorization: `Bearer ${token(TWO, A)}` }))).toBe('7');
    const reasonFor = async (key: string) =>
      (await refusal({ authorization: `Bearer ${token(key, A, '7', { exp: 1 })}` })).message;
    expect(await reasonFor(ONE)).toBe(`${NOT_VERIFIED}JWTExpired`);
    expect(await reasonFor(TWO)).toBe(`${NOT_VERIFIED}JWTExpired`);
    expect(await reasonFor('3'.repeat(32))).toBe(`${NOT_VERIFIED}JWSError JWSInvalidSignature`);
  });

  describe('in different places', () => {
    const places = [
      { key: ONE, issuer: A },
      { key: TWO, issuer: B, header: { type: 'CustomHeader', name: 'x-token' } },
    ];

    test('the one that is there counts', async () => {
      const { session } = await judge(...places);
      expect(await userOf(session({ authorization: `Bearer ${token(ONE, A, '1')}` }))).toBe('1');
      expect(await userOf(session({ 'x-token': token(TWO, B, '2') }))).toBe('2');
    });

    test('a token is only good in its own place', async () => {
      const { refusal } = await judge(...places);
      expect(await refusal({ 'x-token': token(ONE, A) })).toMatchObject({ status: 401, code: 'invalid-jwt' });
    });

    test('of two tokens, the one whose issuer is expected in its place counts', async () => {
      const { session } = await judge(...places);
      const stray = token(ONE, 'https://c.test');
      expect(await userOf(session({ authorization: `Bearer ${stray}`, 'x-token': token(TWO, B, '2') }))).toBe('2');
    });

    test('two tokens that could both count are refused', async () => {
      const { refusal } = await judge(...places);
      const headers = { authorization: `Bearer ${token(ONE, A)}`, 'x-token': token(TWO, B) };
      expect(await refusal(headers)).toEqual({
        status: 401,
        code: 'invalid-headers',
        message: `${NOT_VERIFIED}Multiple JWTs found`,
      });
    });

    test('two tokens of unexpected issuers are refused', async () => {
      const { refusal } = await judge(...places);
      const stray = token(ONE, 'https://c.test');
      expect(await refusal({ authorization: `Bearer ${stray}`, 'x-token': stray })).toMatchObject({
        code: 'invalid-jwt',
        message: `${NOT_VERIFIED}JWTNotInIssuer`,
      });
    });

    test('without any token, all places are named', async () => {
      const { refusal } = await judge(...places);
      expect(await refusal({})).toMatchObject({
        code: 'invalid-headers',
        message:
          "Missing 'Authorization' header: log in and send it as 'Bearer <token>' or 'x-token' header: log in and send the token in it",
      });
    });
  });

  test('a token that was verified in one place is verified again in another', async () => {
    const map = (role: string) => ({ 'x-hasura-allowed-roles': [role], 'x-hasura-default-role': role });
    const { session } = await judge(
      { key: ONE, claims_map: map('bearer') },
      { key: ONE, claims_map: map('custom'), header: { type: 'CustomHeader', name: 'x-token' } },
    );
    const same = token(ONE, A);
    expect(await session({ authorization: `Bearer ${same}` })).toMatchObject({ role: 'bearer' });
    expect(await session({ 'x-token': same })).toMatchObject({ role: 'custom' });
  });
});

describe('settings are refused when', () => {
  test.each([
    ['the place is unknown', { type: 'Query' }, 'header: type: expected Authorization, Cookie or CustomHeader'],
    ['the cookie has no name', { type: 'Cookie' }, 'header: name is required'],
    ['the header has no name', { type: 'CustomHeader' }, 'header: name is required'],
    ['the cookie’s name is none', { type: 'Cookie', name: 'a;b' }, 'header.name: expected a name'],
    [
      'the header is one with another meaning',
      { type: 'CustomHeader', name: 'Cookie' },
      'header: name: expected another header',
    ],
    [
      'the header is a session variable',
      { type: 'CustomHeader', name: 'X-Hasura-Role' },
      'header: name: expected another header',
    ],
  ])('%s', (_, header, problem) => {
    expect(parseJwtSecret(JSON.stringify({ type: 'HS256', key: ONE, header }))).toEqual({ problem });
  });

  test('any secret of a list is invalid, and each is reported with its position', () => {
    expect(
      parseJwtSecrets(JSON.stringify([{ type: 'HS256', key: ONE }, {}, 'x', { type: 'HS256', key: 'secret' }])),
    ).toEqual({
      problem:
        '[1]: key and jwk_url both cannot be empty; [2]: expected an object; [3]: key: Key size too small; should be atleast 32 characters',
    });
  });

  test.each(['', '{}', '[]', 'null'])('the list is %p', (text) => {
    expect(parseJwtSecrets(text)).toEqual({ problem: expect.stringMatching(/^expected a JSON list such as \[\{/) });
  });
});
