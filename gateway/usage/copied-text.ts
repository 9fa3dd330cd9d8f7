/**
 * A text of its own. One that was cut out of a longer text keeps all of that in memory, such as the whole document that a name
 * comes from, for as long as it is kept itself.
 */
export function copiedText(text: string): string {
  return Buffer.from(text).toString();
}
