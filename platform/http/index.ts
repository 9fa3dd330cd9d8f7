export { addressUrl } from './address-url.ts';
export { basicAuthorization, hasCredentials } from './basic-authorization.ts';
export { clientAddress, type Network, networkOf, networksOf } from './client-address.ts';
export type { ConnectionCounts, ConnectionLimits } from './connection-guard.ts';
export { isHeaderValue } from './header-value.ts';
export {
  checkPort,
  type ListeningServer,
  type ListenOptions,
  listen,
  reservePort,
} from './http-server.ts';
export { repeatedHeader } from './repeated-header.ts';
export { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
