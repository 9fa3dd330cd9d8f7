import { expect, test } from '@jest/globals';
import { preferredEngine } from '../database/index.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** Their hashes take longer than a stop waits for what follows a hash. */
const LOGINS = 16;
const COST = '12';

test('a service that is stopped finishes logins that wait for their hashes, also when their callers are cut off', async () => {
  const world = await createWorld(preferredEngine(), {
    AUTH_BCRYPT_COST: COST,
    AUTH_HASH_THREADS: '1',
    AUTH_SHUTDOWN_TIMEOUT_SECONDS: '0',
  });
  await world.addTenant(1, 'acme');
  const userId = await world.addUser(1, 'alice', 'a password of alice that is long');
  const logins = Array.from({ length: LOGINS }, () =>
    world.service.login({ username: 'alice', password: 'a password of alice that is long', tenant_id: 1 }).then(
      () => 'answered',
      () => 'cut off',
    ),
  );
  await until('all wait', () => world.service.hashes() === LOGINS);
  await world.service.stop();

  expect(await Promise.all(logins)).toContain('cut off');
  expect(await world.database.session.count({ where: { userId } })).toBe(LOGINS);
  expect(await world.database.auditEntry.count({ where: { event: 'login', outcome: 'success' } })).toBe(LOGINS);
  const logs = world.service.logs();
  expect(logs).not.toContain('request.failed');
  expect(logs).not.toContain('throttle.outcome_unrecorded');
  await world.close();
});
