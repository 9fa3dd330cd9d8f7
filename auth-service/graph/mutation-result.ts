import { REFUSALS, type Refusal } from '../errors.ts';
import type { Tokens } from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';

/** The result of every mutation. */
export interface MutationResult<Data> {
  success: boolean;
  /** Null on success. */
  error_message: string | null;
  /** Null if the mutation was refused. */
  data: Data | null;
}

/** RFC 6750, section 3. */
export const INVALID_TOKEN_CHALLENGE = { 'www-authenticate': 'Bearer realm="portico", error="invalid_token"' };

export function success<Data>(data: Data): MutationResult<Data> {
  return { success: true, error_message: null, data };
}

/** Returns a refusal as a result, not an error. REST endpoints in front of the graph use its status and `headers`. */
export function refusedResult(
  context: GraphContext,
  { status, message }: Refusal,
  headers?: Record<string, string>,
): MutationResult<never> {
  context.http = headers ? { status, headers } : { status };
  return { success: false, error_message: message, data: null };
}

/** Refuses because all hashing threads are busy and their queue is full. */
export function busy(context: GraphContext, retryAfterSeconds: number): MutationResult<never> {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return refusedResult(context, REFUSALS.hashQueueFull, headers);
}

/** Refuses after too many failed attempts, without checking the password. */
export function throttledResult(context: GraphContext, retryAfterSeconds: number): MutationResult<never> {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return refusedResult(context, REFUSALS.throttled, headers);
}

export function tokensAnswer({ accessToken, expiresIn, refreshToken }: Tokens) {
  return success({ access_token: accessToken, expires_in: expiresIn, refresh_token: refreshToken });
}
