/**
 * Escapes characters that a terminal could obey or that change how text looks: control characters except for line breaks,
 * and invisible ones such as those that reverse the direction of text. Everything from outside is printed by this function.
 */
export function terminalText(text: string): string {
  return text.replace(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Like `terminalText`, but on one line and at most `length` UTF-16 code units. */
export function terminalLine(text: string, length = 500): string {
  const cut = text.length > length ? `${text.slice(0, length)}…` : text;
  return terminalText(cut).replaceAll('\n', '\\n');
}
