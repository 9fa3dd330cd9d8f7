import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addClientTo } from '../operator.ts';
import { openThrottledWorld, type ThrottledWorld, times } from './callers.ts';

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `10.2.${addresses >> 8}.${addresses & 255}`;
};

describe('guessing the secrets of clients', () => {
  let world: ThrottledWorld;
  let attacker = '';

  beforeEach(() => {
    attacker = newAddress();
  });
  beforeAll(async () => {
    world = await openThrottledWorld();
  });
  afterAll(() => world.close());

  const newClient = () =>
    addClientTo(world.doors, {
      tenantId: 1,
      name: 'reports',
      allowedRoles: ['service'],
      defaultRole: 'service',
      scopes: [],
    });

  async function ask(endpoint: string, clientId: string, secret: string, address = attacker) {
    const response = await fetch(`${world.service.url}/oauth/${endpoint}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
        'x-forwarded-for': address,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', token: 'x' }),
    });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  }

  test.each(['token', 'introspect', 'revoke'])('at /oauth/%s is slowed down', async (endpoint) => {
    const { clientId, clientSecret } = await newClient();
    const outcomes = await times(15, () => ask(endpoint, clientId, 'wrong'));

    expect(outcomes.map(({ status }) => status)).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    expect({ ...outcomes.at(-1), text: JSON.parse(outcomes.at(-1)?.text ?? '') }).toEqual({
      status: 429,
      retryAfter: '1',
      text: { error: 'slow_down', error_description: 'too many failed attempts, try again later' },
    });
    // The right one neither, or the wait would tell which one it is.
    expect((await ask(endpoint, clientId, clientSecret)).status).toBe(429);
    world.clock.advance(1);
    expect((await ask(endpoint, clientId, clientSecret)).status).toBe(200);
  });

  test('goes on at no other endpoint', async () => {
    const { clientId } = await newClient();
    await times(10, (index) => ask(['token', 'introspect', 'revoke'][index % 3] ?? '', clientId, 'wrong'));

    expect((await ask('token', clientId, 'wrong')).status).toBe(429);
  });

  test('is answered alike for a client that is not there', async () => {
    const { clientId } = await newClient();
    const outcomesOf = (id: string) => times(12, () => ask('token', id, 'wrong'));

    expect(await outcomesOf(randomUUID())).toEqual(await outcomesOf(clientId));
  });

  test('keeps out no client that comes from where it has been before', async () => {
    const { clientId, clientSecret } = await newClient();
    const home = newAddress();
    expect((await ask('token', clientId, clientSecret, home)).status).toBe(200);
    await times(15, () => ask('token', clientId, 'wrong'));

    expect((await ask('token', clientId, clientSecret, home)).status).toBe(200);
  });

  test('keeps out no client that comes from an address without failures', async () => {
    const { clientId, clientSecret } = await newClient();
    await times(15, () => ask('token', clientId, 'wrong'));

    const another = newAddress();
    expect((await ask('token', clientId, 'wrong', another)).status).toBe(401);
    expect((await ask('token', clientId, 'wrong', another)).status).toBe(429);
    expect((await ask('token', clientId, clientSecret, newAddress())).status).toBe(200);
  });

  test('of many clients is slowed down by the address', async () => {
    const address = newAddress();
    const outcomes = await times(35, () => ask('token', randomUUID(), 'wrong', address));

    expect(outcomes.map(({ status }) => status)).toEqual([...Array(30).fill(401), ...Array(5).fill(429)]);
  });

  test('is no reason to hold up a busy client', async () => {
    const { clientId, clientSecret } = await newClient();
    const address = newAddress();
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => ask('token', clientId, clientSecret, address)));

    expect(outcomes.map(({ status }) => status)).toEqual(Array(60).fill(200));
  });
});
