const CANONICAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ANY_CASE = new RegExp(CANONICAL.source, 'i');

/** Returns whether a text is a UUID of any version, in any case (RFC 9562, section 4). */
export function isUuid(text: string): boolean {
  return ANY_CASE.test(text);
}

/** Returns whether a text is a UUID in lower case, the only form that Portico writes. */
export function isCanonicalUuid(text: string): boolean {
  return CANONICAL.test(text);
}
