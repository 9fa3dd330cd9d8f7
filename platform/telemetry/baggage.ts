// Every expression here takes time in proportion to what it reads: no two parts next to each other match the same characters.

/** A key and what may stand around it (W3C Baggage 3.2.1): a token of RFC 9110 5.6.2. */
const MEMBER_KEY = /^[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*$/;
/** A value and what may stand around it: characters that a header may hold. */
const MEMBER_VALUE = /^[ \t]*(?:[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+[ \t]*)?$/;
/** What has to be passed on at least (W3C Baggage 3.3.2), and here at most. */
const MAX_MEMBERS = 64;
const MAX_BAGGAGE_BYTES = 8_192;
/** Read of a longer header: what is passed on, and as much again of white space and invalid members. */
const MAX_READ = 2 * MAX_BAGGAGE_BYTES;

/**
 * What is passed on of a caller's `baggage`: its valid members, 64 and 8192 bytes at most. Those beyond that, and those
 * that are invalid, are left out.
 *
 * @returns empty where nothing is left, and of a header of more than 16 KiB.
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

/** Whether it is a key with its value, and properties that may have none. */
function isListMember(text: string): boolean {
  const [first = '', ...properties] = text.split(';');
  return first.includes('=') && isProperty(first) && properties.every(isProperty);
}

function isProperty(text: string): boolean {
  const at = text.indexOf('=');
  return at < 0 ? MEMBER_KEY.test(text) : MEMBER_KEY.test(text.slice(0, at)) && MEMBER_VALUE.test(text.slice(at + 1));
}

/** Without the spaces and tabs around it. `trim` would take characters that are not valid in a header. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}
