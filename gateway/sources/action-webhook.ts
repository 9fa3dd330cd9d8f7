import { type GraphQLError, type GraphQLOutputType, GraphQLError as PublicError } from 'graphql';
import { responseProblem } from './action-response.ts';
import { type Call, commonHeaders } from './call.ts';
import type { HeaderForwarding } from './client-headers.ts';
import { UpstreamError, type UpstreamHttp, type UpstreamResponse } from './upstream-http.ts';

/** One action, ready to be called. */
export interface ActionWebhook {
  readonly name: string;
  readonly operation: 'query' | 'mutation';
  readonly url: string;
  readonly timeoutMs: number;
  /** Configured headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly forwardHeaders: HeaderForwarding | undefined;
  readonly outputType: GraphQLOutputType;
  readonly http: UpstreamHttp;
}

/**
 * Calls an action's webhook as Hasura does and returns what it answered, checked against the output type.
 *
 * @throws GraphQLError as the client is to see it, in Hasura's words and with Hasura's codes.
 */
export async function callWebhook(action: ActionWebhook, input: Record<string, unknown>, call: Call): Promise<unknown> {
  let response: UpstreamResponse;
  try {
    response = await action.http.send({
      url: action.url,
      method: 'POST',
      headers: {
        ...action.forwardHeaders?.(call.clientHeaders),
        ...commonHeaders(call),
        ...action.headers,
      },
      body: JSON.stringify({
        action: { name: action.name },
        input,
        request_query: call.query,
        session_variables: call.session.variables,
      }),
      timeoutMs: action.timeoutMs,
      signal: call.signal,
    });
  } catch (error) {
    if (!(error instanceof UpstreamError && error.reason === 'aborted'))
      call.log.warn({ action: action.name, reason: (error as Error).message }, 'an action webhook did not answer');
    throw refusal('http exception when calling webhook');
  }
  return readResponse(action, response, call);
}

function readResponse(action: ActionWebhook, response: UpstreamResponse, call: Call): unknown {
  const { status } = response;
  let body: unknown;
  try {
    body = JSON.parse(response.body);
  } catch {
    call.log.warn({ action: action.name, status }, 'an action webhook answered with something that is not JSON');
    throw refusal('not a valid json response from webhook');
  }
  if (status >= 400 && status < 500) {
    call.http.status = status;
    throw relayed(body);
  }
  if (status < 200 || status >= 300) {
    call.log.warn({ action: action.name, status }, 'an action webhook failed');
    throw refusal('internal error');
  }
  const problem = responseProblem(body, action.outputType);
  if (problem) throw refusal(problem);
  if (action.operation === 'mutation') call.http.cookies.push(...listOf(response.headers['set-cookie']));
  return body;
}

function refusal(message: string, code = 'unexpected'): GraphQLError {
  return new PublicError(message, { extensions: { path: '$', code } });
}

/** A webhook's own error: its `extensions` take the place of ours, its `code` is used where it has none. */
function relayed(body: unknown): GraphQLError {
  const { message, code, extensions } = (body ?? {}) as { message?: unknown; code?: unknown; extensions?: unknown };
  if (typeof message !== 'string')
    return refusal('the error response of the action webhook has no "message"', 'parse-failed');
  if (typeof extensions === 'object' && extensions !== null && !Array.isArray(extensions))
    return new PublicError(message, { extensions: { ...extensions } });
  return refusal(message, typeof code === 'string' ? code : 'unexpected');
}

function listOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
