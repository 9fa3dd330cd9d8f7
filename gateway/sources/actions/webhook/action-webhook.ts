import type { GraphQLError, GraphQLOutputType } from 'graphql';
import { type Done, parseServiceJson } from '../../../../platform/index.ts';
import type { ResponseTransform } from '../../../metadata/index.ts';
import {
  type ResilientClient,
  type UpstreamError,
  type UpstreamHandler,
  type UpstreamResponse,
  withHeaders,
} from '../../../upstream/index.ts';
import { UnusableRequest } from '../../../webhooks/calls/index.ts';
import { KritiEvaluationError } from '../../../webhooks/kriti/index.ts';
import { sourceFailure } from '../../errors.ts';
import type { OperationContext } from '../../operation-context.ts';
import {
  type ActionRequest,
  type ActionWebhookTarget,
  actionBindings,
  type WebhookPayload,
  webhookPayload,
  webhookRequest,
} from './action-request.ts';
import { batchProblem, responseProblem } from './action-response.ts';
import {
  errorOfWebhook,
  misfitWebhookResponse,
  transformFailed,
  unexpectedWebhookStatus,
  webhookResponseNotJson,
  webhookUnreachable,
} from './errors.ts';
import type { ExcessProblem } from './excess-problem.ts';
import type { FieldArguments } from './field-arguments.ts';

/** The type of an action's value, and how the value is bounded. */
export interface ActionOutput {
  readonly outputType: GraphQLOutputType;
  /** Undefined if no values of the response are checked one by one. */
  readonly excessProblem: ExcessProblem | undefined;
}

/** A callable action. */
export interface ActionWebhook extends ActionOutput {
  readonly name: string;
  readonly operation: 'query' | 'mutation';
  readonly target: ActionWebhookTarget;
  readonly responseTransform: ResponseTransform | undefined;
  readonly timeoutMs: number;
  readonly http: Pick<ResilientClient, 'dispatch'>;
  /** Whether errors contain details of the request and the response. For development only. */
  readonly showInternals: boolean;
}

/** The result of an action: the webhook's response, or an error as the client sees it. */
export type ActionOutcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Calls an action's webhook as Hasura does. Never throws. Calls `done` exactly once, with the response checked against
 * the output type or with a GraphQLError that has Hasura's message and code.
 */
export function callWebhook(
  action: ActionWebhook,
  input: Record<string, unknown>,
  context: OperationContext,
  done: Done<ActionOutcome>,
  { job, fieldArguments }: CallExtras = NO_EXTRAS,
): void {
  const progress = job?.progress && { progress: job.progress };
  const own = fieldArguments ? { field_arguments: fieldArguments } : progress;
  const payload = webhookPayload(action.name, { input }, job ? null : context.query, context.session, own);
  sendPayload(action, payload, context, done, job);
}

/**
 * Calls an action's webhook once for many objects. The value of the outcome is a list with an entry for each input:
 * `{ data }` or `{ error }`. The data is not checked against the output type.
 */
export function callBatchWebhook(
  action: ActionWebhook,
  inputs: readonly Readonly<Record<string, unknown>>[],
  context: OperationContext,
  done: Done<ActionOutcome>,
): void {
  sendPayload(action, webhookPayload(action.name, { inputs }, context.query, context.session), context, done);
}

function sendPayload(
  action: ActionWebhook,
  payload: WebhookPayload,
  context: OperationContext,
  done: Done<ActionOutcome>,
  job?: WebhookJob,
): void {
  let request: ActionRequest;
  try {
    request = actionRequest(action, payload, context);
  } catch (error) {
    done({ error });
    return;
  }
  const { url, method, body } = request;
  const headers = job ? withHeaders(request.headers, job.headers) : request.headers;
  const { timeoutMs, operation } = action;
  const isQuery = operation === 'query';
  action.http.dispatch(
    {
      url,
      method,
      headers,
      timeoutMs,
      isQuery,
      cancellation: context.cancellation,
      record: context.record,
      span: context.span,
      ...(body !== undefined && { body }),
    },
    new WebhookCall(action, payload, request, context, done, job?.onAnswer),
  );
}

/** What only some calls have. */
export interface CallExtras {
  readonly job?: WebhookJob | undefined;
  readonly fieldArguments?: readonly FieldArguments[] | undefined;
}

const NO_EXTRAS: CallExtras = {};

/**
 * Builds the request to an action's webhook.
 *
 * @throws GraphQLError if the action's transform does not fit the values.
 */
export function actionRequest(
  action: ActionWebhook,
  payload: WebhookPayload,
  context: OperationContext,
): ActionRequest {
  return runTransform(action, 'request', context, () => webhookRequest(action.target, payload, context));
}

/** The attempt of a job that calls a webhook. */
export interface WebhookJob {
  /** Additional headers, as alternating names and values. */
  readonly headers: readonly string[];
  /** Set if the webhook can report the progress of the attempt. */
  readonly progress?: WebhookPayload['progress'];
  /** Called with the response or the failure before the result is passed on. */
  onAnswer(answer: UpstreamResponse | UpstreamError): void;
}

/** A webhook call in progress. */
class WebhookCall implements UpstreamHandler {
  readonly #action: ActionWebhook;
  readonly #payload: WebhookPayload;
  readonly #request: ActionRequest;
  readonly #context: OperationContext;
  readonly #done: Done<ActionOutcome>;
  readonly #onAnswer: WebhookJob['onAnswer'] | undefined;

