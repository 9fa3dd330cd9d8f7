import type { Logger } from '../../../platform/index.ts';
import { type HandlerRunOfJob, leaveToNewerMetadata, runHandlerOfJob } from '../../webhooks/jobs/index.ts';
import { expired, type Invocations, type JobHandler } from '../engine/index.ts';
import type { CronTrigger } from './cron-triggers.ts';
import { callScheduled, type ScheduledPayload, scheduledRecorder } from './scheduled-call.ts';

export const CRON_KIND = 'cron' as const;

export interface CronRunnerOptions {
  /** Returns the triggers of the active metadata. */
  readonly triggers: () => ReadonlyMap<string, CronTrigger>;
  /** Undefined if the gateway cannot run saved operations. */
  readonly handlers: HandlerRunOfJob['dependencies'];
  readonly invocations: Invocations;
  readonly log: Logger;
}

/** Runs the times of cron triggers. Skips a removed trigger, and a time that is no longer in the schedule. */
export function cronRunner({ triggers, handlers, ...options }: CronRunnerOptions): JobHandler {
  return {
    run: async (job, signal) => {
      const time = new Date(job.idempotencyKey);
      const trigger = triggers().get(job.queue);
      if (!trigger?.metadata.schedule.matches(time))
        return leaveToNewerMetadata(time, job, 'schedule-changed') ?? expired();
      const { webhook, handler, metadata } = trigger;
      const { name, comment, payload, headers, request_transform: transform, retry_conf: retryConf } = metadata;
      const body: ScheduledPayload = {
        scheduled_time: scheduledTime(time),
        payload: payload ?? null,
        name,
        id: job.id,
        ...(comment != null && { comment }),
      };
      if (webhook)
        return callScheduled(
          { ...webhook, configuredHeaders: headers, transform: transform ?? undefined, payload: body, retryConf },
          job,
          signal,
          options,
        );
      // The metadata requires one of both.
      if (!handler) throw new TypeError('a cron trigger has neither a webhook nor a handler');
      const record = scheduledRecorder(job, { payload: body, version: '1' }, options);
      const run = { handler, dependencies: handlers, body, retryConf, log: options.log, record };
      return runHandlerOfJob(run, job, signal);
    },
  };
}

/** Formats a time as Hasura does: without the fraction of a second if it is 0. */
export function scheduledTime(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z');
}
