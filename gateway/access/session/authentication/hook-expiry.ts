const MAX_AGE = /(?:^|,)\s*(?:s-maxage|max-age)\s*=\s*"?(\d{1,10})"?\s*(?:,|$)/i;
/** The one form that Hasura takes: `Wed, 21 Oct 2026 07:28:00 GMT`. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The expiry of an authentication hook's session, as in Hasura: by members of the response body beside the session
 * variables, `Cache-Control` with a `max-age`, or else `Expires` with a date. Headers of the response are ignored: many
 * servers set them for other reasons.
 *
 * @param members of the answer, by lower-case name.
 * @param now milliseconds since the epoch, as is what is returned; undefined: it has no end.
 * @param onUnreadable called with a member that exists and cannot be parsed.
 */
export function hookExpiry(
  members: ReadonlyMap<string, unknown>,
  now: number,
  onUnreadable: (name: string) => void,
): number | undefined {
  const control = members.get('cache-control') ?? undefined;
  const seconds = typeof control === 'string' ? MAX_AGE.exec(control)?.[1] : undefined;
  if (seconds !== undefined) return now + Number(seconds) * 1000;
  if (control !== undefined) onUnreadable('Cache-Control');
  const expires = members.get('expires') ?? undefined;
  const at = typeof expires === 'string' && DATE.test(expires) ? Date.parse(expires) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  if (expires !== undefined) onUnreadable('Expires');
  return undefined;
}
