/** Returns whether a URL has a user or a password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** Returns the credentials of a URL as the header of HTTP's Basic scheme (RFC 7617), or no header if it has none. */
export function basicAuthorization(url: URL): { authorization?: string } {
  if (!hasCredentials(url)) return {};
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

/** Decodes a text, or returns it unchanged if it is not percent-encoded: `new URL` accepts a lone `%`. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
