const MAX_PAUSE_MS = 2_000;

/**
 * The backoff before a retry: a random time up to a limit that doubles each time, so that requests that failed together
 * are not retried together.
 *
 * @param retry 0 for the first.
 * @param random from 0 to 1.
 */
export function retryPauseMs(backoffMs: number, retry: number, random: number): number {
  return random * Math.min(MAX_PAUSE_MS, backoffMs * 2 ** retry);
}

/**
 * What a source says with `Retry-After` (RFC 9110 section 10.2.3), in milliseconds from now; undefined when it says
 * nothing that can be read.
 *
 * @param now in milliseconds since 1970, as HTTP dates count.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = [header].flat()[0]?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The wait that a response asks for, in milliseconds. A date counts from the response's own (`Date`, RFC 9110 section 6.6.1)
 * where it has one: the clock of this machine may differ from the source's.
 */
export function askedWaitMs({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): number | undefined {
  const sentAt = Date.parse(String(headers.date));
  return retryAfterMs(headers['retry-after'], Number.isNaN(sentAt) ? Date.now() : sentAt);
}
