import { cancelledBy, type Logger } from '../../../platform/index.ts';
import { createSession } from '../../access/session/index.ts';
import {
  dead,
  done,
  interrupted,
  type JobOutcome,
  type NewInvocation,
  type RunningJob,
} from '../../jobs/engine/index.ts';
import type { OperationHandler, RetryConf } from '../../metadata/index.ts';
import { type HandlerDependencies, runHandler } from '../../sources/index.ts';
import { retryAfterInterval } from './deliver.ts';

/** A run of saved operations in place of a webhook. */
export interface HandlerRunOfJob {
  readonly handler: OperationHandler;
  readonly dependencies: HandlerDependencies | undefined;
  /** The value of `$body`: what a webhook would receive. */
  readonly body: unknown;
  /** Session variables besides those of the metadata, over which they take precedence. */
  readonly sessionVariables?: Readonly<Record<string, string>>;
  readonly retryConf: RetryConf;
  readonly log: Logger;
  /** Records the outcome of the attempt. */
  readonly record: (invocation: Pick<NewInvocation, 'status' | 'response'>) => Promise<void>;
}

/**
 * Runs the handler of a cron trigger or a subscription. A failed run is repeated from its first step, as a webhook is called
 * again, unless a compensation has failed: then another attempt would begin on top of what remains.
 */
export async function runHandlerOfJob(
  { handler, dependencies, body, sessionVariables, retryConf, log, record }: HandlerRunOfJob,
  job: RunningJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const call = {
    body,
    session: createSession(handler.role ?? '', { ...handler.sessionVariables, ...sessionVariables }),
    idempotencyKey: job.id,
    timeoutMs: retryConf.timeout_seconds * 1000,
    isRepeated: true,
    depth: 0,
    requestId: job.id,
    clientAddress: '',
    clientHeaders: {},
    log,
    span: job.span,
  };
  const outcome = await cancelledBy(signal, (cancellation) =>
    runHandler(handler, { ...call, cancellation }, dependencies),
  );
  if ('value' in outcome) {
    await record({ status: 200, response: described({ outcome: 'done' }) });
    return done();
  }
  const { kind, code, compensation } = outcome.failure;
  if (kind === 'aborted') return interrupted();
  await record({
    status: null,
    response: described({ outcome: 'failed', code, ...(compensation && { compensation }) }),
  });
  if (compensation === 'failed') return dead('compensation-failed');
  const plan = { attempts: retryConf.num_retries + 1, retryIntervalMs: retryConf.retry_interval_seconds * 1000 };
  return retryAfterInterval(plan, job, 'handler-failed', (outcome.failure.retryAfterSeconds ?? 0) * 1000);
}

/** Results are not logged, since they may be personal data. */
function described(data: object) {
  return { type: 'operation_handler', version: '1', data };
}
