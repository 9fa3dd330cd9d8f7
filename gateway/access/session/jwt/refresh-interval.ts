const REFRESH_BOUNDS_MS = { default: 300_000, least: 5_000, most: 86_400_000 };
/** The refresh interval of a set whose issuer forbids caching. */
const REVALIDATE_MS = 60_000;

/**
 * Returns when to fetch a JWK set again, from the headers of its response. `Cache-Control`: `no-cache`, `no-store` and
 * `must-revalidate` without `max-age` mean in a minute, `max-age` means after that time. Otherwise `Expires` applies, otherwise
 * five minutes. The result is between five seconds and a day.
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
  // An invalid Expires, such as 0, counts as a date in the past (RFC 9111 section 5.3).
  return Number.isNaN(until) || until <= now ? REVALIDATE_MS : within(until - now);
}

function within(delayMs: number): number {
  return Math.min(Math.max(delayMs, REFRESH_BOUNDS_MS.least), REFRESH_BOUNDS_MS.most);
}
