/** Returns a copy of a text. In V8, a slice keeps the whole original in memory, such as the document that a name comes from. */
export function copiedText(text: string): string {
  return Buffer.from(text).toString();
}
