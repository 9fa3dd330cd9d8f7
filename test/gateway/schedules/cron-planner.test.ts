import { expect, test } from '@jest/globals';
import { CronSchedule } from '../../../gateway/jobs/cron/index.ts';
import type { CronPlan, CronPlanStore, NewJob } from '../../../gateway/jobs/engine/index.ts';
import { CronPlanner } from '../../../gateway/jobs/schedules/cron-planner.ts';
import type { CronTrigger } from '../../../gateway/jobs/schedules/cron-triggers.ts';
import { createLogger } from '../../../platform/index.ts';

const NOW = new Date('2026-03-01T12:00:30Z');
const minute = (n: number) => new Date(NOW.getTime() - 30_000 + n * 60_000);

/** Says when it is asked for times, and which way. */
class WatchedSchedule extends CronSchedule {
  readonly #onCall: (call: string) => void;
  constructor(onCall: (call: string) => void) {
    super('* * * * *', 'UTC');
    this.#onCall = onCall;
  }
  override last(most: number, until: Date) {
    this.#onCall('last');
    return super.last(most, until);
  }
  override between(after: Date, until: Date, most: number) {
    this.#onCall('between');
    return super.between(after, until, most);
  }
}

/** Plans triggers `t0`, `t1` and on that come each minute and have been planned until then. */
async function planned(plannedUntil: readonly Date[], onCall: (call: string) => void) {
  const jobs: NewJob[] = [];
  const plans = plannedUntil.map(
    (until, n): CronPlan => ({ name: `t${n}`, schedule: '* * * * * UTC', plannedUntil: until }),
  );
  const schedule = new WatchedSchedule(onCall);
  const triggers = plans.map(({ name }) => {
    const metadata = { name, schedule, retry_conf: { num_retries: 0, tolerance_seconds: 60 } };
    return [name, { metadata } as unknown as CronTrigger] as const;
  });
  const store: Pick<CronPlanStore, 'read' | 'save' | 'remove'> = {
    read: async () => ({ now: NOW, plans: new Map(plans.map((plan) => [plan.name, plan])) }),
    save: async () => {},
    remove: async () => {},
  };
  const planner = new CronPlanner({
    jobs: { enqueue: async (job) => ({ id: String(jobs.push(job)), isKnown: false }) },
    plans: store as CronPlanStore,
    triggers: () => new Map(triggers),
    log: createLogger('gateway', 'silent'),
  });
  await planner.plan();
  return jobs.map(({ runAt }) => new Date(runAt ?? 0));
}

test('a trigger that is planned ahead is not looked back at', async () => {
  const calls: string[] = [];
  expect(await planned([new Date(NOW.getTime() + 40_000)], (call) => calls.push(call))).toEqual([]);
  expect(calls).not.toContain('last');
});

test('what was missed is planned from where the plan ended, and the last hundred where it is more', async () => {
  const calls: string[] = [];
  const note = (call: string) => calls.push(call);
  expect(await planned([minute(-3)], note)).toEqual([-2, -1, 0, 1].map(minute));
  expect(calls).not.toContain('last');
  expect(await planned([minute(-5_000)], note)).toEqual(Array.from({ length: 101 }, (_, n) => minute(n - 99)));
});

test('the event loop goes on between two triggers', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const ahead = new Date(NOW.getTime() + 40_000);
  await planned([ahead, ahead, ahead], () => turns.push(turn));
  isOver = true;
  expect(turns).toHaveLength(3);
  expect(new Set(turns).size).toBe(3);
});
