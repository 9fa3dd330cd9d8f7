/** Characters that a terminal or a log viewer might interpret, or display misleadingly. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Text that needs no escaping in JSON. */
const UNQUOTED = /^[\w ./:@+,;=()-]*$/;

/**
 * Returns untrusted text of a client or a service for a log line, with at most `maxLength` characters including an ellipsis.
 * Control characters, terminal escape sequences, line separators, invisible characters and changes of direction become `?`.
 */
export function logText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return PRINTABLE_ASCII.test(short) ? short : short.replace(UNPRINTABLE, '?');
}

/**
 * Returns a text for the log as a JSON string with quotes. It is called for every request, and hardly ever has to escape
 * anything.
 */
export function logJson(text: string, maxLength: number): string {
  return text.length <= maxLength && UNQUOTED.test(text) ? `"${text}"` : JSON.stringify(logText(text, maxLength));
}
