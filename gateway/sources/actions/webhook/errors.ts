import { GraphQLError } from 'graphql';
import { relayedExtensions, relayedMessage } from '../../../errors.ts';
import { sourceError } from '../../errors.ts';

/**
 * Marks error extensions that reach the client unchanged, without a code or path of the gateway. JSON omits this key.
 * Its value is the code that the webhook returned beside the extensions, if any.
 */
export const VERBATIM = Symbol('verbatim');

/**
 * Returns the code of an error whose extensions are not shown, as in REST endpoints and asynchronous actions. As in
 * Hasura, the code that a webhook returned beside its extensions takes precedence over the code within them.
 */
export function codeWithoutExtensions(extensions: Readonly<Record<string, unknown>>): unknown {
  const { [VERBATIM]: given, code = 'unexpected' }: { [VERBATIM]?: unknown; code?: unknown } = extensions;
  return given ?? code;
}

/** The action that an error refers to. */
interface FailedAction {
  readonly name: string;
  /** Whether errors contain details of the request and the response. For development only. */
  readonly showInternals: boolean;
}

/** Internal details of a failure. Shown in development mode only. */
interface Internals {
  readonly error: string;
  readonly response?: WebhookResponse;
}

interface WebhookResponse {
  readonly status: number;
  readonly body: string;
}

// Messages and codes are Hasura's. If a response is unusable, the error also names the action, as errors of services
// do.

/** The webhook did not respond. @param reason shown in development mode only. */
export function webhookUnreachable(action: FailedAction, reason: string): GraphQLError {
  return unusable(action, 'http exception when calling webhook', { error: reason });
}

export function webhookResponseNotJson(action: FailedAction, response: WebhookResponse): GraphQLError {
  return unusable(action, 'not a valid json response from webhook', { error: 'the response is not JSON', response });
}

/** The status is neither 2xx nor 4xx. */
export function unexpectedWebhookStatus(action: FailedAction, response: WebhookResponse): GraphQLError {
  const error = `expecting 2xx or 4xx status code, but found ${response.status}`;
  return unusable(action, 'internal error', { error, response });
}

/** The response does not fit the action's output type. */
export function misfitWebhookResponse(action: FailedAction, problem: string, response: WebhookResponse): GraphQLError {
  return webhookError(action, problem, { error: problem, response });
}

/** The handler of a subscription responded without a stream of events. */
export function streamExpected(action: FailedAction): GraphQLError {
  const message = 'expecting an event stream as the response of the action webhook';
  return unusable(action, message, { error: message });
}

/** An event of a handler exceeds the limit of its action. */
export function eventTooLarge(action: string, maxBytes: number): GraphQLError {
  return sourceError(action, 'event-too-large', `an event of the service "${action}" is larger than ${maxBytes} bytes`);
}

/** A template of a transform does not fit its values. */
export function transformFailed(
  action: FailedAction,
  which: 'request' | 'response',
  internals: Internals,
): GraphQLError {
  const message = which === 'request' ? 'Request Transformation Failed' : 'Response Transformation Failed';
  return webhookError(action, message, internals);
}

/** The webhook's own error. Its `extensions` replace the gateway's. Its `code` is used if it has no extensions. */
export function errorOfWebhook(action: FailedAction, body: unknown): GraphQLError {
  const { message, code, extensions } = (body ?? {}) as { message?: unknown; code?: unknown; extensions?: unknown };
  if (typeof message !== 'string') {
    const problem = 'the error response of the action webhook has no "message"';
    return webhookError(action, problem, { error: 'key "message" not found' }, 'parse-failed');
  }
  const own = relayedExtensions({ code: typeof code === 'string' ? code : undefined });
  if (typeof extensions === 'object' && extensions !== null && !Array.isArray(extensions))
    return new GraphQLError(relayedMessage(message), {
      extensions: { ...relayedExtensions(extensions), [VERBATIM]: own.code },
    });
  return new GraphQLError(relayedMessage(message), { extensions: { path: '$', code: own.code ?? 'unexpected' } });
}

function unusable(action: FailedAction, message: string, internals: Internals): GraphQLError {
  const { extensions } = webhookError(action, message, internals);
  return new GraphQLError(message, { extensions: { ...extensions, service: action.name } });
}

function webhookError(action: FailedAction, message: string, internals: Internals, code = 'unexpected'): GraphQLError {
  const internal = action.showInternals && { internal: internals };
  return new GraphQLError(message, { extensions: { path: '$', code, ...internal } });
}
