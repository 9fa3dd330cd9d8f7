import type { Tokens } from '../use-cases/index.ts';
import type { GraphContext, HttpHint } from './context.ts';

/** What every mutation answers with. */
export interface Answer<Data> {
  success: boolean;
  /** Null on success. */
  error_message: string | null;
  /** Null when refused. */
  data: Data | null;
}

export function success<Data>(data: Data): Answer<Data> {
  return { success: true, error_message: null, data };
}

/** A refusal is a result, not an error. HTTP endpoints in front of the graph answer with `http`. */
export function refusal(context: GraphContext, message: string, http: HttpHint): Answer<never> {
  context.http = http;
  return { success: false, error_message: message, data: null };
}

/** All hash workers are busy, and enough callers wait for them. */
export function busy(context: GraphContext, retryAfterSeconds: number): Answer<never> {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return refusal(context, 'Too many logins at the moment, try again later', { status: 503, headers });
}

/** There were too many wrong passwords before; this one was not looked at. */
export function throttled(context: GraphContext, retryAfterSeconds: number): Answer<never> {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return refusal(context, 'Too many failed attempts, try again later', { status: 429, headers });
}

export function tokensAnswer({ accessToken, expiresIn, refreshToken }: Tokens) {
  return success({ access_token: accessToken, expires_in: expiresIn, refresh_token: refreshToken });
}
