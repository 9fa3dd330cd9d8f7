import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { cancelledBy, type Done, type Logger } from '../../../platform/index.ts';
import { createSession } from '../../access/session/index.ts';
// Not imported from `index.ts`, which loads the jobs engine.
import {
  dead,
  failed,
  interrupted,
  type JobOutcome,
  postponed,
  type RunningJob,
  retryLater,
} from '../../jobs/engine/job.ts';
import type { OperationHandler, ResponseTransform } from '../../metadata/index.ts';
import type { CallOutcome } from '../../upstream/index.ts';
import type { Template } from '../../webhooks/kriti/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { HandlerDependencies } from '../saved-operation.ts';
import { declaredOutcome, storedErrors } from './async-result.ts';
import { HandlerFailure, outputMisfits } from './handler-failure.ts';
import { evaluated, type HandlerCall, type HandlerOutcome, runHandler } from './handler-run.ts';
import type { HandlerSlots } from './handler-slots.ts';
import {
  type ActionOutcome,
  type ActionOutput,
  type FieldArguments,
  responseProblem,
  type WebhookPayload,
  webhookPayload,
} from './webhook/index.ts';

/** An action whose handler runs saved operations. */
export interface OperationAction extends ActionOutput {
  readonly name: string;
  readonly handler: OperationHandler;
  readonly responseTransform: ResponseTransform | undefined;
  readonly timeoutMs: number;
  readonly slots: HandlerSlots;
  /** Undefined if the graph is only inspected. */
  readonly dependencies: HandlerDependencies | undefined;
  /** Whether errors contain details of the failure. For development only. */
  readonly showInternals: boolean;
}

/** Runs an action for a client. Never throws. Calls `done` exactly once. */
export function runOperationAction(
  action: OperationAction,
  given: GivenValues,
  context: OperationContext,
  done: Done<ActionOutcome>,
): void {
  const { session, query, requestId, clientAddress, clientHeaders, log, span, cancellation } = context;
  const origin = { session, requestId, clientAddress, clientHeaders, log, span, cancellation };
  const call = { ...origin, idempotencyKey: randomUUID(), isRepeated: false, depth: context.handlerDepth ?? 0 };
  outcomeOf(action, payloadOf(action, given, query, call), call).then(
    (outcome) => done('value' in outcome ? outcome : { error: errorForClient(action, outcome.failure, context) }),
    (error: unknown) => done({ error }),
  );
}

/** The values that the client gave. */
interface GivenValues {
  readonly input: Record<string, unknown>;
  readonly fieldArguments?: readonly FieldArguments[] | undefined;
}

type ActionCall = Omit<HandlerCall, 'body' | 'timeoutMs' | 'checkOutput'>;

function payloadOf(
  { name }: OperationAction,
  { input, fieldArguments }: GivenValues,
  query: string | null,
  { session }: Pick<ActionCall, 'session'>,
): WebhookPayload {
  return webhookPayload(name, { input }, query, session, fieldArguments && { field_arguments: fieldArguments });
}

async function outcomeOf(action: OperationAction, payload: WebhookPayload, call: ActionCall): Promise<HandlerOutcome> {
  const { handler, dependencies, slots, timeoutMs, outputType, excessProblem } = action;
  const checkOutput = (value: unknown) => {
    const problem = responseProblem(value, outputType) ?? excessProblem?.(value);
    if (problem !== undefined) throw outputMisfits(problem);
  };
  const transform = action.responseTransform?.body;
  try {
    const outcome = await slots.run(
      call.cancellation,
      () =>
        runHandler(
          handler,
          { ...call, body: payload, timeoutMs, checkOutput: transform ? undefined : checkOutput },
          dependencies,
        ),
      callOutcomeOf,
    );
    if (!transform || 'failure' in outcome) return outcome;
    const value = transform.action === 'remove' ? null : transformed(transform.template, outcome.value, payload);
    checkOutput(value);
    return { value };
  } catch (error) {
    if (error instanceof HandlerFailure) return { failure: error };
    throw error;
  }
}

