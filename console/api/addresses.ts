// A proxy may have put the gateway below a path of its own, so every address is relative to that of this script, which is
// in `console/assets/`.
const CONSOLE = new URL('..', import.meta.url);

/** The path of the console, with a slash at its end. */
export const CONSOLE_ROOT = CONSOLE.pathname;

/** An address of the gateway. @param path without a slash at its start. */
export function gatewayUrl(path: string): URL {
  return new URL(path, new URL('..', CONSOLE));
}

/** An address of the console's own. */
export function consoleUrl(path: string): URL {
  return new URL(path, CONSOLE);
}
