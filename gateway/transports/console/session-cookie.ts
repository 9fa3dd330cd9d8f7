import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie that keeps a console's session over a reload: the refresh token. No script can read it (`HttpOnly`), no other
 * site's page sends it (`SameSite=Strict`), and it ends with the browser's session.
 *
 * It has no `Path`, so that its path is the directory of the request that sets it (RFC 6265 section 5.1.4): `/console/session`, and
 * what a proxy has put before it, which the gateway does not know.
 */
const COOKIE_NAME = 'portico-console';

/** Browsers take a cookie of this prefix only with `Secure` and over TLS, so that no page of plain HTTP replaces it. */
const SECURE_COOKIE_NAME = `__Secure-${COOKIE_NAME}`;

const IS_OURS = /^(?:__Secure-)?portico-console(?:-\d+)?$/i;

/**
 * The session cookies of a request by their names. There are several of one name where a page of another port or of a sibling
 * domain has set one too, with another path or domain: browsers send all of them, and say nothing of where they come from.
 */
export type SessionCookies = readonly { readonly name: string; readonly value: string }[];

const NO_COOKIES: SessionCookies = [];

/**
 * Takes the console's cookies out of a request's headers, so that nothing else sees them: no service, no webhook, no
 * authentication hook, no log. Also where the console is off: browsers may still have them.
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

/** Each is a request to the auth service. More fit into no browser's request but by many domains above the gateway's. */
const MAX_TRIED_TOKENS = 16;

/**
 * What may be the refresh token of a page's session: the values of all cookies of its name, in the order that the browser sent.
 *
 * @param origin that of the page.
 */
export function keptTokens(cookies: SessionCookies, origin: URL): readonly string[] {
  const wanted = cookieName(origin);
  const values = cookies.filter(({ name, value }) => name === wanted && value !== '').map(({ value }) => value);
  return [...new Set(values)].slice(0, MAX_TRIED_TOKENS);
}

/** `Set-Cookie` that keeps a refresh token. Undefined for a token that fits into no cookie (RFC 6265 section 4.1.1). */
export function cookieToKeep(refreshToken: string, origin: URL): string | undefined {
  return /^[\w.~+/=-]+$/.test(refreshToken) ? setCookie(refreshToken, origin) : undefined;
}

/** `Set-Cookie` that removes it. */
export function cookieToForget(origin: URL): string {
  return `${setCookie('', origin)}; Max-Age=0`;
}

/** `Set-Cookie`s that remove cookies of its name which other pages have set for other paths. @param path of the request. */
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

/** Cookies do not tell ports apart: gateways on one machine need names of their own. */
function cookieName(origin: URL): string {
  return isPlainLoopback(origin) ? `${COOKIE_NAME}-${origin.port || '80'}` : SECURE_COOKIE_NAME;
}

/**
 * The one exception from `Secure`: plain HTTP on this machine, as `npm start` serves it, where some browsers drop secure cookies and
 * nothing is sent over a network.
 */
function isPlainLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
