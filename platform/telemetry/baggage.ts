// Every expression here takes linear time: adjacent parts never match the same characters.

/** A key with surrounding blanks (W3C Baggage 3.2.1): a token of RFC 9110 5.6.2. */
const MEMBER_KEY = /^[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*$/;
/** A value with surrounding blanks: characters that a header may contain. */
const MEMBER_VALUE = /^[ \t]*(?:[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+[ \t]*)?$/;
/** The minimum that has to be passed on (W3C Baggage 3.3.2), which is the maximum here. */
const MAX_MEMBERS = 64;
const MAX_BAGGAGE_BYTES = 8_192;
/** How much of a longer header is read: what is passed on, and as much again of whitespace and invalid members. */
const MAX_READ = 2 * MAX_BAGGAGE_BYTES;

/**
 * Returns the part of a caller's `baggage` that is passed on: its valid members, at most 64 and at most 8192 bytes. Invalid and
 * excess members are left out.
 *
 * @returns an empty text if nothing is left, and for a header of more than 16 KiB.
 */
export function parseBaggage(text: string): string {
  if (text.length > MAX_READ) return '';
  const kept: string[] = [];
  let bytes = 0;
  for (const part of text.split(',')) {
    if (kept.length === MAX_MEMBERS) break;
    const member = withoutBlanks(part);
    if (member === '' || bytes + member.length > MAX_BAGGAGE_BYTES || !isListMember(member)) continue;
    kept.push(member);
    bytes += member.length + 1;
  }
  return kept.join(',');
}

/** Returns whether a text is a key with its value, and properties, which may have none. */
function isListMember(text: string): boolean {
  const [first = '', ...properties] = text.split(';');
  return first.includes('=') && isProperty(first) && properties.every(isProperty);
}

function isProperty(text: string): boolean {
  const at = text.indexOf('=');
  return at < 0 ? MEMBER_KEY.test(text) : MEMBER_KEY.test(text.slice(0, at)) && MEMBER_VALUE.test(text.slice(at + 1));
}

/** Returns a text without surrounding spaces and tabs. `trim` would also remove characters that are invalid in a header. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}
