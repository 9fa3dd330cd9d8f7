import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { preferredEngine } from '../database/index.ts';
import { sessionClient } from './session-client.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of somebody, long';
const ROUNDS = 140;
/** The first ones pay for connections, plans and compiled code. */
const WARM_UP = 20;

/**
 * How often a sample of one kind is larger than one of the other, where a half means that they cannot be told apart
 * (the statistic of Mann and Whitney over its largest value). It goes by ranks, so a pause of the machine weighs no more
 * than any other slow sample.
 */
function largerThan(some: readonly number[], others: readonly number[]): number {
  const all = [...some.map((time) => ({ time, mine: true })), ...others.map((time) => ({ time, mine: false }))];
  all.sort((a, b) => a.time - b.time);
  let rankSum = 0;
  for (const [index, { mine }] of all.entries()) if (mine) rankSum += index + 1;
  return (rankSum - (some.length * (some.length + 1)) / 2) / (some.length * others.length);
}

/**
 * With 140 samples of each, chance alone keeps within 0.12 of a half. What a hash takes at the lowest cost, which is a
 * sixtieth of what it takes at the default one, is far outside.
 */
const INDISTINGUISHABLE = 0.15;

const engine = preferredEngine();

describe('by the time that a login takes', () => {
  let world: World;
  const times = new Map<string, number[]>();
  const hashes = new Map<string, number>();

  const attempts: Readonly<Record<string, { username: string | null; password: string; tenant_id: number }>> = {
    'a wrong password': { username: 'alice', password: 'wrong', tenant_id: 1 },
    'an unknown user': { username: 'nobody', password: PASSWORD, tenant_id: 1 },
    'an unknown tenant': { username: 'alice', password: PASSWORD, tenant_id: 99 },
    'a disabled user': { username: 'dave', password: PASSWORD, tenant_id: 1 },
    'a disabled user and a wrong password': { username: 'dave', password: 'wrong', tenant_id: 1 },
    'a disabled tenant': { username: 'alice', password: PASSWORD, tenant_id: 2 },
    'no name, which takes no hash': { username: null, password: PASSWORD, tenant_id: 1 },
  };
  const judged = Object.keys(attempts).filter((what) => attempts[what]?.username !== null);

  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_THROTTLE_TENANT: 'free=100000', AUTH_LOG_LEVEL: 'warn' });
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'closed', { disabled: true });
    await world.addUser(1, 'alice', PASSWORD);
    await world.addUser(1, 'dave', PASSWORD, { disabled: true });
    await world.addUser(2, 'alice', PASSWORD);
    const client = sessionClient(world.service.url);
    const query = `mutation ($username: String, $password: String, $tenant_id: Int) {
      auth_user_login(data: { username: $username, password: $password, tenant_id: $tenant_id }) { success } }`;
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      // In turn, beginning with another one each time, so that whatever else the machine does meets all of them.
      const names = Object.keys(attempts);
      for (const index of names.keys()) {
        const what = names[(index + round) % names.length] ?? '';
        const before = world.service.hashes();
        const began = performance.now();
        const { result } = await client.ask<{ success: boolean }>(query, attempts[what]);
        const time = performance.now() - began;
        if (result.success) throw new Error(`${what} was let in`);
        if (round < WARM_UP) continue;
        times.set(what, [...(times.get(what) ?? []), time]);
        hashes.set(what, (hashes.get(what) ?? 0) + world.service.hashes() - before);
      }
    }
  }, 600_000);
  afterAll(() => world.close());

  test.each(judged.filter((what) => what !== 'a wrong password'))('%s takes as long as a wrong password', (what) => {
    const share = largerThan(times.get(what) ?? [], times.get('a wrong password') ?? []);

    expect(Math.abs(share - 0.5)).toBeLessThan(INDISTINGUISHABLE);
  });

  test('each of them takes one hash, every time', () => {
    expect(judged.map((what) => [what, hashes.get(what)])).toEqual(judged.map((what) => [what, ROUNDS]));
  });

  test('one hash less would be seen', () => {
    const share = largerThan(times.get('no name, which takes no hash') ?? [], times.get('a wrong password') ?? []);

    expect(hashes.get('no name, which takes no hash')).toBe(0);
    expect(share).toBeLessThan(0.5 - INDISTINGUISHABLE);
  });
});