  constructor(
    action: ActionWebhook,
    payload: WebhookPayload,
    request: ActionRequest,
    context: OperationContext,
    done: Done<ActionOutcome>,
    onAnswer?: WebhookJob['onAnswer'],
  ) {
    this.#action = action;
    this.#payload = payload;
    this.#request = request;
    this.#context = context;
    this.#done = done;
    this.#onAnswer = onAnswer;
  }

  onResponse(response: UpstreamResponse): void {
    this.#onAnswer?.(response);
    this.#done(this.#read(response));
  }

  onError(error: UpstreamError): void {
    this.#onAnswer?.(error);
    this.#done({ error: unansweredWebhook(this.#action, error, this.#context) });
  }

  #read(response: UpstreamResponse): ActionOutcome {
    try {
      return { value: readWebhookResponse(this.#action, this.#payload, this.#request, response, this.#context) };
    } catch (error) {
      return { error };
    }
  }
}

/** Reports an unreachable webhook with Hasura's message, unless the gateway itself refused the call. */
function unansweredWebhook(action: ActionWebhook, error: unknown, context: OperationContext): GraphQLError {
  const failure = sourceFailure(action.name, 'unexpected', error, context);
  if (failure.extensions.code !== 'unexpected') return failure;
  return webhookUnreachable(action, (error as Error).message);
}

/**
 * Transforms a webhook's response and checks it against the output type.
 *
 * @returns the value of the action.
 * @throws GraphQLError for the client: the webhook's error, or the problem with its response.
 */
export function readWebhookResponse(
  action: ActionWebhook,
  payload: WebhookPayload,
  request: ActionRequest,
  response: UpstreamResponse,
  context: OperationContext,
): unknown {
  const { status } = response;
  const body = webhookResponseBody(action, payload, request, response, context);
  if (body === undefined) {
    // Failing servers and proxies respond with text or HTML, so the status matters.
    if (status >= 500) logFailedWebhook(action, status, context);
    else
      context.log.warn(
        { event: 'action.invalid_response', action: action.name, status },
        'response of an action webhook is not JSON',
      );
    throw webhookResponseNotJson(action, { status, body: response.body });
  }
  const succeeded = status >= 200 && status < 300;
  const refused = status >= 400 && status < 500;
  if (refused) {
    context.http.status = status;
    relayCookies(action, response, context);
    throw errorOfWebhook(action, body);
  }
  if (!succeeded) {
    logFailedWebhook(action, status, context);
    throw unexpectedWebhookStatus(action, { status, body: response.body });
  }
  const problem = payload.inputs
    ? batchProblem(body, payload.inputs.length)
    : (responseProblem(body, action.outputType) ?? action.excessProblem?.(body));
  if (problem) {
    // The status of Hasura's REST endpoints for this failure.
    context.http.status = 400;
    throw misfitWebhookResponse(action, problem, { status, body: response.body });
  }
  relayCookies(action, response, context);
  return body;
}

function logFailedWebhook(action: ActionWebhook, status: number, context: OperationContext): void {
  context.log.warn({ event: 'action.call_failed', action: action.name, status }, 'action webhook failed');
}

/** Relays the cookies of mutations, including failed ones: a rejected client may have to lose a cookie. */
function relayCookies({ operation }: ActionWebhook, { headers }: UpstreamResponse, context: OperationContext): void {
  const cookies = headers['set-cookie'] ?? [];
  if (operation === 'mutation') context.http.cookies.push(...(Array.isArray(cookies) ? cookies : [cookies]));
}

function parsedBody({ body }: UpstreamResponse): unknown {
  try {
    return parseServiceJson(body);
  } catch {
    return undefined;
  }
}

/** The response body after the action's transform, if it has one. Undefined if the response is not JSON. */
function webhookResponseBody(
  action: ActionWebhook,
  payload: WebhookPayload,
  request: ActionRequest,
  response: UpstreamResponse,
  context: OperationContext,
): unknown {
  const answered = parsedBody(response);
  const transform = action.responseTransform?.body;
  if (!transform) return answered;
  if (transform.action === 'remove') return null;
  const { variables, sessionVariables } = actionBindings(action.target, payload);
  const bindings = {
    sessionVariables,
    variables: {
      $body: answered ?? null,
      $response: { status: response.status },
      $session_variables: sessionVariables,
      $request: {
        body: payload,
        base_url: variables.$base_url,
        session_variables: sessionVariables,
        query_params: variables.$query_params,
        method: request.method,
        url: request.url,
      },
    },
  };
  return runTransform(action, 'response', context, () => transform.template.evaluate(bindings), response);
}

/** Runs a transform. If a template fails, logs the failure and throws an error for the client. */
function runTransform<T>(
  action: ActionWebhook,
  which: 'request' | 'response',
  context: OperationContext,
  run: () => T,
  response?: UpstreamResponse,
): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof KritiEvaluationError || error instanceof UnusableRequest)) throw error;
    const place = error instanceof KritiEvaluationError ? { line: error.line, column: error.column } : {};
    const detail = { action: action.name, transform: which, reason: error.message, ...place };
    context.log.warn({ event: 'action.transform_failed', ...detail }, 'transform of an action failed');
    throw transformFailed(action, which, {
      error: 'line' in place ? `line ${place.line}, column ${place.column}: ${error.message}` : error.message,
      ...(response && { response: { status: response.status, body: response.body } }),
    });
  }
}
