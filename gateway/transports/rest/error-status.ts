import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import type { PublicError } from '../../pipeline/index.ts';

/** The codes of services that use Apollo's libraries, if they imply a status. */
const APOLLO: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INTERNAL_SERVER_ERROR: 502,
};

/**
 * Returns the HTTP status of a failed operation. If a source named an error status, that one is used, otherwise the status of
 * the code. An unknown code of a source is treated as an error of the request, 400.
 */
export function errorStatus({ extensions }: PublicError, named: number | undefined): number {
  if (named !== undefined && named >= 400) return named;
  if (extensions.reason === 'timeout') return 504;
  const { code } = extensions;
  if (typeof code !== 'string') return 400;
  // In Hasura, `not-found` refers to a session variable here. The endpoint itself exists.
  if (code === 'not-found') return 400;
  if (Object.hasOwn(ERROR_STATUS, code)) return ERROR_STATUS[code as ErrorCode];
  return Object.hasOwn(APOLLO, code) ? (APOLLO[code] ?? 400) : 400;
}
