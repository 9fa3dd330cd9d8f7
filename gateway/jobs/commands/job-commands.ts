import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../../platform/index.ts';
import type { JobFilter, JobState, Jobs } from '../engine/index.ts';
import { jobsNotChanged, jobsTakeTooLong, jobsUnreadable, tooManyJobCommands, unknownJob } from './errors.ts';
import { JOB_COMMAND_SHAPES, type OperatedJobs, readJobArguments } from './shapes.ts';
import { type EventParties, shownDeliveries } from './shown-deliveries.ts';
import { type ShownQueue, shownJob, shownJobDetails, shownQueues } from './shown-jobs.ts';
import { type ScheduledTrigger, type ShownTrigger, shownTrigger } from './shown-schedules.ts';

/** The caller of a command. */
export interface JobCommandCaller {
  readonly role: string;
  /** The session variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the caller may change jobs. */
  readonly isOperator: boolean;
  /** The log of the request. Each action writes a line to it. */
  readonly log: Logger;
}

type JobAct = 'retry' | 'cancel' | 'purge';

/** The states of the jobs that an action on a whole queue applies to. Cancelling applies to every job that is not finished. */
const ACTED_STATES: Readonly<Record<JobAct, readonly JobState[]>> = {
  retry: ['dead'],
  cancel: ['scheduled', 'waiting', 'queued', 'running'],
  purge: ['dead'],
};

/** The most read commands and the most actions that are admitted at a time. One of each runs, the others wait. */
const MOST_AT_A_TIME = 20;
/** The most queues that are listed. Each origin of one-off events is a queue. */
const MOST_QUEUES = 1_000;
/** The most cron triggers that are listed. */
const MOST_TRIGGERS = 500;
/** The most webhook calls that are listed with a job. */
const MOST_INVOCATIONS = 50;
/** The most ids of jobs in one log line. */
const MOST_LOGGED_IDS = 50;

type ReadJobs = Pick<Jobs, 'admin' | 'invocations' | 'scheduled' | 'cronPlans'>;

/** The triggers and deliveries of the active metadata, which run without a client's request. */
export interface ActiveSchedules {
  readonly cronTriggers: () => readonly ScheduledTrigger[];
  readonly deliveries: () => EventParties;
}

/** The maximum age of the counts of subscriptions in milliseconds, so that jobs are not counted again for each reader. */
const SUBSCRIPTIONS_AGE_MS = 10_000;

/**
 * The commands of the metadata API with which operators list jobs and act on them. The caller of this class decides who may run
 * a command.
 */
export class JobCommands {
  readonly #jobs: ReadJobs;
  readonly #schedules: ActiveSchedules;
  readonly #looks = new OneAtATime(MOST_AT_A_TIME);
  /** Actions have a queue of their own: a list may take seconds, and an action must not wait for it. */
  readonly #acts = new OneAtATime(MOST_AT_A_TIME);
  /**
   * The request for the list of queues that waits for its turn. Everyone who asks meanwhile shares it, with the smallest
   * `maxAgeMs` of them.
   */
  #waitingQueues: { maxAgeMs: number; readonly queues: Promise<readonly ShownQueue[]> } | undefined;

  constructor(jobs: ReadJobs, schedules: ActiveSchedules) {
    this.#jobs = jobs;
    this.#schedules = schedules;
  }

  /**
   * Runs a command.
   *
   * @returns undefined for a type of command that this class does not handle.
   * @throws GatewayError for invalid arguments, for an unknown job, and if the database does not respond.
   */
  run(type: string, given: unknown, caller: JobCommandCaller): Promise<unknown> | undefined {
    switch (type) {
      case 'portico_get_job_queues':
        return this.#listQueues(readJobArguments(JOB_COMMAND_SHAPES[type], given).max_age_ms, caller);
      case 'portico_get_jobs': {
        const { limit, ...filter } = readJobArguments(JOB_COMMAND_SHAPES[type], given);
        return this.#list(filter, limit, caller);
      }
      case 'portico_get_job':
        return this.#show(readJobArguments(JOB_COMMAND_SHAPES[type], given).id, caller);
      case 'portico_get_cron_triggers':
        readJobArguments(JOB_COMMAND_SHAPES[type], given);
        return this.#listTriggers(caller);
      case 'portico_get_one_off_events':
        return this.#listEvents(readJobArguments(JOB_COMMAND_SHAPES[type], given).limit, caller);
      case 'portico_get_event_subscriptions':
        readJobArguments(JOB_COMMAND_SHAPES[type], given);
        return this.#listSubscriptions(caller);
      case 'portico_retry_jobs':
        return this.#act('retry', readJobArguments(JOB_COMMAND_SHAPES[type], given), caller);
      case 'portico_cancel_jobs':
        return this.#act('cancel', readJobArguments(JOB_COMMAND_SHAPES[type], given), caller);
      case 'portico_purge_jobs':
        return this.#act('purge', readJobArguments(JOB_COMMAND_SHAPES[type], given), caller);
      default:
        return undefined;
    }
  }