/** Evaluates the response transform of a single operation. `$body` is the operation's result. */
function transformed(template: Template, result: unknown, payload: WebhookPayload): unknown {
  const sessionVariables = payload.session_variables;
  const variables = {
    $body: result,
    $response: { status: 200 },
    $session_variables: sessionVariables,
    $request: { body: payload, session_variables: sessionVariables },
  };
  return evaluated(template, { variables, sessionVariables }, 'response_transform');
}

function callOutcomeOf(outcome: HandlerOutcome): CallOutcome {
  if ('value' in outcome) return 'success';
  const { kind, code } = outcome.failure;
  if (kind === 'aborted') return 'aborted';
  if (code === 'handler-time-limit-exceeded') return 'timeout';
  return kind === 'operation' || kind === 'fail' ? 'client-error' : 'server-error';
}

function errorForClient(
  { showInternals }: OperationAction,
  failure: HandlerFailure,
  { http }: Pick<OperationContext, 'http'>,
): GraphQLError {
  const { code, message, status, retryAfterSeconds: seconds, compensation, step, detail } = failure;
  if (status !== undefined) http.status = status;
  if (seconds !== undefined) http.headers['retry-after'] = String(seconds);
  return new GraphQLError(message, {
    extensions: {
      path: '$',
      code,
      ...(seconds !== undefined && { retry_after: seconds }),
      ...(compensation && { compensation }),
      ...(showInternals && { internal: { ...(step && { step }), error: detail ?? message } }),
    },
  });
}

/** The data of the original request that a job of the action has. */
interface JobRequest {
  readonly input: Record<string, unknown>;
  readonly role: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  readonly requestId: string;
  readonly clientAddress: string;
  readonly handlerDepth?: number;
}

/** Runs the job of an asynchronous action. Each attempt begins with the first step. */
export async function runOperationActionJob(
  action: OperationAction,
  { job, request }: { readonly job: RunningJob; readonly request: JobRequest },
  signal: AbortSignal,
  log: Logger,
): Promise<JobOutcome> {
  const call: Omit<ActionCall, 'cancellation'> = {
    session: createSession(request.role, request.variables, { scopes: request.scopes }),
    requestId: request.requestId || randomUUID(),
    clientAddress: request.clientAddress,
    clientHeaders: {},
    log,
    span: job.span,
    idempotencyKey: job.idempotencyKey,
    isRepeated: true,
    depth: request.handlerDepth ?? 0,
  };
  const payload = payloadOf(action, request, null, call);
  const outcome = await cancelledBy(signal, (cancellation) => outcomeOf(action, payload, { ...call, cancellation }));
  // Fields that the type does not declare are neither returned nor stored.
  if ('value' in outcome) return declaredOutcome(outcome.value, action.outputType);
  return jobOutcomeOf(action, outcome.failure);
}

/** Codes after which another attempt may succeed. Errors of a service's own are final. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'circuit-open',
  'handler-time-limit-exceeded',
  'remote-schema-error',
  'service-unavailable',
  'source-unavailable',
  'tenant-time-limit-exceeded',
  'upstream-overloaded',
]);

function jobOutcomeOf(action: OperationAction, failure: HandlerFailure): JobOutcome {
  const { kind, code, compensation, retryAfterSeconds } = failure;
  const afterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
  if (kind === 'aborted') return interrupted();
  // No step has run.
  if (kind === 'limit' && afterMs !== undefined) return postponed(code, afterMs);
  const error = errorForClient(action, failure, { http: { headers: {}, cookies: [] } });
  const errors = { ...(storedErrors(error) as object), ...(compensation && { compensation }) };
  // Another attempt would begin on top of what could not be undone.
  if (compensation === 'failed') return dead('compensation-failed', errors);
  if (TRANSIENT_CODES.has(code)) return retryLater(code, { ...(afterMs !== undefined && { afterMs }), errors });
  return failed(kind === 'fail' ? 'handler-fail-step' : 'handler-failed', errors);
}
