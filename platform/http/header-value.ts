/** Control characters other than the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_BUT_TAB = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Whether a text can be the value of a header, as the bytes of its UTF-8 (RFC 9110 section 5.5). A line break would begin another
 * header.
 */
export function isHeaderValue(text: string): boolean {
  return !CONTROL_BUT_TAB.test(text);
}