  async #listQueues(maxAgeMs: number, { isOperator }: JobCommandCaller) {
    const queues = await this.#readQueues(maxAgeMs);
    const omitted = Math.max(0, queues.length - MOST_QUEUES);
    return { items: queues.slice(0, MOST_QUEUES), omitted, may_operate: isOperator };
  }

  #readQueues(maxAgeMs: number): Promise<readonly ShownQueue[]> {
    if (this.#waitingQueues) {
      this.#waitingQueues.maxAgeMs = Math.min(this.#waitingQueues.maxAgeMs, maxAgeMs);
      return this.#waitingQueues.queues;
    }
    const queues: Promise<readonly ShownQueue[]> = this.#looks.run(async () => {
      this.#waitingQueues = undefined;
      const { admin } = this.#jobs;
      const stats = await readJobs(() => admin.stats(waiting.maxAgeMs));
      return shownQueues(stats, await readJobs(() => admin.pauses()));
    });
    const waiting = { maxAgeMs, queues };
    this.#waitingQueues = waiting;
    // The request may have been rejected before its turn.
    queues.catch(() => {
      if (this.#waitingQueues === waiting) this.#waitingQueues = undefined;
    });
    return queues;
  }

  async #list(filter: JobFilter, limit: number, { isOperator }: JobCommandCaller) {
    const { jobs, next } = await this.#looks.run(() => readJobs(() => this.#jobs.admin.page(filter, limit)));
    return {
      items: jobs.map((job) => shownJob(job, isOperator)),
      next: next ?? null,
      may_operate: isOperator,
    };
  }

  #show(id: string, { isOperator }: JobCommandCaller) {
    const { admin, invocations } = this.#jobs;
    return this.#looks.run(async () => {
      const job = await readJobs(() => admin.show(id));
      if (!job) throw unknownJob();
      const page = { kind: job.kind, job: id, limit: MOST_INVOCATIONS, offset: 0 };
      const calls = await readJobs(() => invocations.page(page));
      const percent = job.state === 'running' ? await readJobs(() => admin.percentOf(id)) : null;
      return { ...shownJobDetails(job, calls, percent, isOperator), may_operate: isOperator };
    });
  }

  #listTriggers({ isOperator }: JobCommandCaller) {
    const { cronPlans, scheduled } = this.#jobs;
    return this.#looks.run(async () => {
      const triggers = this.#schedules.cronTriggers();
      const listed = triggers.slice(0, MOST_TRIGGERS);
      const { now, plans } = await readJobs(() => cronPlans.read());
      const last = await readJobs(() => scheduled.lastTimes(listed.map(({ name }) => name)));
      const items: ShownTrigger[] = [];
      for (const trigger of listed) {
        const { name } = trigger;
        const history = { now, plannedUntil: plans.get(name)?.plannedUntil, last: last.get(name) };
        items.push(shownTrigger(trigger, history, isOperator));
        // Computing the times of many triggers takes long, so requests are served in between.
        await nextTurn();
      }
      return { items, omitted: triggers.length - listed.length, may_operate: isOperator };
    });
  }

  async #listEvents(limit: number, { isOperator }: JobCommandCaller) {
    // One more row than the limit shows whether there are more.
    const events = await this.#looks.run(() => readJobs(() => this.#jobs.scheduled.pendingEvents(limit + 1)));
    const items = events.slice(0, limit).map((event) => shownJob(event, isOperator));
    return { items, are_more: events.length > limit, may_operate: isOperator };
  }

  async #listSubscriptions({ isOperator }: JobCommandCaller) {
    const queues = await this.#readQueues(SUBSCRIPTIONS_AGE_MS);
    return { ...shownDeliveries(this.#schedules.deliveries(), queues), may_operate: isOperator };
  }

  async #act(
    act: JobAct,
    jobs: OperatedJobs,
    { role, variables, log }: JobCommandCaller,
  ): Promise<{ changed: number }> {
    const filter: JobFilter = 'ids' in jobs ? jobs : { ...jobs, states: ACTED_STATES[act] };
    const line = {
      event: 'jobs.operated',
      act,
      role,
      user_id: variables['x-hasura-user-id'],
      tenant_id: variables['x-hasura-tenant-id'],
      ...('ids' in jobs
        ? { ids: jobs.ids.slice(0, MOST_LOGGED_IDS), ids_omitted: Math.max(0, jobs.ids.length - MOST_LOGGED_IDS) }
        : { kind: jobs.kind, queue: jobs.queue, of_tenant: jobs.tenant }),
    } as const;
    return this.#acts.run(async () => {
      try {
        const changed = await this.#jobs.admin[act](filter);
        log.info({ ...line, outcome: 'success', changed }, 'an operator changed jobs');
        return { changed };
      } catch (error) {
        log.warn(
          { ...line, outcome: 'failed', err: error },
          'jobs may not have been changed as requested by an operator',
        );
        throw Object.assign(jobsNotChanged(), { cause: error });
      }
    });
  }
}

/** @throws GatewayError `service-unavailable` if the database does not respond. */
async function readJobs<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isCancelled = (error as { code?: unknown }).code === '57014';
    throw Object.assign(isCancelled ? jobsTakeTooLong() : jobsUnreadable(), { cause: error });
  }
}

/**
 * Runs tasks one after another. Commands of one sort thus use at most one of the connections with which the process accepts and
 * runs jobs.
 */
export class OneAtATime {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @param most the most tasks that are admitted at a time, including the running one. */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws GatewayError if too many tasks wait, and every error that `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#count >= this.#most) throw tooManyJobCommands();
    this.#count++;
    const before = this.#last;
    const run = before.then(work);
    this.#last = run.catch(() => {});
    try {
      return await run;
    } finally {
      this.#count--;
    }
  }
}
