import { isBelow } from './path-rules.ts';
/** The internal and public address of a service. */
export interface ServiceAddress {
  /** The scheme, host and port at which the gateway calls the service. */
  readonly origin: string;
  /** The path prefix at the service, without a trailing slash. */
  readonly base: string;
  /** The path prefix at the gateway. */
  readonly path: string;
}

/**
 * Converts a service's address to the public one: `http://10.0.0.7:4010/orders/7` and `/orders/7` become `/api/orders/7`.
 * Relative addresses and those of other servers stay unchanged.
 *
 * @param host the client's `Host`, from which services build addresses.
 * @returns undefined for a service's address that no client can reach.
 */
export function publicLocation(
  location: string,
  service: ServiceAddress,
  host: string | undefined,
): string | undefined {
  const isPath = location.startsWith('/') && !/^\/[/\\]/.test(location);
  // Clients resolve references such as `7` or `?page=2` against the public address.
  if (!isPath && !/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(location)) return location;
  if (!URL.canParse(location, service.origin)) return undefined;
  const url = new URL(location, service.origin);
  if (!isPath && url.origin !== service.origin && url.host !== host?.toLowerCase()) return location;
  const { pathname, search, hash } = url;
  const rest = pathname + search + hash;
  // A service that knows its public address sends it, so it stays unchanged.
  if (isBelow(pathname, service.path)) return rest;
  return isBelow(pathname, service.base) ? service.path + rest.slice(service.base.length) : undefined;
}
