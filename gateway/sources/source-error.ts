import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { Call } from './call.ts';
import { UpstreamError } from './upstream-http.ts';

/** An error of a source as the client may see it: no address, no stack, the source's name in `extensions.service`. */
export function sourceError(
  service: string,
  code: string,
  message: string,
  more?: GraphQLErrorExtensions,
): GraphQLError {
  return new GraphQLError(message, { extensions: { path: '$', code, service, ...more } });
}

/** Logs why a source did not answer, and what the client gets to know of it. */
export function unreachable(service: string, code: string, error: unknown, call: Call): GraphQLError {
  const reason = error instanceof UpstreamError ? error.reason : 'connection';
  if (reason !== 'aborted')
    call.log.warn({ source: service, reason: (error as Error).message }, 'a source did not answer');
  const message = {
    timeout: `the service "${service}" did not answer in time`,
    connection: `the service "${service}" cannot be reached`,
    'too-large': `the service "${service}" gave an answer that is too large`,
    aborted: 'the request was aborted',
  }[reason];
  return sourceError(service, code, message, { reason });
}
