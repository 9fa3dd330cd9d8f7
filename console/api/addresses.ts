import { foreignAddress } from './api-error.ts';

// A proxy may have put the gateway below a path of its own, so every address is relative to that of this script, which is
// in `console/assets/`.
const CONSOLE = new URL('..', import.meta.url);

/** The path of the console, with a slash at its end. */
export const CONSOLE_ROOT = CONSOLE.pathname;

/** An address of the gateway. @param path without a slash at its start. @throws ApiError where it leads elsewhere. */
export function gatewayUrl(path: string): URL {
  return urlOfOrigin(path, new URL('..', CONSOLE));
}

/** @throws ApiError where the path is an address of another origin, which no credential may reach. */
export function urlOfOrigin(path: string, base: URL): URL {
  const url = URL.canParse(path, base) ? new URL(path, base) : undefined;
  if (url?.protocol !== base.protocol || url.host !== base.host) throw foreignAddress();
  return url;
}

/** An address of the console's own. */
export function consoleUrl(path: string): URL {
  return new URL(path, CONSOLE);
}
