import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../../platform/index.ts';
import { type CronPlan, type CronPlanStore, type Jobs, SPARE_ATTEMPTS } from '../engine/index.ts';
import { CRON_KIND } from './cron-runner.ts';
import type { CronTrigger } from './cron-triggers.ts';

/** How long before their time jobs are created, in milliseconds. If a process ends meanwhile, they are not lost. */
const AHEAD_MS = 60_000;
const PLANNING_INTERVAL_MS = 20_000;
const RETRY_MS = 2_000;
/** The most missed times of one trigger that run after an outage. These are the last ones. */
const MAX_MISSED = 100;

export interface CronPlannerOptions {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly plans: CronPlanStore;
  readonly triggers: () => ReadonlyMap<string, CronTrigger>;
  readonly log: Logger;
}

/** The next times of a trigger, and its plan that includes them. */
interface Planned {
  readonly trigger: CronTrigger;
  readonly times: readonly Date[];
  readonly plan: CronPlan;
}

/**
 * Creates jobs from the times of cron triggers. Every process does this. The idempotency key is the trigger and the time, so
 * each time becomes one job, and the clock is the database's. Times that an outage missed become jobs too, and expire if they
 * are too old.
 */
export class CronPlanner {
  readonly #options: CronPlannerOptions;
  #timer: NodeJS.Timeout | undefined;
  #planning: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = true;
  #isTroubled = false;
  /** Triggers that a reload removed. */
  readonly #removed = new Set<string>();

  constructor(options: CronPlannerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  /** Notes that the triggers have changed. @param removed the names of removed triggers. */
  changed(removed: readonly string[]): void {
    for (const name of removed) this.#removed.add(name);
    if (!this.#isStopped) this.wake();
  }

  /** Plans now, or again after the planning that is under way. */
  wake(): void {
    if (this.#planning) {
      this.#isWanted = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#planning = this.#planQuietly().finally(() => {
      this.#planning = undefined;
      if (this.#isStopped || !this.#isWanted) return;
      this.#isWanted = false;
      this.wake();
    });
  }

  async #planQuietly(): Promise<void> {
    let nextMs = PLANNING_INTERVAL_MS;
    const { log } = this.#options;
    try {
      await this.plan();
      if (this.#isTroubled) log.info({ event: 'schedules.planning_recovered' }, 'cron triggers are scheduled again');
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled)
        log.error({ event: 'schedules.planning_failed', err: error }, 'cron triggers cannot be scheduled; retrying');
      this.#isTroubled = true;
      nextMs = RETRY_MS;
    }
    if (this.#isStopped) return;
    // The delay is random, so that processes that started together do not query together.
    this.#timer = setTimeout(() => this.wake(), nextMs * (0.75 + Math.random() / 2));
    this.#timer.unref();
  }

  /** @throws Error if the database rejects the jobs. Nothing is lost: the next planning begins at the same point. */
  async plan(): Promise<void> {
    const { plans, triggers } = this.#options;
    const current = triggers();
    const removed = [...this.#removed].filter((name) => !current.has(name));
    if (removed.length > 0) await plans.remove(removed);
    this.#removed.clear();
    if (current.size === 0) return;
    const { now, plans: known } = await plans.read();
    const planned: Planned[] = [];
    for (const [name, trigger] of current) {
      planned.push(this.#timesOf(trigger, known.get(name), now));
      // Computing the times of many triggers takes long, so requests are served in between.
      await nextTurn();
    }
    await Promise.all(planned.map((one) => this.#enqueue(one)));
    await plans.save(planned.map(({ plan }) => plan));
  }

  #timesOf(trigger: CronTrigger, plan: CronPlan | undefined, now: Date): Planned {
    const { name, schedule } = trigger.metadata;
    const text = `${schedule.expression} ${schedule.timeZone}`;
    // A trigger that is new or has a new schedule has missed no times.
    const from = plan?.schedule === text ? plan.plannedUntil : now;
    const until = new Date(now.getTime() + AHEAD_MS);
    // Only after an outage, since looking back costs far more than looking ahead.
    let missed = from < now ? schedule.between(from, now, MAX_MISSED + 1) : [];
    if (missed.length > MAX_MISSED) {
      missed = schedule.last(MAX_MISSED + 1, now);
      this.#options.log.warn(
        { event: 'schedules.times_skipped', trigger: name, since: from, until: missed[0] },
        'a cron trigger has missed too many runs; the oldest runs are skipped',
      );
    }
    const times = [...missed.slice(-MAX_MISSED), ...schedule.between(from > now ? from : now, until, MAX_MISSED)];
    return { trigger, times, plan: { name, schedule: text, plannedUntil: until } };
  }

  async #enqueue({ trigger, times }: Planned): Promise<void> {
    const { jobs } = this.#options;
    const { name, retry_conf } = trigger.metadata;
    const toleranceMs = Math.max(1, retry_conf.tolerance_seconds) * 1000;
    await Promise.all(
      times.map((time) =>
        jobs.enqueue({
          kind: CRON_KIND,
          queue: name,
          idempotencyKey: time.toISOString(),
          runAt: time.getTime(),
          validForMs: toleranceMs,
          maxAttempts: retry_conf.num_retries + 1 + SPARE_ATTEMPTS,
          payload: null,
        }),
      ),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#planning;
  }
}
