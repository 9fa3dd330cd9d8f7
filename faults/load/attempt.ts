import { errors, type Pool } from 'undici';

/** A request and its outcome. Times are milliseconds of `performance.now()`. */
export interface LoadAttempt {
  readonly kind: AttemptKind;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Undefined: it succeeded. */
  readonly failure: Failure | undefined;
}

/** Of these, `me`, `refresh`, `login` and `password` need the auth service's database. */
export type AttemptKind = 'order' | 'orders' | 'probe' | 'me' | 'refresh' | 'login' | 'password' | 'placeOrder';

export interface Failure {
  /** 0: there was no answer. */
  readonly status: number;
  /** The error's code: the gateway's, or of the connection. */
  readonly code: string;
  readonly hasRetryAfter: boolean;
}

export function describeFailure({ status, code, hasRetryAfter }: Failure): string {
  if (status === 0) return code;
  return `${status} ${code}${status === 503 && !hasRetryAfter ? ' without Retry-After' : ''}`;
}

/** Where the database is away, each of these is refused in the same way: come back later. */
export function isComeBackLater({ status, code, hasRetryAfter }: Failure): boolean {
  return hasRetryAfter && (status === 503 || (status === 200 && COME_BACK_CODES.has(code)));
}

/** The code of a request that a kept connection was closed under, and that succeeded when it was sent again. */
const RETRIED_CONNECTION = 'connection closed, sent again';

/** The same of a request that the client does not send twice. */
const CLOSED_CONNECTION = 'connection closed, not sent again';

/** Whether it failed because a kept connection was closed in the moment that it was sent on it. */
export function wasConnectionClosed({ code }: Failure): boolean {
  return code === RETRIED_CONNECTION || code === CLOSED_CONNECTION;
}

const COME_BACK_CODES = new Set(['unavailable', 'source-unavailable', 'circuit-open', 'upstream-overloaded']);
const REQUEST_TIMEOUT_MS = 20_000;

export interface LoadCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Whether it is sent once more where a connection that had been used before was closed under it (RFC 9112 section 9.3.1). */
  readonly isRepeatable?: boolean;
  /** Picks what is wanted out of the answer's body; undefined when it is not there. */
  readonly pick: (body: never) => unknown;
}

export interface AttemptOutcome<Picked> {
  readonly picked: Picked | undefined;
  readonly failure: Failure | undefined;
}

/** Sends one request. One that had to be sent twice has what it asked for, and a failure that says so. Never throws. */
export async function sendAttempt(pool: Pool, call: LoadCall): Promise<AttemptOutcome<unknown>> {
  const first = await sendOnce(pool, call);
  if (!first.wasKeptConnectionClosed) return first;
  if (!call.isRepeatable)
    return { picked: undefined, failure: { status: 0, code: CLOSED_CONNECTION, hasRetryAfter: false } };
  const second = await sendOnce(pool, call);
  if (second.failure) return second;
  return { picked: second.picked, failure: { status: 0, code: RETRIED_CONNECTION, hasRetryAfter: false } };
}

type SingleOutcome = AttemptOutcome<unknown> & { readonly wasKeptConnectionClosed?: boolean };

async function sendOnce(pool: Pool, { method, path, token, body, pick }: LoadCall): Promise<SingleOutcome> {
  let hasAnswer = false;
  try {
    const response = await pool.request({
      method,
      path,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    hasAnswer = true;
    const text = await response.body.text();
    const parsed = parseResponse(text);
    const picked = response.statusCode === 200 && parsed !== undefined ? pick(parsed as never) : undefined;
    if (picked !== undefined && picked !== null) return { picked, failure: undefined };
    const hasRetryAfter = response.headers['retry-after'] !== undefined;
    return {
      picked: undefined,
      failure: { status: response.statusCode, code: responseErrorCode(parsed, text), hasRetryAfter },
    };
  } catch (error) {
    return {
      picked: undefined,
      failure: { status: 0, code: codeOfError(error), hasRetryAfter: false },
      wasKeptConnectionClosed: !hasAnswer && error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0,
    };
  }
}

function parseResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ErrorBody {
  readonly code?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[];
}

function responseErrorCode(body: unknown, text: string): string {
  if (typeof body !== 'object' || body === null) return text === '' ? 'no body' : 'no JSON';
  const { code, errors } = body as ErrorBody;
  const found = code ?? errors?.[0]?.extensions?.code;
  if (typeof found === 'string') return found;
  // A login or a refresh that was refused has its result as the body.
  return 'refused';
}

function codeOfError(error: unknown): string {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return code ?? cause?.code ?? name ?? 'unknown';
}
