/**
 * A copy of a text. In V8 a slice of a longer text keeps all of that in memory, such as the whole document that a name comes
 * from.
 */
export function copiedText(text: string): string {
  return Buffer.from(text).toString();
}
