import { ADMIN_ROLE, type Authenticator, roleNotAllowed, type Session } from '../../../access/session/index.ts';
import { methodNotForwarded, resourceNotFound } from '../../../errors.ts';
import type { IncomingRequest } from '../../http/index.ts';
import { pathOfAnotherService } from '../errors.ts';
import { refuseUnclearPath } from './path-rules.ts';
import type { RelayTarget } from './relay.ts';
import { refuseUnlessPublic, type Service, type Services } from './service.ts';
import { callerOf } from './service-bulkhead.ts';

/** A request that is passed on. */
export interface AdmittedRequest {
  readonly service: Service;
  readonly target: Omit<RelayTarget, 'dispatcher'>;
  /** Undefined if no token is verified. */
  readonly session: Session | undefined;
  /** The key of the caller whose slot the request uses. */
  readonly caller: string;
}

/** These methods concern the proxies between client and server (RFC 9110 section 9.3), so no service receives them. */
const METHODS_OF_THE_WAY: ReadonlySet<string> = new Set(['TRACE', 'CONNECT']);

/**
 * Authenticates the caller, finds the service of a request and builds the headers for it.
 *
 * @throws GatewayError if the request is not passed on.
 */
export async function admitRequest(
  incoming: IncomingRequest,
  services: Services,
  authenticator: Authenticator,
): Promise<AdmittedRequest> {
  const { path, search, request } = incoming;
  const service = services.find(path);
  if (!service) throw resourceNotFound();
  const { name, permissions, timeout_seconds, only_public_without_token } = service.metadata;
  // No token is verified at public addresses, so a caller with an expired one can get a new one. The log then names no caller.
  let session: Session | undefined;
  if (only_public_without_token) refuseUnlessPublic(service, incoming);
  else {
    const caller = await authenticator.authenticate(request.headers, incoming.clientAddress, undefined, incoming.span);
    const isPermitted = (role: string) => permissions?.some((permission) => permission.role === role) ?? true;
    if (caller.role !== ADMIN_ROLE && !isPermitted(caller.role)) throw roleNotAllowed();
    if (METHODS_OF_THE_WAY.has(request.method ?? '')) throw methodNotForwarded();
    refuseUnclearPath(path);
    if (services.isUnclear(path)) throw pathOfAnotherService();
    session = caller;
  }
  const target = {
    name,
    path: service.pathFor(path) + (search === '' ? '' : `?${search}`),
    headers: service.headersFor(incoming, session),
    tracing: service.tracing,
    idleTimeoutMs: timeout_seconds * 1000,
    policy: service.policy,
    cookies: session?.cookies ?? [],
  };
  return { service, target, session, caller: callerOf(session, incoming.clientAddress) };
}
