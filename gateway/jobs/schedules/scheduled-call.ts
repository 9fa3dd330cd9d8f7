import type { Logger } from '../../../platform/index.ts';
import type { RequestTransform, RetryConf } from '../../metadata/index.ts';
import type { UpstreamHttp } from '../../upstream/index.ts';
import { transformedRequest, UnusableRequest, type WebhookRequest } from '../../webhooks/calls/index.ts';
import { DELIVERY_HEADERS, deliverWebhook } from '../../webhooks/jobs/index.ts';
import { KritiEvaluationError } from '../../webhooks/kriti/index.ts';
import type { Invocations, JobOutcome, RunningJob } from '../engine/index.ts';
import { dead } from '../engine/index.ts';

/** The payload that Hasura sends to the webhook of a cron trigger or a one-off event. */
export interface ScheduledPayload {
  readonly id: string;
  readonly name?: string;
  readonly scheduled_time: string;
  readonly payload: unknown;
  readonly comment?: string;
  /** Only for one-off events. */
  readonly created_at?: string;
}

/** A call that is due. */
export interface ScheduledCall {
  readonly http: Pick<UpstreamHttp, 'send'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The headers as configured, without values of the environment. They go to the log of invocations. */
  readonly configuredHeaders: readonly unknown[];
  readonly transform: RequestTransform | undefined;
  readonly payload: ScheduledPayload;
  readonly retryConf: RetryConf;
  readonly secrets: readonly string[];
}

/** Calls the webhook of a scheduled job, and logs the call with its invocations. */
export async function callScheduled(
  call: ScheduledCall,
  job: RunningJob,
  signal: AbortSignal,
  { invocations, log }: { invocations: Invocations; log: Logger },
): Promise<JobOutcome> {
  const { payload, retryConf } = call;
  const request = { payload, headers: call.configuredHeaders, version: '1' };
  const record = scheduledRecorder(job, request, { invocations, log });
  let prepared: WebhookRequest;
  try {
    prepared = scheduledRequestOf(call);
  } catch (error) {
    if (!(error instanceof KritiEvaluationError || error instanceof UnusableRequest)) throw error;
    log.warn(
      { event: 'schedules.transform_failed', job: job.id, reason: error.message },
      'transform of a scheduled call failed',
    );
    await record({ status: null, response: { type: 'client_error', version: '1', data: { message: error.message } } });
    return dead('transform-failed');
  }
  return deliverWebhook(
    {
      http: call.http,
      request: prepared,
      secrets: call.secrets,
      timeoutMs: retryConf.timeout_seconds * 1000,
      attempts: retryConf.num_retries + 1,
      retryIntervalMs: retryConf.retry_interval_seconds * 1000,
      record,
    },
    job,
    signal,
  );
}

/** Returns a function that logs an attempt. If that fails, the attempt still counts. */
export function scheduledRecorder(
  job: RunningJob,
  request: unknown,
  { invocations, log }: { invocations: Invocations; log: Logger },
): (attempt: { readonly status: number | null; readonly response: unknown }) => Promise<void> {
  return async (attempt) => {
    try {
      await invocations.record(job, { ...attempt, request });
    } catch (error) {
      log.warn({ event: 'schedules.log_failed', err: error, job: job.id }, 'could not log the call of a webhook');
    }
  };
}

function scheduledRequestOf({ url, headers: configured, transform, payload }: ScheduledCall): WebhookRequest {
  const headers = { ...DELIVERY_HEADERS, ...configured };
  if (transform) return transformedRequest({ url, headers, payload, sessionVariables: {} }, transform);
  return { url, method: 'POST', headers, body: JSON.stringify(payload) };
}
