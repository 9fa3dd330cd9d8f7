import { randomUUID } from 'node:crypto';
import { cancelledBy, isUuid, type Logger } from '../../../platform/index.ts';
import { ADMIN_ROLE, createSession, TENANT_VARIABLE } from '../../access/session/index.ts';
import type { GatewayError } from '../../errors.ts';
import type { Jobs } from '../../jobs/engine/index.ts';
// Not imported from `index.ts`, which loads the jobs engine. A gateway without a jobs database does not need the
// engine.
import {
  digestOf,
  interrupted,
  type JobHandler,
  type JobOutcome,
  type Json,
  MAX_TENANT,
  type NewJob,
  postponed,
  type QueueLimits,
  type RunningJob,
} from '../../jobs/engine/job.ts';
import type { ActionMetadata } from '../../metadata/index.ts';
import { askedWaitMs, UpstreamError, type UpstreamResponse } from '../../upstream/index.ts';
import { type HeaderForwarding, headersToStore } from '../client-headers.ts';
import { sourceError } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import type { AnswerAction } from './action-operation.ts';
import { asyncResult, declaredOutcome, storedErrors } from './async-result.ts';
import { checkedPartialOutput, type ProgressReporting, type ProgressTarget, withProgress } from './job-progress.ts';
import { type OperationAction, runOperationActionJob } from './operation-action.ts';
import { type HeaderSealer, readHeaders, type StoredHeaders, storeHeaders } from './stored-headers.ts';
import { type ActionWebhook, callWebhook } from './webhook/index.ts';

/** The kind of the jobs of asynchronous actions; their queues are the actions' names. */
export const ACTION_JOBS = 'action';
/** The header by which a webhook recognizes attempts of the same job (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

const DEFAULT_MAX_ATTEMPTS = 12;
const DEFAULT_MAX_AGE_SECONDS = 3_600;
/** The delay if this process does not know the action. Another version of the metadata may know it. */
const UNKNOWN_ACTION_MS = 30_000;
const UNAVAILABLE_MS = 1_000;
/** The delay if this process does not have the key. Gateways that start later may have it. */
const UNKNOWN_KEY_MS = 30_000;
/** The maximum length, in characters, of an order key that is stored unhashed. */
const MAX_ORDER_KEY = 255;

/** The data of the original request that a run of the action needs. */
type ActionPayload = StoredHeaders & {
  readonly input: Record<string, unknown>;
  readonly role: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  readonly requestId: string;
  readonly clientAddress: string;
  /** How many handlers the call is nested in. Undefined for a client's call. */
  readonly handlerDepth?: number;
};

/** The client headers that jobs of an action store. */
export interface KeptHeaders {
  readonly forward: HeaderForwarding;
  /** The folded names of headers that are left out. */
  readonly credentials: ReadonlySet<string>;
  readonly sealer: HeaderSealer;
}

/**
 * Queues an action as a job and returns the job's id.
 *
 * @param kept undefined if no client headers are forwarded to the webhook.
 */
export function acceptAction(
  { name, definition }: ActionMetadata,
  kept: KeptHeaders | undefined,
  jobs: Jobs | undefined,
): AnswerAction {
  return (input, call, done) => {
    const { session } = call;
    const payload: ActionPayload = {
      input,
      role: session.role,
      variables: session.variables,
      scopes: session.scopes,
      ...(kept
        ? storeHeaders(headersToStore(kept.forward, call.clientHeaders, kept.credentials), kept.sealer, name)
        : { headers: {} }),
      requestId: call.requestId,
      clientAddress: call.clientAddress,
      ...(call.handlerDepth !== undefined && { handlerDepth: call.handlerDepth }),
    };
    const { job } = definition;
    const orderBy = job?.order_by_session_variable;
    const tenant = session.variables[TENANT_VARIABLE];
    if (tenant !== undefined && tenant.length > MAX_TENANT) {
      const message = `the id of a tenant has ${MAX_TENANT} characters at most`;
      done({ error: sourceError(name, 'validation-failed', message) });
      return;
    }
    const accepted: NewJob = {
      kind: ACTION_JOBS,
      queue: name,
      tenant,
      orderKey: orderBy === undefined ? undefined : boundedKey(session.variables[orderBy] ?? ''),
      maxAttempts: job?.max_attempts ?? DEFAULT_MAX_ATTEMPTS,
      validForMs: (job?.max_age_seconds ?? DEFAULT_MAX_AGE_SECONDS) * 1000,
      payload: payload as unknown as Json,
      owner: session.variables,
      isLimited: session.role !== ADMIN_ROLE,
      isWatched: true,
      span: call.span,
    };
    if (!jobs) throw new TypeError('asynchronous actions have no jobs here');
    jobs.enqueue(accepted).then(
      ({ id }) => done({ value: id }),
      (error: unknown) => done({ error: jobsFailure(name, error, call, 'jobs.accept_failed') }),
    );
  };
}

/**
 * Bounds an order key so that it fits an index. Short keys stay unhashed to keep their order with jobs of earlier
 * versions.
 */
function boundedKey(value: string): string {
  return value.length > MAX_ORDER_KEY ? digestOf([value]) : value;
}

/** Normalizes the job id in the arguments of a result field. Returns undefined if the value cannot be a job id. */
export function askedJobId({ id }: Readonly<Record<string, unknown>>): string | undefined {
  const text = String(id).toLowerCase();
  return isUuid(text) ? text : undefined;
}

