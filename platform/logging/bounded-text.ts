/**
 * A text of a stranger, such as the error message of a service, before it becomes a part of an error, a log line or a list: its
 * beginning, and how much was left out. The length is at most `maxLength` UTF-16 code units and that note.
 */
export function boundedText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = withoutHalfCharacter(text.slice(0, maxLength));
  return `${kept}… (${text.length - kept.length} more characters)`;
}

/** Lists of such texts: the first `maxItems`, each bounded, and as the last one how many were left out. */
export function boundedTexts(texts: readonly string[], maxItems: number, maxLength: number): readonly string[] {
  const kept = texts.slice(0, maxItems).map((text) => boundedText(text, maxLength));
  return texts.length > maxItems ? [...kept, `… (${texts.length - maxItems} more)`] : kept;
}

/**
 * A cut may go through a surrogate pair. The rest is a copy: in V8 a slice keeps all of the text that it is cut from in memory.
 */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return Buffer.from(isHalf ? text.slice(0, -1) : text, 'utf16le').toString('utf16le');
}
