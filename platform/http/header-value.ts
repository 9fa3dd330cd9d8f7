/** Control characters other than the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_BUT_TAB = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Returns whether the UTF-8 bytes of a text can be the value of a header (RFC 9110 section 5.5). A line break would begin
 * another header.
 */
export function isHeaderValue(text: string): boolean {
  return !CONTROL_BUT_TAB.test(text);
}
