import { cancelledBy } from '../../../platform/index.ts';
import {
  dead,
  done,
  interrupted,
  type JobOutcome,
  type NewInvocation,
  postponed,
  type RunningJob,
  retryLater,
} from '../../jobs/engine/index.ts';
import { askedWaitMs, type UpstreamError, type UpstreamHttp, type UpstreamResponse } from '../../upstream/index.ts';
import {
  SIGNATURE_HEADER,
  STANDARD_WEBHOOK_HEADERS,
  standardWebhookHeaders,
  type WebhookRequest,
  webhookSignatures,
} from '../calls/index.ts';

/** Headers of calls that are not caused by a client's request. */
export const DELIVERY_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'portico',
} as const;

/** A call of a webhook for a job. */
export interface WebhookDelivery {
  readonly http: Pick<UpstreamHttp, 'send'>;
  /** The unsigned request. */
  readonly request: WebhookRequest;
  /** The current secret first. Empty if calls are not signed. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  /** How many attempts may fail. Further ones happen only if a process ended in the middle of an attempt. */
  readonly attempts: number;
  /** The minimum delay before the second attempt. It doubles with each further attempt, up to ten minutes. */
  readonly retryIntervalMs: number;
  /** Records the request and the response. If it fails, the delivery still counts. */
  readonly record?: ((invocation: Pick<NewInvocation, 'status' | 'response'>) => Promise<void>) | undefined;
}

const LONGEST_INTERVAL_MS = 10 * 60_000;
/** The most characters of a response that are kept. */
const MAX_KEPT_BODY = 8_192;
/** Failures where the webhook was not called at all. */
const NOT_ASKED = new Set(['circuit-open', 'overloaded', 'exhausted', 'unavailable']);

/**
 * Calls a webhook for a job. A 2xx status ends the job. Anything else is retried after the interval, or after `Retry-After` if
 * that is longer. Redirects are not followed.
 */
export async function deliverWebhook(
  delivery: WebhookDelivery,
  job: RunningJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { http, timeoutMs, record } = delivery;
  const { url, method, headers, body } = signed(delivery, job);
  let response: UpstreamResponse;
  try {
    const { span } = job;
    const sent = { url, method, headers, timeoutMs, span, ...(body !== undefined && { body }) };
    response = await cancelledBy(signal, (cancellation) => http.send({ ...sent, cancellation }));
  } catch (error) {
    const { reason } = error as UpstreamError;
    if (reason === undefined) throw error;
    if (reason === 'aborted') return interrupted();
    if (NOT_ASKED.has(reason)) return postponed(reason, ((error as UpstreamError).retryAfterSeconds ?? 1) * 1000);
    await record?.({ status: null, response: clientError(reason) });
    return retryAfterInterval(delivery, job, reason);
  }
  const { status } = response;
  await record?.({ status, response: webhookResponse(response) });
  if (status >= 200 && status < 300) return done();
  const reason = status < 400 ? 'redirect' : status < 500 ? 'client-error' : 'server-error';
  return retryAfterInterval(delivery, job, reason, askedWaitMs(response));
}

function signed({ request, secrets }: WebhookDelivery, { id }: RunningJob): WebhookRequest {
  const headers: Record<string, string> = { ...request.headers };
  // Only the gateway sets these headers. Neither the metadata nor a template can.
  for (const name of [SIGNATURE_HEADER, ...STANDARD_WEBHOOK_HEADERS]) delete headers[name];
  const message = { id, body: request.body ?? '', nowMs: Date.now() };
  const { 'webhook-signature': signature, ...rest } = standardWebhookHeaders(secrets, message);
  Object.assign(headers, rest);
  if (secrets.length > 0) {
    headers['webhook-signature'] = signature;
    headers[SIGNATURE_HEADER] = webhookSignatures(secrets, message.body, message.nowMs);
  }
  return { ...request, headers };
}

/** Schedules another attempt, unless the last one has failed. */
export function retryAfterInterval(
  { attempts, retryIntervalMs }: Pick<WebhookDelivery, 'attempts' | 'retryIntervalMs'>,
  job: RunningJob,
  reason: string,
  askedMs = 0,
): JobOutcome {
  if (job.attempt >= attempts) return dead(reason);
  const doubledMs = Math.min(retryIntervalMs * 2 ** Math.min(job.attempt - 1, 20), LONGEST_INTERVAL_MS);
  // An interval of more than ten minutes is kept.
  return retryLater(reason, { afterMs: Math.max(askedMs, doubledMs, retryIntervalMs) });
}

/** Formats a response as Hasura does in its logs of invocations. */
function webhookResponse({ status, headers, body }: UpstreamResponse) {
  const contentType = headers['content-type'];
  const kept = contentType === undefined ? [] : [{ name: 'content-type', value: String(contentType) }];
  return {
    type: 'webhook_response',
    version: '1',
    data: { status, headers: kept, body: body.slice(0, MAX_KEPT_BODY) },
  };
}

function clientError(message: string) {
  return { type: 'client_error', version: '1', data: { message } };
}
