import { ERROR_STATUS, type ErrorCode, relayedMessage } from '../../errors.ts';
import type { SavedOperationResult } from '../saved-operation.ts';
import { codeWithoutExtensions } from './webhook/index.ts';

/**
 * Why a handler failed:
 *
 * - `operation`: an operation had errors.
 * - `rejected`: an operation is not valid for its role or its variables, or exceeds a limit.
 * - `fail`: a `fail` step ended the chain.
 * - `template`: a template does not fit its values.
 * - `output`: the output does not fit the action's type.
 * - `limit`: the handler exceeded its time or its depth, or too many are running.
 * - `unexpected`: an error of the gateway itself.
 * - `aborted`: the client has disconnected, or the job was taken away.
 */
export type FailureKind =
  | 'operation'
  | 'rejected'
  | 'fail'
  | 'template'
  | 'output'
  | 'limit'
  | 'unexpected'
  | 'aborted';

/** The outcome of compensations: whether all of them succeeded. */
export type CompensationOutcome = 'done' | 'failed';

interface FailureDetails {
  /** The name of the failed step, for operators. */
  readonly step?: string | undefined;
  /** The cause, for operators. Contains no values. */
  readonly detail?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly status?: number | undefined;
}

/** The failure of a handler. The message and the code are for the caller. */
export class HandlerFailure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  readonly step: string | undefined;
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The status of REST endpoints. Undefined for the status of the code. */
  readonly status: number | undefined;
  /** Undefined if nothing had to be compensated. */
  compensation: CompensationOutcome | undefined;

  constructor(kind: FailureKind, code: string, message: string, details: FailureDetails = {}) {
    super(message);
    this.name = 'HandlerFailure';
    this.kind = kind;
    this.code = code;
    this.step = details.step;
    this.detail = details.detail;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.status = details.status;
  }
}

/**
 * The first error of an operation. Only its message and code are relayed: the operation may run as another role, so its
 * extensions, paths and validation errors could reveal what the caller may not see.
 */
export function operationFailed(step: string, { errors: [error], isRejected }: SavedOperationResult): HandlerFailure {
  const extensions = error?.extensions ?? {};
  const code = codeWithoutExtensions(extensions);
  const text = typeof code === 'object' ? 'unexpected' : String(code);
  const { retry_after: seconds, reason } = extensions;
  const details = {
    step,
    retryAfterSeconds: typeof seconds === 'number' ? seconds : undefined,
    ...(reason === 'timeout' && { status: 504 }),
  };
  if (!isRejected) return new HandlerFailure('operation', text, relayedMessage(error?.message ?? ''), details);
  return new HandlerFailure('rejected', text, 'an operation of the handler was rejected', {
    ...details,
    detail: error?.message,
  });
}

export function templateFailed(step: string | undefined, detail: string): HandlerFailure {
  return new HandlerFailure('template', 'unexpected', 'a template of the handler does not fit the values', {
    step,
    detail,
    status: 500,
  });
}

/** The output does not fit the action's type. @param problem in Hasura's words. */
export function outputMisfits(problem: string): HandlerFailure {
  return new HandlerFailure('output', 'unexpected', problem, { detail: problem, status: 500 });
}

export function handlerTooLate(): HandlerFailure {
  return limitExceeded(
    'handler-time-limit-exceeded',
    'the handler did not finish in time; a mutation may still take effect',
  );
}

export function handlersTooDeep(limit: number): HandlerFailure {
  return limitExceeded('handler-depth-limit-exceeded', `handlers are nested more than ${limit} deep`);
}

/** As many runs of the handler as permitted are in progress and waiting. */
export function tooManyRuns(name: string): HandlerFailure {
  return new HandlerFailure('limit', 'upstream-overloaded', `too many calls are waiting for the action "${name}"`, {
    retryAfterSeconds: 1,
  });
}

/** The gateway only inspects its graph, or does not serve operations yet. */
export function handlersUnavailable(): HandlerFailure {
  return new HandlerFailure('limit', 'service-unavailable', 'the gateway cannot run the handler yet', {
    retryAfterSeconds: 1,
  });
}

/** An error that no part of the gateway foresaw. Only the log gets its message. */
export function unexpectedFailure(error: unknown): HandlerFailure {
  const detail = error instanceof Error ? error.message : String(error);
  return new HandlerFailure('unexpected', 'unexpected', 'internal error', { detail, status: 500 });
}

export function handlerAborted(): HandlerFailure {
  return new HandlerFailure('aborted', 'unexpected', 'the request was aborted');
}

function limitExceeded(code: ErrorCode, message: string): HandlerFailure {
  return new HandlerFailure('limit', code, message, { status: ERROR_STATUS[code] });
}
