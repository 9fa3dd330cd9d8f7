import type { Logger } from '../../../platform/index.ts';
import { leaveToNewerMetadata } from '../../webhooks/jobs/index.ts';
import { expired, type Invocations, type JobHandler } from '../engine/index.ts';
import type { CronTrigger } from './cron-triggers.ts';
import { callScheduled } from './scheduled-call.ts';

export const CRON_KIND = 'cron' as const;

export interface CronRunnerOptions {
  /** Returns the triggers of the active metadata. */
  readonly triggers: () => ReadonlyMap<string, CronTrigger>;
  readonly invocations: Invocations;
  readonly log: Logger;
}

/** Runs the times of cron triggers. Skips a removed trigger, and a time that is no longer in the schedule. */
export function cronRunner({ triggers, ...options }: CronRunnerOptions): JobHandler {
  return {
    run: async (job, signal) => {
      const time = new Date(job.idempotencyKey);
      const trigger = triggers().get(job.queue);
      if (!trigger?.metadata.schedule.matches(time))
        return leaveToNewerMetadata(time, job, 'schedule-changed') ?? expired();
      const { name, comment, payload, headers, request_transform: transform, retry_conf } = trigger.metadata;
      return callScheduled(
        {
          http: trigger.http,
          url: trigger.url,
          headers: trigger.headers,
          configuredHeaders: headers,
          transform: transform ?? undefined,
          payload: {
            scheduled_time: scheduledTime(time),
            payload: payload ?? null,
            name,
            id: job.id,
            ...(comment != null && { comment }),
          },
          retryConf: retry_conf,
          secrets: trigger.secrets,
        },
        job,
        signal,
        options,
      );
    },
  };
}

/** Formats a time as Hasura does: without the fraction of a second if it is 0. */
export function scheduledTime(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z');
}
