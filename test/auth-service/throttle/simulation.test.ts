import { describe, expect, test } from '@jest/globals';
import { SEED } from '../../seed.ts';
import { addressesOf, DAY_MS, simulate, subnetsOf48 } from './simulation.ts';

const ATTACKERS = {
  'one address': addressesOf(1),
  'ten addresses': addressesOf(10),
  'a thousand addresses': addressesOf(1_000),
  // Of each /56 several subnets; more of them are no use to the attackers.
  'one /48': subnetsOf48(1_024),
};

/** Guesses in the first day: the figures of the table in docs/passwords.md. */
const GUESSES = [
  ['one address', 'account', 109],
  ['ten addresses', 'account', 118],
  ['a thousand addresses', 'account', 1_108],
  ['one /48', 'account', 124],
  ['one address', 'tenant', 971],
  ['ten addresses', 'tenant', 9_711],
  ['a thousand addresses', 'tenant', 26_086],
  ['one /48', 'tenant', 12_218],
] as const;

describe.each(GUESSES)('attackers with %s at one %s', (name, target, most) => {
  const simulation = { addresses: ATTACKERS[name], target, seed: SEED };

  test('have a bounded number of passwords checked in a day', async () => {
    const { guesses } = await simulate({ ...simulation, durationMs: DAY_MS, loginEveryMs: undefined });

    expect(guesses).toBeLessThanOrEqual(most);
    expect(guesses).toBeGreaterThan(most * 0.9);
  });

  test('keep fewer than one in a hundred right passwords from clean addresses out for ten seconds', async () => {
    const { logins, inTime } = await simulate({ ...simulation, durationMs: DAY_MS / 4, loginEveryMs: 60_000 });

    expect(logins).toBeGreaterThan(300);
    expect(inTime / logins).toBeGreaterThanOrEqual(0.99);
  });
});

test('without the second allowance one address keeps all others out of an account', async () => {
  const { logins, inTime } = await simulate({
    addresses: ATTACKERS['one address'],
    target: 'account',
    durationMs: DAY_MS / 4,
    loginEveryMs: 60_000,
    hasSecondAllowance: false,
    seed: SEED,
  });

  expect(logins).toBeGreaterThan(300);
  expect(inTime / logins).toBeLessThan(0.05);
});
