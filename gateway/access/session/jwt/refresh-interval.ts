const REFRESH_BOUNDS_MS = { default: 300_000, least: 5_000, most: 86_400_000 };
/** How often a set is fetched again whose issuer forbids caching. */
const REVALIDATE_MS = 60_000;

/**
 * When a JWK set is to be fetched again, by the headers that it came with: `Cache-Control` (`no-cache` and `no-store`:
 * in a minute; `max-age`; `must-revalidate` without one: in a minute), else `Expires`, else in five minutes. Never in
 * less than five seconds or more than a day.
 *
 * @param now milliseconds since the epoch.
 * @returns milliseconds from now.
 */
export function refreshAfterMs(
  headers: { cacheControl: string | undefined; expires?: string | undefined },
  now: number,
): number {
  const { cacheControl = '', expires } = headers;
  if (/(?:^|,)\s*no-(?:cache|store)\s*(?:,|=|$)/i.test(cacheControl)) return REVALIDATE_MS;
  const maxAge = /(?:^|,)\s*(?:s-maxage|max-age)\s*=\s*"?(\d+)/i.exec(cacheControl)?.[1];
  if (maxAge !== undefined) return within(Number(maxAge) * 1000);
  if (/(?:^|,)\s*must-revalidate\s*(?:,|$)/i.test(cacheControl)) return REVALIDATE_MS;
  if (expires === undefined) return REFRESH_BOUNDS_MS.default;
  const until = Date.parse(expires);
  // RFC 9111 section 5.3: an Expires that is no date, such as 0, is one that is over.
  return Number.isNaN(until) || until <= now ? REVALIDATE_MS : within(until - now);
}

function within(delayMs: number): number {
  return Math.min(Math.max(delayMs, REFRESH_BOUNDS_MS.least), REFRESH_BOUNDS_MS.most);
}
