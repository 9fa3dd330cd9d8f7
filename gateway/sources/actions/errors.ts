import { GraphQLError } from 'graphql';
import { relayedExtensions, relayedMessage } from '../../errors.ts';

/**
 * Marks extensions of an error that go to the client as they are, without a code or path of ours. JSON leaves it out. Its value
 * is the code that the webhook gave beside them, if any.
 */
export const VERBATIM = Symbol('verbatim');

/**
 * The code of an error where its extensions are not shown, as in the errors of REST endpoints and asynchronous actions: the
 * one that a webhook gave beside its extensions, as in Hasura, else that of the extensions.
 */
export function codeWithoutExtensions(extensions: Readonly<Record<string, unknown>>): unknown {
  const { [VERBATIM]: given, code = 'unexpected' }: { [VERBATIM]?: unknown; code?: unknown } = extensions;
  return given ?? code;
}

/** The action that an error is about. */
interface FailedAction {
  readonly name: string;
  /** Whether errors contain details of the request and the response: for development only. */
  readonly showInternals: boolean;
}

/** Internal details of a failure, for development mode. */
interface Internals {
  readonly error: string;
  readonly response?: WebhookResponse;
}

interface WebhookResponse {
  readonly status: number;
  readonly body: string;
}

// Messages and codes are Hasura's. Errors of an unusable response also name the action, as errors of services do.

/** The webhook did not answer. @param reason for development mode. */
export function webhookUnreachable(action: FailedAction, reason: string): GraphQLError {
  return unusable(action, 'http exception when calling webhook', { error: reason });
}

export function webhookResponseNotJson(action: FailedAction, response: WebhookResponse): GraphQLError {
  return unusable(action, 'not a valid json response from webhook', { error: 'the response is not JSON', response });
}

/** A status that is neither 2xx nor 4xx. */
export function unexpectedWebhookStatus(action: FailedAction, response: WebhookResponse): GraphQLError {
  const error = `expecting 2xx or 4xx status code, but found ${response.status}`;
  return unusable(action, 'internal error', { error, response });
}

/** A response that does not fit the action's output type. */
export function misfitWebhookResponse(action: FailedAction, problem: string, response: WebhookResponse): GraphQLError {
  return webhookError(action, problem, { error: problem, response });
}

/** A template of a transform that does not fit its values. */
export function transformFailed(
  action: FailedAction,
  which: 'request' | 'response',
  internals: Internals,
): GraphQLError {
  const message = which === 'request' ? 'Request Transformation Failed' : 'Response Transformation Failed';
  return webhookError(action, message, internals);
}

/** A webhook's own error: its `extensions` take the place of ours, its `code` is used where it has none. */
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
