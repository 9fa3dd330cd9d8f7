/** The longest description that is copied into generated code, in UTF-16 code units. */
const MAX_DESCRIPTION = 2_000;
const WIDTH = 100;

/**
 * Returns a description as lines for comments. The lines contain no line breaks of any language, no control characters and
 * no invisible characters, which could make code look different from what it is. Empty without a description.
 */
export function commentLines(description: string | null | undefined): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of onOneLine(description).split(' ')) {
    if (line !== '' && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** Returns a description as one line. Empty without a description. */
export function onOneLine(description: string | null | undefined): string {
  return (description ?? '')
    .slice(0, MAX_DESCRIPTION)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
}
