import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { preferredEngine } from '../../database/index.ts';
import { sessionClient } from '../session-client.ts';
import { createWorld, type World } from '../world.ts';

const PASSWORD = 'a password of somebody, long';

/** As it stands in a form; what is no UTF-8 has no other way of being written. */
const STRANGE: readonly (readonly [what: string, encoded: string])[] = [
  ['a NUL', '%00'],
  ['a NUL in the middle', 'a%00b'],
  ['half of a surrogate pair', '%ED%A0%80'],
  ['bytes that are no UTF-8', '%FF%FE'],
  ['a zero in two bytes', '%C0%80'],
  ['a byte order mark', '%EF%BB%BF'],
  ['a sign of four bytes', '%F0%9F%98%80'],
  ['signs that are composed', 'e%CC%81'],
  ['a percent sign alone', '%'],
  ['something of 15,000 signs', 'x'.repeat(15_000)],
];

describe('text that no token and no name has, at the OAuth endpoints', () => {
  let world: World;
  let token: string;

  beforeAll(async () => {
    world = await createWorld(preferredEngine());
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', PASSWORD);
    token = (await sessionClient(world.service.url).login('alice', PASSWORD, 1)).refresh_token;
  });
  afterAll(() => world.close());

  async function post(path: string, body: string) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${world.service.url}/oauth/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    return { status: response.status, error: text === '' ? undefined : JSON.parse(text).error };
  }

  test.each(STRANGE)('%s is no refresh token, alone or beside a good one', async (_what, text) => {
    for (const sent of [text, `${token}${text}`, `${text}${token}`]) {
      const refresh = `grant_type=refresh_token&refresh_token=${sent}`;
      expect(await post('token', refresh)).toEqual({ status: 400, error: 'invalid_grant' });
      expect((await post('revoke', `token=${sent}`)).status).toBe(200);
    }
  });

  test.each(STRANGE)('%s is no client and no secret', async (_what, text) => {
    for (const client of [`client_id=${text}&client_secret=x`, `client_id=${randomUUID()}&client_secret=${text}`])
      expect(await post('introspect', `${client}&token=x`)).toEqual({ status: 401, error: 'invalid_client' });
  });

  test('nothing of it was unexpected, and the good token is still good', async () => {
    expect(world.service.logs()).not.toContain('request.failed');
    expect(world.service.logs()).not.toContain('audit.entry_lost');
    expect((await post('token', `grant_type=refresh_token&refresh_token=${token}`)).status).toBe(200);
  });
});
