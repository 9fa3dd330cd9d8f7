import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GOOD_LOGIN, keeper, openPlatform, type Sent } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform({ environment: { PORTICO_MAX_BODY_BYTES: '20000' } }));
const { gateway, accounts } = platform;
beforeEach(() => platform.forget());

const LOGIN_PATH = '/api/rest/auth_user_login';
const TYPE = { 'content-type': 'application/json' };

describe('the login over REST', () => {
  test('answers the object of the reference and nothing around it', async () => {
    const { status, headers, body } = await gateway.post(LOGIN_PATH, GOOD_LOGIN);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(body).toEqual({
      auth_user_login: {
        success: true,
        error_message: null,
        data: { access_token: expect.any(String), expires_in: 900, refresh_token: expect.any(String) },
      },
    });
  });

  test.each([
    ['without a password', { username: 'alice', tenant_id: 1 }, 401],
    ['with null for a password', { ...GOOD_LOGIN, password: null }, 401],
    ['with nothing', {}, 401],
  ])('lets the service judge a login %s', async (_, body, status) => {
    expect((await gateway.post(LOGIN_PATH, body)).status).toBe(status);
    expect(accounts.operations()).toHaveLength(1);
  });

  test.each([
    ['a text for the tenant', { ...GOOD_LOGIN, tenant_id: '1' }],
    ['a decimal for the tenant', { ...GOOD_LOGIN, tenant_id: 1.5 }],
    ['a tenant out of range', { ...GOOD_LOGIN, tenant_id: 2_147_483_648 }],
    ['a list for the tenant', { ...GOOD_LOGIN, tenant_id: [1] }],
    ['an object for the tenant', { ...GOOD_LOGIN, tenant_id: { id: 1 } }],
    ['a number for the password', { ...GOOD_LOGIN, password: 1 }],
    ['a list for the name', { ...GOOD_LOGIN, username: ['alice'] }],
  ])('refuses %s before anybody is asked', async (_, body) => {
    const answer = await gateway.post(LOGIN_PATH, body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { path: '$', error: expect.stringMatching(/^Variable "\$\w+" got an invalid value/), code: 'validation-failed' },
    ]);
    expect(platform.asked()).toBe(0);
  });

  test.each([
    ['a tenant that is negative', { ...GOOD_LOGIN, tenant_id: -1 }],
    ['a tenant of 1.0', JSON.stringify(GOOD_LOGIN).replace(':1}', ':1.0}')],
  ])('takes %s, which is a whole number', async (_, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect((await gateway.send(LOGIN_PATH, { method: 'POST', headers: TYPE, body: text })).status).toBe(200);
  });

  const refused: [string, Sent, number, string][] = [
    ['a body that is no JSON', { body: '{"username":' }, 400, 'invalid-json'],
    ['bytes that are not UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, 400, 'invalid-json'],
    ['a list', { body: '[]' }, 400, 'parse-failed'],
    ['a text', { body: '"alice"' }, 400, 'parse-failed'],
    ['null', { body: 'null' }, 400, 'parse-failed'],
    ['a field that it does not know', { body: '{"user":"alice"}' }, 400, 'bad-request'],
    [
      'a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'username=alice' },
      415,
      'unsupported-media-type',
    ],
    [
      'another character set',
      { headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      415,
      'unsupported-media-type',
    ],
    [
      'an unknown coding',
      { headers: { ...TYPE, 'content-encoding': 'compress' }, body: '{}' },
      415,
      'unsupported-media-type',
    ],
    ['a body over the limit', { body: `{}${' '.repeat(20_000)}` }, 413, 'payload-too-large'],
    ['a body over the limit in pieces', { chunks: Array(30).fill(' '.repeat(1_000)) }, 413, 'payload-too-large'],
    ['a body far over the limit in pieces', { chunks: Array(50).fill(' '.repeat(100_000)) }, 413, 'payload-too-large'],
    ['GET', { method: 'GET' }, 405, 'method-not-allowed'],
    ['PUT', { method: 'PUT', body: '{}' }, 405, 'method-not-allowed'],
  ];

  test.each(refused)('refuses %s with the flat error body', async (_, sent, status, code) => {
    const answer = await gateway.send(LOGIN_PATH, { method: 'POST', headers: TYPE, ...sent });
    expect([answer.status, answer.body]).toEqual([status, { path: '$', error: expect.any(String), code }]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    if (status === 405) expect(answer.headers.allow).toBe('POST');
    expect(platform.asked()).toBe(0);
  });

  test('goes on after a body over the limit, for the next caller', async () => {
    expect((await gateway.post(LOGIN_PATH, GOOD_LOGIN)).status).toBe(200);
  });
});