/** Returns the result of an action to the session that called it. Other sessions and unknown ids get null. */
export function answerResult(name: string, jobs: Jobs | undefined, withProgress = false): AnswerAction {
  return (input, call, done) => {
    const id = askedJobId(input);
    if (!jobs || id === undefined) {
      done({ value: null });
      return;
    }
    const owner = call.session.role === ADMIN_ROLE ? undefined : call.session.variables;
    jobs.result({ id, kind: ACTION_JOBS, queue: name, owner, withProgress }).then(
      (result) => done({ value: result ? asyncResult(result) : null }),
      (error: unknown) => done({ error: jobsFailure(name, error, call, 'jobs.result_failed') }),
    );
  };
}

/** Converts an error of the jobs engine into an error of the field. */
function jobsFailure(
  name: string,
  error: unknown,
  call: OperationContext,
  event: 'jobs.accept_failed' | 'jobs.result_failed',
) {
  const { message, code, cause, headers = {} } = error as Error & Partial<Pick<GatewayError, 'code' | 'headers'>>;
  const isOverQuota = code === 'job-limit-exceeded';
  // Clients control how often the quota is exceeded, so it is not logged.
  if (!isOverQuota)
    call.log.warn({ event, err: cause ?? error, source: name }, 'a request to the database for jobs failed');
  const seconds = headers['retry-after'];
  if (seconds !== undefined) call.http.headers['retry-after'] = seconds;
  return sourceError(
    name,
    isOverQuota ? code : 'service-unavailable',
    message,
    seconds === undefined ? {} : { retry_after: Number(seconds) },
  );
}

/** Runs the jobs of these actions by calling their webhooks or running their saved operations. */
export function actionJobs(
  webhooks: ReadonlyMap<string, ActionWebhook>,
  operations: ReadonlyMap<string, OperationAction>,
  limits: ReadonlyMap<string, QueueLimits>,
  sealer: HeaderSealer | undefined,
  progress: ProgressReporting | undefined,
  log: Logger,
): JobHandler {
  return {
    limits: () => limits,
    checkOutput: (queue, output) => {
      const webhook = progress?.names.has(queue) ? webhooks.get(queue) : undefined;
      return webhook && checkedPartialOutput(webhook, output);
    },
    run: async (job, signal) => {
      const action = operations.get(job.queue);
      if (action)
        return runOperationActionJob(action, { job, request: job.payload as unknown as ActionPayload }, signal, log);
      const webhook = webhooks.get(job.queue);
      if (!webhook) return postponed('unknown-action', UNKNOWN_ACTION_MS);
      const payload = job.payload as unknown as ActionPayload;
      const clientHeaders = readHeaders(payload, sealer, job.queue);
      // Other jobs of this queue may be sealed with a key that this process has.
      if (!clientHeaders) return postponed('unknown-key', UNKNOWN_KEY_MS, 'nothing');
      const run = { job, payload, clientHeaders };
      if (!progress?.names.has(job.queue)) return runAction(webhook, run, signal, log);
      return withProgress(progress, job, (target) => runAction(webhook, { ...run, progress: target }, signal, log));
    },
  };
}

interface ActionRun {
  readonly job: RunningJob;
  readonly payload: ActionPayload;
  readonly clientHeaders: OperationContext['clientHeaders'];
  readonly progress?: ProgressTarget;
}

function runAction(
  webhook: ActionWebhook,
  { job, payload, clientHeaders, progress }: ActionRun,
  signal: AbortSignal,
  log: Logger,
): Promise<JobOutcome> {
  const call: Omit<OperationContext, 'cancellation'> = {
    session: createSession(payload.role, payload.variables, { scopes: payload.scopes }),
    requestId: payload.requestId || randomUUID(),
    clientAddress: payload.clientAddress,
    clientHeaders,
    query: '',
    log,
    span: job.span,
    http: { headers: {}, cookies: [] },
  };
  let answer: UpstreamResponse | UpstreamError | undefined;
  const ofJob = {
    headers: [IDEMPOTENCY_HEADER, job.idempotencyKey],
    progress,
    onAnswer: (one: UpstreamResponse | UpstreamError) => {
      answer = one;
    },
  };
  return cancelledBy(
    signal,
    (cancellation) =>
      new Promise<JobOutcome>((resolve) =>
        callWebhook(
          webhook,
          payload.input,
          { ...call, cancellation },
          (outcome) => {
            // Fields that the type does not declare are neither returned nor stored.
            if ('value' in outcome) resolve(declaredOutcome(outcome.value, webhook.outputType));
            else resolve(failedOutcome(answer, storedErrors(outcome.error)));
          },
          { job: ofJob },
        ),
      ),
  );
}

/** 4xx statuses after which another attempt may succeed (RFC 9110, RFC 6585, RFC 8470). */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Decides whether to retry. A rejection by the webhook or a response that does not fit the type is final. */
function failedOutcome(answer: UpstreamResponse | UpstreamError | undefined, errors: Json): JobOutcome {
  // A transform failed before the webhook was called.
  if (answer === undefined) return { outcome: 'failed', reason: 'transform', errors };
  if (answer instanceof UpstreamError) {
    const { reason, retryAfterSeconds } = answer;
    if (reason === 'aborted') return interrupted();
    if (reason === 'timeout' || reason === 'connection')
      return { outcome: 'retry', reason, afterMs: undefined, errors };
    if (reason === 'too-large') return { outcome: 'failed', reason, errors };
    const afterMs = retryAfterSeconds === undefined ? UNAVAILABLE_MS : retryAfterSeconds * 1000;
    return postponed(reason, afterMs);
  }
  const { status } = answer;
  const isServers = status < 200 || status >= 500 || (status >= 300 && status < 400);
  if (isServers || RETRIED_STATUSES.has(status))
    return {
      outcome: 'retry',
      reason: isServers ? 'http-5xx' : `http-${status}`,
      afterMs: askedWaitMs(answer),
      errors,
    };
  return { outcome: 'failed', reason: status >= 400 ? 'http-4xx' : 'invalid-response', errors };
}
