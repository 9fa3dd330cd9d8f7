const MAX_PAUSE_MS = 2_000;

/**
 * The backoff before a retry: a random time up to a limit that doubles each time. Requests that failed together are
 * therefore not retried together.
 *
 * @param retry the number of previous retries.
 * @param random a number from 0 to 1.
 */
export function retryPauseMs(backoffMs: number, retry: number, random: number): number {
  return random * Math.min(MAX_PAUSE_MS, backoffMs * 2 ** retry);
}

/**
 * The delay in a `Retry-After` header (RFC 9110 section 10.2.3), in milliseconds from now. Undefined if the header is
 * missing or invalid.
 *
 * @param now the time in milliseconds since 1970, for HTTP dates.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = [header].flat()[0]?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The delay that a response requests, in milliseconds. A date is relative to the response's own date (`Date`, RFC 9110
 * section 6.6.1) if it has one, because the source's clock may differ from the gateway's.
 */
export function askedWaitMs({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): number | undefined {
  const sentAt = Date.parse(String(headers.date));
  return retryAfterMs(headers['retry-after'], Number.isNaN(sentAt) ? Date.now() : sentAt);
}
