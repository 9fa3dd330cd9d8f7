/** RFC 9110 5.6.2. */
const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that neither a header's value nor an attribute may contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Parses `key=value,key2=value2`, the format of `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_HEADERS`. Values are
 * percent-decoded.
 *
 * @returns the problem if the text is invalid. The problem contains no value, which may be a secret.
 */
export function parseKeyValues(
  text: string,
): { readonly values: Readonly<Record<string, string>> } | { readonly problem: string } {
  const values: Record<string, string> = {};
  for (const [index, member] of text.split(',').entries()) {
    if (member.trim() === '') continue;
    const at = member.indexOf('=');
    const key = member.slice(0, at).trim();
    if (at < 1 || !HTTP_TOKEN.test(key)) return { problem: `member ${index + 1} is not of the form name=value` };
    const value = decoded(member.slice(at + 1).trim());
    if (value === undefined || CONTROL.test(value)) return { problem: `the value of ${key} is not valid` };
    values[key] = value;
  }
  return { values };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
