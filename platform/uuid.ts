const CANONICAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ANY_CASE = new RegExp(CANONICAL.source, 'i');

/** Whether it is the text of a UUID of any version, in either case (RFC 9562, section 4). */
export function isUuid(text: string): boolean {
  return ANY_CASE.test(text);
}

/** Whether it is a UUID as we write them: in lower case, so that one id has one text. */
export function isCanonicalUuid(text: string): boolean {
  return CANONICAL.test(text);
}
