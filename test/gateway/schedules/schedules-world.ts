import type { Jobs, JobsOptions } from '../../../gateway/jobs/engine/index.ts';
import { openSchedules, type Schedules } from '../../../gateway/jobs/schedules/index.ts';
import { openUpstreamHttp } from '../../../gateway/upstream/index.ts';
import { createLogger } from '../../../platform/index.ts';
import type { TestDatabase } from '../../database/index.ts';
import { keeper, type Received, reply, webhook } from '../harness/index.ts';
import { jobsOn } from '../jobs/jobs-harness.ts';
import { load } from '../metadata/load.ts';

export const WEBHOOK_SECRET = 'a secret of all webhooks, known to both';

/** A trigger in the form of the metadata. */
export type Trigger = Readonly<Record<string, unknown>> & { readonly name: string };

export interface Replica extends Schedules {
  readonly jobs: Jobs;
  /** Makes these the triggers, as a reload does. */
  reload(triggers: readonly Trigger[]): void;
}

export interface SchedulesWorld {
  /** One process, which plans nothing until it is started. */
  replica(triggers: readonly Trigger[], options?: ReplicaOptions): Replica;
  sql(text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  readonly hook: { readonly url: string; readonly requests: readonly Received[] };
  /** What the webhook answers from now on. */
  answerBy(answer: (received: Received) => { status: number; headers?: Record<string, string>; body?: unknown }): void;
  /** The bodies that the webhook got. */
  bodies(): readonly Body[];
  close(): Promise<void>;
}

export interface Body {
  readonly id: string;
  readonly name?: string;
  readonly scheduled_time: string;
  readonly payload: unknown;
  readonly comment?: string;
}

export interface ReplicaOptions extends Partial<JobsOptions> {
  readonly moreOrigins?: readonly string[];
  readonly moreVariables?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly webhookSecret?: string | undefined;
  /** By how much the clock that this process plans by differs, in milliseconds. */
  readonly clockSkewMs?: number;
}

/** A webhook, and processes with schedules on a database, which has no jobs after `close`: the next world may have it. */
export async function openSchedulesWorld(on: TestDatabase): Promise<SchedulesWorld> {
  const { keep, close } = keeper();
  const database = jobsOn(on);
  // Migrates it.
  await database.open().admin.makePartitions();
  let answer: Parameters<SchedulesWorld['answerBy']>[0] = () => ({ status: 200 });
  const hook = await keep(
    webhook((received, response) => {
      const { status, headers, body = {} } = answer(received);
      reply(response, status, body, headers);
    }),
  );
  const http = openUpstreamHttp();
  const opened: Schedules[] = [];
  const log = createLogger('gateway', 'silent');
  return {
    replica: (
      triggers,
      { moreOrigins = [], moreVariables = [], environment, webhookSecret, clockSkewMs = 0, ...options } = {},
    ) => {
      const opening = database.open(options);
      const metadataOf = (list: readonly Trigger[]) => load({ 'cron_triggers.yaml': list }, { hasJobsDatabase: true });
      const jobs: Jobs = {
        ...opening,
        cronPlans: Object.assign(Object.create(opening.cronPlans), {
          read: async () => {
            const { now, plans } = await opening.cronPlans.read();
            return { now: new Date(now.getTime() + clockSkewMs), plans };
          },
          save: opening.cronPlans.save.bind(opening.cronPlans),
          remove: opening.cronPlans.remove.bind(opening.cronPlans),
        }),
      };
      const schedules = openSchedules({
        metadata: metadataOf(triggers),
        dependencies: {
          environment: { HOOK_URL: hook.url, REPORT_KEY: 'key-1', ...environment },
          http,
          webhookSecret,
          log,
        },
        jobs,
        accepts: true,
        moreOrigins,
        moreVariables,
        log,
      });
      opened.push(schedules);
      return { ...schedules, jobs, reload: (list) => schedules.prepare(metadataOf(list))() };
    },
    sql: database.sql,
    hook,
    answerBy: (by) => {
      answer = by;
    },
    bodies: () => hook.requests.map(({ text }) => JSON.parse(text)),
    close: async () => {
      await Promise.all(opened.map((schedules) => schedules.stop()));
      await database.close();
      await http.close();
      await close();
    },
  };
}

/** A trigger that calls the webhook. */
export function trigger(name: string, schedule: string, more: Readonly<Record<string, unknown>> = {}): Trigger {
  return { name, schedule, webhook: '{{HOOK_URL}}/cron', payload: { of: name }, include_in_metadata: true, ...more };
}

/**
 * A schedule that came so many minutes ago, each less than 60, and comes an hour later again: how many times of it lie in the last
 * hour does not depend on the moment in which a test runs.
 */
export function minutesAgo(...minutes: readonly number[]): string {
  return `${minutes.map((ago) => new Date(Date.now() - ago * 60_000).getUTCMinutes()).join(',')} * * * *`;
}

/** Puts back how far a trigger has been planned: as if there had been an outage since. */
export async function outage({ sql }: Pick<SchedulesWorld, 'sql'>, name: string, minutes: number): Promise<void> {
  await sql(
    "UPDATE portico_jobs.cron_plan SET planned_until = clock_timestamp() - $2 * interval '1 minute' WHERE name = $1",
    [name, minutes],
  );
}
