import { boundedText } from '../../platform/index.ts';

/**
 * The reason why an upstream returned no usable response. For the last four reasons the request was not sent:
 *
 * - `circuit-open`: the circuit breaker is open.
 * - `overloaded`: too many requests are queued.
 * - `unavailable`: the source has not been introspected yet.
 * - `exhausted`: the gateway has no memory or connections left.
 */
export type UpstreamFailure =
  | 'timeout'
  | 'connection'
  | 'too-large'
  | 'aborted'
  | 'circuit-open'
  | 'overloaded'
  | 'unavailable'
  | 'exhausted';

/** The maximum number of characters of a failure's reason. */
const MAX_REASON = 1_000;

/** An upstream gave no usable response. The message is for logs; it may contain addresses. */
export class UpstreamError extends Error {
  constructor(
    readonly reason: UpstreamFailure,
    cause?: unknown,
    /** The number of seconds after which a retry may succeed. */
    readonly retryAfterSeconds?: number,
  ) {
    // If a name has several addresses, the error of a failed connection has a code but no message.
    const { message, code } = (cause ?? {}) as { message?: string; code?: string };
    const what = withoutTls(message) ?? (message || code);
    // A message may quote the service, such as the names in its certificate.
    super([reason, what && boundedText(what, MAX_REASON)].filter(Boolean).join(': '), { cause });
    this.name = 'UpstreamError';
  }

  /** Whether the request itself is invalid for any service. */
  get isOfRequest(): boolean {
    const { code } = (this.cause ?? {}) as { code?: unknown };
    return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED' || code === 'ERR_INVALID_URL';
  }
}

/** Replaces OpenSSL's message for a response that is not TLS. The original consists of addresses in OpenSSL's code. */
function withoutTls(message = ''): string | undefined {
  return message.includes('wrong version number') ? 'the service does not use TLS: is its URL http://?' : undefined;
}
