import { ambiguousPath, dotSegmentInPath } from '../errors.ts';

/** Bytes of a path that some servers cut off, normalize, or treat as a separator. */
const AMBIGUOUS = /[^\x21-\x7e]|\\|%(?:[01][0-9a-f]|7f)|%5c/i;
/** Overlong UTF-8 sequences that lax decoders read as `.` and `/` (RFC 3629 section 10). */
const OVERLONG = /%(?:c0%a[ef]|c1%9c|e0%80%a[ef]|f0%80%80%a[ef])/i;

/**
 * Rejects a path that a service could decode and resolve to a path outside its own prefix.
 *
 * @throws GatewayError `bad-request`
 */
export function refuseUnclearPath(path: string): void {
  if (hasDotSegment(path)) throw dotSegmentInPath();
  if (AMBIGUOUS.test(path) || OVERLONG.test(path)) throw ambiguousPath();
}

function hasDotSegment(path: string): boolean {
  if (!/\.|%2e|%25/i.test(path)) return false;
  const decoded = decodedPercents(path)
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%2e/gi, '.');
  return decoded.split('/').some((segment) => DOT_SEGMENT.test(segment));
}

/**
 * Also matches segments with a suffix that a server may cut off, plain or encoded: parameters, a query, a fragment, whitespace.
 */
const DOT_SEGMENT = /^(?:%20|%a0|%c2%a0)*\.\.?(?:;|%3b|#|%23|%3f|%20|%a0|%c2%a0|$)/i;

/**
 * Decodes `%25` repeatedly, since a path may be decoded more than once on its way. All rounds run in one step: a path of 60,000
 * characters may need 30,000 of them.
 */
function decodedPercents(path: string): string {
  return path.replace(/%(?:25)+/g, '%');
}

/**
 * Returns a path as the most lenient server would read it, to check whether it may belong to another service. Unreserved
 * characters are decoded, letters are in lower case, repeated slashes are merged, and suffixes of segments that servers may cut
 * off are removed.
 */
export function lenientPath(path: string): string {
  return decodedPercents(path)
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[;?#\s][^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .toLowerCase();
}

/** Returns whether a path equals another one or is below it, by whole segments. */
export function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
