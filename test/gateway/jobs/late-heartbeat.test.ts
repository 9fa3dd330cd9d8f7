import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { JobsDatabase } from '../../../gateway/jobs/engine/database/index.ts';
import { Lease } from '../../../gateway/jobs/engine/lease.ts';

const LEASE_MS = 50;

test('a heartbeat that is answered after the lease has ended loses the lease, and sets no negative timer', async () => {
  const database = {
    query: async () => {
      await sleep(LEASE_MS * 2);
      return [{ was_known: true, cancelled: null }];
    },
  } as unknown as JobsDatabase;
  const events = new EventTarget();
  const lost = once(events, 'lost');
  const listeners = {
    held: () => [],
    onCancelled: () => {},
    onLost: () => events.dispatchEvent(new Event('lost')),
    onTrouble: () => {},
  };
  const lease = new Lease(database, listeners, LEASE_MS);
  // Node warns of the first negative timer of a process only, and Node 20 of none.
  const { setTimeout: original } = globalThis;
  const delays: (number | undefined)[] = [];
  globalThis.setTimeout = ((action: () => void, ms?: number) => {
    delays.push(ms);
    return original(action, ms);
  }) as typeof setTimeout;
  try {
    await lease.beat();
    expect(lease.isHeld).toBe(false);
    await lost;
  } finally {
    globalThis.setTimeout = original;
    await lease.close();
  }
  expect(delays.filter((ms) => ms === undefined || !(ms >= 0))).toEqual([]);
});
