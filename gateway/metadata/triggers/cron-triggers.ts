import { z } from 'zod';
import { CronSchedule, CronSyntaxError } from '../../jobs/cron/index.ts';
import { requestTransform, workHandler } from '../actions/index.ts';
import { configuredHeaders, mapping, queueName, resilience } from '../shapes/index.ts';
import { retryConf, SCHEDULE_RETRIES } from './retry-conf.ts';

/** A URL as a template, or the variable with the URL. */
export const webhookUrl = z
  .union(
    [z.string().min(1), mapping({ from_env: z.string().min(1) }), mapping({ value_from_env: z.string().min(1) })],
    {
      error: 'expected a URL, or a mapping with from_env',
    },
  )
  .transform((given) => {
    if (typeof given === 'string') return { url: given };
    return { url_from_env: 'from_env' in given ? given.from_env : given.value_from_env };
  });

/** Checks that work has either a webhook or a handler. */
export function withOneTarget(
  { webhook, handler }: { readonly webhook?: unknown; readonly handler?: unknown },
  context: z.RefinementCtx,
): void {
  if ((webhook === undefined) === (handler === undefined))
    context.addIssue({ code: 'custom', message: 'expected exactly one of webhook and handler' });
}

/** `cron_triggers.yaml`: webhooks that are called on a schedule. */
export const cronTriggersShape = z.array(
  mapping({
    name: queueName,
    webhook: webhookUrl.optional(),
    /** Portico's own: saved operations that the gateway runs itself, in place of the webhook. */
    handler: workHandler.optional(),
    schedule: z.string(),
    /** Portico's own: the IANA time zone of the schedule. */
    time_zone: z.string().nullish(),
    payload: z.unknown().optional(),
    headers: configuredHeaders,
    retry_conf: retryConf(SCHEDULE_RETRIES),
    request_transform: requestTransform.nullish(),
    /** Only null is accepted, since the webhook's response is not read. */
    response_transform: z.null().optional(),
    include_in_metadata: z.boolean().nullish(),
    comment: z.string().nullish(),
    /** Portico's own: the secret for signing calls of this webhook, instead of the global one. */
    webhook_signature: mapping({ secret_from_env: z.string().min(1) }).nullish(),
    /** Portico's own: how the webhook is called. */
    resilience: resilience.optional(),
  })
    .superRefine(withOneTarget)
    .transform(({ schedule, time_zone, ...trigger }, context) => {
      try {
        return { ...trigger, schedule: new CronSchedule(schedule, time_zone ?? 'UTC') };
      } catch (error) {
        if (!(error instanceof CronSyntaxError)) throw error;
        context.addIssue({
          code: 'custom',
          path: [error.subject === 'time zone' ? 'time_zone' : 'schedule'],
          message: error.message,
        });
        return z.NEVER;
      }
    }),
);

export type CronTriggerMetadata = z.output<typeof cronTriggersShape>[number];
