import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import type { PublicError } from '../../pipeline/index.ts';

/** Codes that services written with Apollo's libraries use, where they say something about the status. */
const APOLLO: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INTERNAL_SERVER_ERROR: 502,
};

/**
 * The HTTP status of an operation that ended with an error: the one that a source named, if it is one of an error, else
 * the one of the code. An unknown code of a source is treated as an error of the request, 400.
 */
export function errorStatus({ extensions }: PublicError, named: number | undefined): number {
  if (named !== undefined && named >= 400) return named;
  if (extensions.reason === 'timeout') return 504;
  const { code } = extensions;
  if (typeof code !== 'string') return 400;
  // Hasura's `not-found` is about a session variable here, and the endpoint is there.
  if (code === 'not-found') return 400;
  if (Object.hasOwn(ERROR_STATUS, code)) return ERROR_STATUS[code as ErrorCode];
  return Object.hasOwn(APOLLO, code) ? (APOLLO[code] ?? 400) : 400;
}
