import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode } from '../errors.ts';
import type { Call } from './call.ts';
import { UpstreamError, type UpstreamFailure } from './upstream-exchange.ts';

/** An error of a source as the client may see it: no address, no stack, the source's name in `extensions.service`. */
export function sourceError(
  service: string,
  code: string,
  message: string,
  more?: GraphQLErrorExtensions,
): GraphQLError {
  return new GraphQLError(message, { extensions: { path: '$', code, service, ...more } });
}

/** Codes of what the gateway itself refuses, whatever kind of source it is about. */
const OWN_CODES: Partial<Record<UpstreamFailure, ErrorCode>> = {
  'circuit-open': 'circuit-open',
  overloaded: 'upstream-overloaded',
  unavailable: 'source-unavailable',
  exhausted: 'upstream-overloaded',
};

/** When it is worth trying again, told in the error and for HTTP, where that is known. */
export function comeBack(error: unknown, call: Call): { readonly retry_after?: number } {
  const seconds = error instanceof UpstreamError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined) return {};
  call.http.headers['retry-after'] = String(seconds);
  return { retry_after: seconds };
}

/** Logs why a source did not answer, and what the client gets to know of it. */
export function unreachable(service: string, code: string, error: unknown, call: Call): GraphQLError {
  const reason = error instanceof UpstreamError ? error.reason : 'connection';
  // What is refused here says nothing new: that the source is in trouble has been told.
  if (reason === 'exhausted')
    call.log.error(
      { event: 'upstream.exhausted', source: service, reason: (error as Error).message },
      'the gateway has no more memory or connections for its sources now',
    );
  else if (reason !== 'aborted' && !(reason in OWN_CODES))
    call.log.warn({ source: service, reason: (error as Error).message }, 'a source did not answer');
  const message = {
    timeout: `the service "${service}" did not answer in time`,
    connection: `the service "${service}" cannot be reached`,
    'too-large': `the service "${service}" gave an answer that is too large`,
    aborted: 'the request was aborted',
    'circuit-open': `the service "${service}" has failed too often and is not asked for now`,
    overloaded: `too many requests wait for the service "${service}"`,
    unavailable: `the service "${service}" is not available`,
    exhausted: `the gateway has no more memory or connections for the service "${service}" now`,
  }[reason];
  return sourceError(service, OWN_CODES[reason] ?? code, message, { reason, ...comeBack(error, call) });
}

/** Logs why a source has not finished an answer that it began, and what the client gets to know of it. */
export function brokenOff(service: string, code: string, error: UpstreamError, call: Call): GraphQLError {
  const { reason } = error;
  if (reason !== 'connection') return unreachable(service, code, error, call);
  call.log.warn({ source: service, reason: error.message }, 'a source broke its answer off');
  return sourceError(service, code, `the service "${service}" did not finish its answer`, { reason });
}

/** Logs that the connection of a subscription is lost, and what the client gets to know of it. */
export function eventsLost(service: string, reason: string, call: Call): GraphQLError {
  call.log.warn({ source: service, reason }, 'the connection of a subscription is lost');
  const message = `the connection to the service "${service}" is lost`;
  return sourceError(service, 'remote-schema-error', message, { reason: 'connection' });
}
