import { GraphQLError, type GraphQLOutputType } from 'graphql';
import { KritiEvaluationError } from '../kriti/index.ts';
import type { ResponseTransform } from '../metadata/index.ts';
import {
  requestBindings,
  UnusableRequest,
  type WebhookPayload,
  type WebhookRequest,
  type WebhookTarget,
  webhookRequest,
} from './action-request.ts';
import { responseProblem } from './action-response.ts';
import type { Call } from './call.ts';
import { unreachable } from './source-error.ts';
import type { SourceGuard } from './source-guard.ts';
import type { UpstreamError, UpstreamHandler, UpstreamResponse } from './upstream-exchange.ts';

/** Marks extensions of an error that go to the client as they are, without a code or path of ours. JSON leaves it out. */
export const VERBATIM = Symbol('verbatim');

/** One action, ready to be called. */
export interface ActionWebhook {
  readonly name: string;
  readonly operation: 'query' | 'mutation';
  readonly target: WebhookTarget;
  readonly responseTransform: ResponseTransform | undefined;
  readonly timeoutMs: number;
  readonly outputType: GraphQLOutputType;
  readonly http: SourceGuard;
  /** Whether errors tell what happened between us and the webhook: for development only. */
  readonly showInternals: boolean;
}

/** What happened, for those who may see it. */
interface Internals {
  readonly error: string;
  readonly response?: { readonly status: number; readonly body: string };
}

/** What an action came to: what its webhook answered, or an error as the client is to see it. */
export type ActionOutcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Calls an action's webhook as Hasura does, and tells `done` once what it answered, checked against the output type, or a
 * GraphQLError in Hasura's words and with Hasura's codes. Nothing is thrown.
 */
export function callWebhook(
  action: ActionWebhook,
  input: Record<string, unknown>,
  call: Call,
  done: (outcome: ActionOutcome) => void,
): void {
  const payload: WebhookPayload = {
    action: { name: action.name },
    input,
    request_query: call.query,
    session_variables: call.session.variables,
  };
  let request: WebhookRequest;
  try {
    request = transformed(action, 'request', call, () => webhookRequest(action.target, payload, call));
  } catch (error) {
    done({ error });
    return;
  }
  const { url, method, headers, body } = request;
  const { timeoutMs, operation } = action;
  const isQuery = operation === 'query';
  action.http.dispatch(
    {
      url,
      method,
      headers,
      timeoutMs,
      isQuery,
      cancellation: call.cancellation,
      record: call.record,
      ...(body !== undefined && { body }),
    },
    new WebhookCall(action, payload, request, call, done),
  );
}

/** One call of a webhook that is under way. */
class WebhookCall implements UpstreamHandler {
  readonly #action: ActionWebhook;
  readonly #payload: WebhookPayload;
  readonly #request: WebhookRequest;
  readonly #call: Call;
  readonly #done: (outcome: ActionOutcome) => void;

  constructor(
    action: ActionWebhook,
    payload: WebhookPayload,
    request: WebhookRequest,
    call: Call,
    done: (outcome: ActionOutcome) => void,
  ) {
    this.#action = action;
    this.#payload = payload;
    this.#request = request;
    this.#call = call;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    this.#done(this.#read(response));
  }

  onError(error: UpstreamError): void {
    this.#done({ error: unanswered(this.#action, error, this.#call) });
  }

