/** What a terminal or a log viewer might act on, or show as something else than it is. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const PLAIN = /^[\x20-\x7e]*$/;
/** What stands in JSON as it is. */
const UNQUOTED = /^[\w ./:@+,;=()-]*$/;

/**
 * A text that a client or a service made up, for a log line: without control characters, escape sequences of terminals,
 * line separators, invisible characters and changes of direction, each of which becomes `?`, and not longer than
 * `maxLength` characters, the ellipsis at its end included.
 */
export function logText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return PLAIN.test(short) ? short : short.replace(UNPRINTABLE, '?');
}

/** The same as a JSON string, quotes included. It is made for every request, and hardly ever is there anything to do. */
export function logJson(text: string, maxLength: number): string {
  return text.length <= maxLength && UNQUOTED.test(text) ? `"${text}"` : JSON.stringify(logText(text, maxLength));
}
