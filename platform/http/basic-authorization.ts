/** Whether a URL has a user or a password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The credentials of an address as the header of HTTP's Basic scheme (RFC 7617); none where it has none. */
export function basicAuthorization(url: URL): { authorization?: string } {
  if (!hasCredentials(url)) return {};
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

/** As it is written where it is not percent-encoded: `new URL` lets a lone `%` pass. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
