/** `url` with `password` in it, in place of the one that it may hold. */
export function withPassword(url: string, password: string): string {
  // As a parameter, because a URL without a host name (`postgresql://user@/db?host=/run/pg`) cannot be taken apart by
  // the URL class. The driver prefers the parameter, and the last one.
  return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
}
