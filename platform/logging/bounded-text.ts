/**
 * Shortens an external text, such as a service's error message, before it becomes part of an error, a log line or a list. The
 * result is the beginning and a note about the omitted part. Without the note, it has at most `maxLength` UTF-16 code units.
 */
export function boundedText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = withoutHalfCharacter(text.slice(0, maxLength));
  return `${kept}… (${text.length - kept.length} more characters)`;
}

/** Shortens a list of external texts: the first `maxItems`, each shortened, and a note about the number of omitted ones. */
export function boundedTexts(texts: readonly string[], maxItems: number, maxLength: number): readonly string[] {
  const kept = texts.slice(0, maxItems).map((text) => boundedText(text, maxLength));
  return texts.length > maxItems ? [...kept, `… (${texts.length - maxItems} more)`] : kept;
}

/** A cut may split a surrogate pair. The result is a copy, since in V8 a slice keeps the whole original in memory. */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return Buffer.from(isHalf ? text.slice(0, -1) : text, 'utf16le').toString('utf16le');
}
