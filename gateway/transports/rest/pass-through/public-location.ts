import { isBelow } from './path-rules.ts';
/** Where a service is, for us and for the clients. */
export interface ServiceAddress {
  /** Scheme, host and port that we call it at. */
  readonly origin: string;
  /** The path that its part begins with there, without a slash at its end. */
  readonly base: string;
  /** The path that its part begins with here. */
  readonly path: string;
}

/**
 * Converts an address of a service to the public one: `http://10.0.0.7:4010/orders/7` and `/orders/7` become
 * `/api/orders/7`. Addresses of other servers and relative ones stay unchanged.
 *
 * @param host the client's `Host`, which services build addresses from.
 * @returns undefined for an address of the service that no client can reach.
 */
export function publicLocation(
  location: string,
  service: ServiceAddress,
  host: string | undefined,
): string | undefined {
  const isPath = location.startsWith('/') && !/^\/[/\\]/.test(location);
  // A reference such as `7` or `?page=2` is resolved by the client, against the public address.
  if (!isPath && !/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(location)) return location;
  if (!URL.canParse(location, service.origin)) return undefined;
  const url = new URL(location, service.origin);
  if (!isPath && url.origin !== service.origin && url.host !== host?.toLowerCase()) return location;
  const { pathname, search, hash } = url;
  const rest = pathname + search + hash;
  // A service that has its public address configured sends it unchanged.
  if (isBelow(pathname, service.path)) return rest;
  return isBelow(pathname, service.base) ? service.path + rest.slice(service.base.length) : undefined;
}
