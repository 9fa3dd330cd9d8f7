/** Characters that a terminal or a log viewer might interpret, or display misleadingly. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Text that needs no escapes in JSON. */
const UNQUOTED = /^[\w ./:@+,;=()-]*$/;

/**
 * Untrusted text of a client or a service, for a log line: without control characters, escape sequences of terminals,
 * line separators, invisible characters and changes of direction, each of which becomes `?`, and not longer than
 * `maxLength` characters, the ellipsis at its end included.
 */
export function logText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return PRINTABLE_ASCII.test(short) ? short : short.replace(UNPRINTABLE, '?');
}

/** A text for the log as a JSON string, quotes included. It is called for every request, and hardly ever has anything to escape. */
export function logJson(text: string, maxLength: number): string {
  return text.length <= maxLength && UNQUOTED.test(text) ? `"${text}"` : JSON.stringify(logText(text, maxLength));
}