  #read(response: UpstreamResponse): ActionOutcome {
    try {
      return { value: readResponse(this.#action, this.#payload, this.#request, response, this.#call) };
    } catch (error) {
      return { error };
    }
  }
}

/** In Hasura's words, but for what the gateway itself refuses. */
function unanswered(action: ActionWebhook, error: unknown, call: Call): GraphQLError {
  const told = unreachable(action.name, 'unexpected', error, call);
  if (told.extensions.code !== 'unexpected') return told;
  return failure(action, 'http exception when calling webhook', { error: (error as Error).message });
}

function readResponse(
  action: ActionWebhook,
  payload: WebhookPayload,
  request: WebhookRequest,
  response: UpstreamResponse,
  call: Call,
): unknown {
  const { status } = response;
  const internals = (error: string): Internals => ({ error, response: { status, body: response.body } });
  const body = responseBody(action, payload, request, response, call);
  if (body === undefined) {
    call.log.warn({ action: action.name, status }, 'an action webhook answered with something that is not JSON');
    throw failure(action, 'not a valid json response from webhook', internals('the response is not JSON'));
  }
  const succeeded = status >= 200 && status < 300;
  const refused = status >= 400 && status < 500;
  if (refused) {
    call.http.status = status;
    relayCookies(action, response, call);
    throw relayed(action, body);
  }
  if (!succeeded) {
    call.log.warn({ action: action.name, status }, 'an action webhook failed');
    const error = `expecting 2xx or 4xx status code, but found ${status}`;
    throw failure(action, 'internal error', internals(error));
  }
  const problem = responseProblem(body, action.outputType);
  if (problem) {
    // The status that Hasura's REST endpoints answer with.
    call.http.status = 400;
    throw refusal(action, problem, internals(problem));
  }
  relayCookies(action, response, call);
  return body;
}

/** Cookies come with what changes something, refusals included: whoever is refused may have to lose one. */
function relayCookies({ operation }: ActionWebhook, { headers }: UpstreamResponse, call: Call): void {
  const cookies = headers['set-cookie'] ?? [];
  if (operation === 'mutation') call.http.cookies.push(...(Array.isArray(cookies) ? cookies : [cookies]));
}

/** What the webhook answered, transformed if the action says so; undefined when that is no JSON. */
function responseBody(
  action: ActionWebhook,
  payload: WebhookPayload,
  request: WebhookRequest,
  response: UpstreamResponse,
  call: Call,
): unknown {
  const answered = readJson(response.body);
  const transform = action.responseTransform?.body;
  if (!transform) return answered;
  if (transform.action === 'remove') return null;
  const { variables, sessionVariables } = requestBindings(action.target, payload);
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
  return transformed(action, 'response', call, () => transform.template.evaluate(bindings), response);
}

const TRANSFORM_FAILED = { request: 'Request Transformation Failed', response: 'Response Transformation Failed' };

/** Runs templates. Where one fails the log gets to know, and the client learns that it did. */
function transformed<T>(
  action: ActionWebhook,
  which: keyof typeof TRANSFORM_FAILED,
  call: Call,
  run: () => T,
  response?: UpstreamResponse,
): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof KritiEvaluationError || error instanceof UnusableRequest)) throw error;
    const place = error instanceof KritiEvaluationError ? { line: error.line, column: error.column } : {};
    const detail = { action: action.name, transform: which, reason: error.message, ...place };
    call.log.warn(detail, 'a transform of an action does not fit its values');
    throw refusal(action, TRANSFORM_FAILED[which], {
      error: 'line' in place ? `line ${place.line}, column ${place.column}: ${error.message}` : error.message,
      ...(response && { response: { status: response.status, body: response.body } }),
    });
  }
}

/** The webhook gave no usable answer: named, as all services are that fail. */
function failure(action: ActionWebhook, message: string, internals: Internals): GraphQLError {
  const { extensions } = refusal(action, message, internals);
  return new GraphQLError(message, { extensions: { ...extensions, service: action.name } });
}

function refusal(action: ActionWebhook, message: string, internals: Internals, code = 'unexpected'): GraphQLError {
  const internal = action.showInternals && { internal: internals };
  return new GraphQLError(message, { extensions: { path: '$', code, ...internal } });
}

/** A webhook's own error: its `extensions` take the place of ours, its `code` is used where it has none. */
function relayed(action: ActionWebhook, body: unknown): GraphQLError {
  const { message, code, extensions } = (body ?? {}) as { message?: unknown; code?: unknown; extensions?: unknown };
  if (typeof message !== 'string') {
    const problem = 'the error response of the action webhook has no "message"';
    return refusal(action, problem, { error: 'key "message" not found' }, 'parse-failed');
  }
  if (typeof extensions === 'object' && extensions !== null && !Array.isArray(extensions))
    return new GraphQLError(message, { extensions: { ...extensions, [VERBATIM]: true } });
  return new GraphQLError(message, { extensions: { path: '$', code: typeof code === 'string' ? code : 'unexpected' } });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
