import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie with the refresh token, which keeps a console's session over a reload. Scripts cannot read it (`HttpOnly`), pages
 * of other sites cannot send it (`SameSite=Strict`), and it ends with the browser's session.
 *
 * The cookie has no `Path`. Its path is therefore the directory of the request that sets it (RFC 6265 section 5.1.4):
 * `/console/session`, after the prefix of a proxy, which the gateway does not know.
 */
const COOKIE_NAME = 'portico-console';

/**
 * Browsers accept cookies with this prefix only with `Secure` and over TLS, so that no plain HTTP page can replace the cookie.
 */
const SECURE_COOKIE_NAME = `__Secure-${COOKIE_NAME}`;

const IS_OURS = /^(?:__Secure-)?portico-console(?:-\d+)?$/i;

/**
 * The session cookies of a request. A name may occur several times, since a page of another port or of a sibling domain may
 * have set a cookie with another path or domain. Browsers send all of them without their origin.
 */
export type SessionCookies = readonly { readonly name: string; readonly value: string }[];

const NO_COOKIES: SessionCookies = [];

/**
 * Removes the console's cookies from the headers of a request, so that no service, webhook, authentication hook or log sees
 * them. This also happens if the console is off, since browsers may still have cookies.
 */
export function takeSessionCookies(headers: IncomingHttpHeaders): SessionCookies {
  const { cookie } = headers;
  if (cookie === undefined || !cookie.toLowerCase().includes(COOKIE_NAME)) return NO_COOKIES;
  const taken: { name: string; value: string }[] = [];
  const others = cookie.split(';').filter((pair) => {
    const [name = '', ...value] = pair.split('=');
    if (!IS_OURS.test(name.trim())) return true;
    taken.push({ name: name.trim(), value: value.join('=').trim() });
    return false;
  });
  if (taken.length === 0) return NO_COOKIES;
  if (others.length === 0) delete headers.cookie;
  else headers.cookie = others.join(';').trim();
  return taken;
}

/** Each token costs a request to the auth service. Only many domains above the gateway's could set more. */
const MAX_TRIED_TOKENS = 16;

/**
 * Returns the tokens that may be the refresh token of a page's session: the values of all cookies with its name, in the
 * browser's order.
 *
 * @param origin of the page.
 */
export function keptTokens(cookies: SessionCookies, origin: URL): readonly string[] {
  const wanted = cookieName(origin);
  const values = cookies.filter(({ name, value }) => name === wanted && value !== '').map(({ value }) => value);
  return [...new Set(values)].slice(0, MAX_TRIED_TOKENS);
}

/**
 * Returns the `Set-Cookie` that stores a refresh token, or undefined if the token is too long for a cookie (RFC 6265 section
 * 4.1.1).
 */
export function cookieToKeep(refreshToken: string, origin: URL): string | undefined {
  return /^[\w.~+/=-]+$/.test(refreshToken) ? setCookie(refreshToken, origin) : undefined;
}

/** Returns the `Set-Cookie` that removes the cookie. */
export function cookieToForget(origin: URL): string {
  return `${setCookie('', origin)}; Max-Age=0`;
}

/**
 * Returns the `Set-Cookie` headers that remove cookies of this name which other pages set for other paths. @param path of the
 * request.
 */
export function cookiesToForgetElsewhere(origin: URL, path: string): readonly string[] {
  const directory = path.slice(0, path.lastIndexOf('/'));
  const parts = path.split('/');
  const paths = parts.flatMap((_, index) => {
    const above = parts.slice(0, index + 1).join('/');
    return [above, `${above}/`];
  });
  return [...new Set(paths)]
    .filter((one) => one !== '' && one !== directory)
    .map((one) => `${cookieToForget(origin)}; Path=${one}`);
}

function setCookie(value: string, origin: URL): string {
  const secure = isPlainLoopback(origin) ? '' : '; Secure';
  return `${cookieName(origin)}=${value}; HttpOnly; SameSite=Strict${secure}`;
}

/** Cookies are not separated by port, so gateways on one machine need different names. */
function cookieName(origin: URL): string {
  return isPlainLoopback(origin) ? `${COOKIE_NAME}-${origin.port || '80'}` : SECURE_COOKIE_NAME;
}

/**
 * Returns whether the page is served over plain HTTP on this machine, as `npm start` does. Only then is `Secure` left out: some
 * browsers drop secure cookies there, and nothing goes over a network.
 */
function isPlainLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
