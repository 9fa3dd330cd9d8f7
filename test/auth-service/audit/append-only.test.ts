import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditSweeps } from '../../../auth-service/audit/index.ts';
import { availableEngines } from '../../database/index.ts';
import { createWorld, type World } from '../world.ts';

const DAY_MS = 86_400_000;
const REFUSED = /append-only|permission denied/;

describe.each(await availableEngines())('the audit log can be added to, and nothing else, on %s', (engine) => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_HOUSEKEEPING_MINUTES: '0' });
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'a password');
    await world.service.login({ username: 'alice', password: 'a password', tenant_id: 1 });
  });
  afterAll(() => world.close());

  const count = () => world.database.auditEntry.count({ where: { tenantId: 1 } });

  /** Adds entries of this age, in days. */
  async function addOf(...days: number[]) {
    const data = days.map((age) => {
      const at = new Date(Date.now() - age * DAY_MS);
      const time = at.getTime().toString(16).padStart(12, '0');
      const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
      return { tenantId: 1, id, at, event: 'login', outcome: 'refused', actorKind: 'unknown', details: { age } };
    });
    await world.database.auditEntry.createMany({ data });
  }

  test.each([
    "UPDATE audit_log SET outcome = 'refused'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET outcome = 'refused'",
    'ALTER TABLE audit_log DISABLE TRIGGER ALL',
    'DROP TABLE audit_log',
  ])('the service’s own role cannot: %s', async (statement) => {
    const before = await count();
    expect(before).toBeGreaterThan(0);

    for (const setting of ['', 'housekeeping', 'audit-retention'])
      await expect(
        world.doors.inTenant(1, async (transaction) => {
          await transaction.$executeRaw`SELECT set_config('portico.across_tenants', ${setting}, true)`;
          await transaction.$executeRawUnsafe(statement);
        }),
      ).rejects.toThrow(/append-only|permission denied|must be owner/);
    expect(await count()).toBe(before);
  });

  test.each(["UPDATE audit_log SET outcome = 'refused'", 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
    'not even a superuser does by accident: %s',
    async (statement) => {
      const before = await count();

      await expect(world.database.$executeRawUnsafe(statement)).rejects.toThrow(REFUSED);
      expect(await count()).toBe(before);
    },
  );

  test('entries go when their time is over, the oldest first, in batches', async () => {
    await addOf(100, 99, 400, 366, 364);
    const [sweep] = auditSweeps(world.doors, 365);
    const left = async () => {
      const rows = await world.database.auditEntry.findMany({ where: { event: 'login', outcome: 'refused' } });
      return rows.map(({ details }) => (details as { age: number }).age).sort((a, b) => a - b);
    };

    expect(await sweep?.sweep(new Date(), 1)).toBe(1);
    expect(await left()).toEqual([99, 100, 364, 366]);
    expect(await sweep?.sweep(new Date(), 500)).toBe(1);
    expect(await left()).toEqual([99, 100, 364]);
    expect(await sweep?.sweep(new Date(), 500)).toBe(0);
  });

  test('whatever it is asked, the database keeps the last thirty days', async () => {
    await addOf(31, 29);
    const before = await count();
    const [sweep] = auditSweeps(world.doors, 30);
    const removed = await sweep?.sweep(new Date(Date.now() + 1000 * DAY_MS), 10_000);

    expect(removed).toBeGreaterThan(0);
    const left = await world.database.auditEntry.findMany({ where: { tenantId: 1 }, orderBy: { id: 'asc' } });
    expect(left).toHaveLength(before - Number(removed));
    expect(left[0]?.details).toEqual({ age: 29 });
    expect(left.some(({ outcome }) => outcome === 'success')).toBe(true);
  });

  test('what is open to the retention is closed again after it, in the same transaction', async () => {
    const seen = await world.doors.withoutTenant(async (transaction) => {
      await transaction.$queryRaw`SELECT remove_old_audit_rows(now(), 10)`;
      return transaction.$queryRaw`SELECT current_setting('portico.across_tenants') AS setting`;
    });

    expect(seen).toEqual([{ setting: '' }]);
  });
});
