import { ambiguousPath, dotSegmentInPath } from '../errors.ts';

/** Bytes of a path that some servers cut off, normalize, or read as a separator. */
const AMBIGUOUS = /[^\x21-\x7e]|\\|%(?:[01][0-9a-f]|7f)|%5c/i;
/**
 * Bytes of UTF-8 that are longer than they need be and that lax decoders take for `.` and `/` (RFC 3629 section 10).
 */
const OVERLONG = /%(?:c0%a[ef]|c1%9c|e0%80%a[ef]|f0%80%80%a[ef])/i;

/**
 * Rejects a path that a service could decode and resolve to one outside of its own prefix.
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
 * Also with what a server may cut off from a segment, plain or encoded: parameters, a query, a fragment, white space.
 */
const DOT_SEGMENT = /^(?:%20|%a0|%c2%a0)*\.\.?(?:;|%3b|#|%23|%3f|%20|%a0|%c2%a0|$)/i;

/**
 * With `%25` decoded as often as it takes: a path may be decoded more than once on its way. All rounds at a time, since a path of
 * 60,000 characters may take 30,000 of them.
 */
function decodedPercents(path: string): string {
  return path.replace(/%(?:25)+/g, '%');
}

/**
 * A path as the most lenient server would read it, to check whether it may belong to another service: unreserved
 * characters decoded, in lower case, without repeated slashes and without what may be cut off from a segment.
 */
export function lenientPath(path: string): string {
  return decodedPercents(path)
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[;?#\s][^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .toLowerCase();
}

/** Whether it is a path or below it, by whole segments. */
export function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
