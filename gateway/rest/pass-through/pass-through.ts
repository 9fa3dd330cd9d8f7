import type { Socket } from 'node:net';
import type { Logger } from '../../../platform/index.ts';
import type { Assertions } from '../../assertions/index.ts';
import { explained, GatewayError } from '../../errors.ts';
import type { Follower } from '../../graph/index.ts';
import { type Arrival, type Exchange, refuseUpgrade, sendFlatError } from '../../http/index.ts';
import type { Environment, Metadata } from '../../metadata/index.ts';
import type { ConcurrencySettings } from '../../resilience/index.ts';
import { type Authenticator, roleNotAllowed, type Session } from '../../session/index.ts';
import { ADMIN_ROLE } from '../../sources/index.ts';
import { openServiceConnections } from './connections.ts';
import { refuseUnclearPath } from './path-rules.ts';
import { callerOf, LiveConnections } from './places.ts';
import { type RelayTarget, relay } from './relay.ts';
import { handshakeHeaders } from './request-headers.ts';
import { nothingThere, openServices, refuseUnlessPublic, type Service } from './service.ts';
import { relayWebSocket } from './websocket.ts';

/** Passes requests on to plain HTTP services, as `services.yaml` says. docs/pass-through.md has what goes through. */
export interface PassThrough extends Follower {
  /** Whether a service has this path. */
  matches(path: string): boolean;
  /** Answers a request whose path matches. */
  handle(exchange: Exchange): Promise<void>;
  /** Takes a WebSocket handshake whose path matches; refuses it with a plain HTTP response. */
  upgrade(arrival: Arrival, socket: Socket, head: Buffer): Promise<void>;
  /** Ends the WebSockets that are open: unlike requests, they would go on for as long as their clients like. */
  closeSockets(): void;
  close(): void;
}

export interface PassThroughOptions {
  readonly metadata: Metadata;
  readonly environment: Environment;
  readonly authenticator: Authenticator;
  readonly assertions?: Assertions | undefined;
  /** WebSockets and event streams at a time. */
  readonly maxLiveConnections: number;
  /** Requests to one origin at a time. */
  readonly concurrency: ConcurrencySettings;
  readonly log: Logger;
}

/** A request that goes through. */
interface Admission {
  readonly service: Service;
  readonly target: Omit<RelayTarget, 'dispatcher'>;
  /** Undefined where no token is judged. */
  readonly session: Session | undefined;
  /** Whose place it takes. */
  readonly caller: string;
}

/** They are about the way of a request to its server (RFC 9110 section 9.3), and no service's to answer. */
const METHODS_OF_THE_WAY: ReadonlySet<string> = new Set(['TRACE', 'CONNECT']);

/**
 * Opens the pass-through for the services of the metadata.
 *
 * @throws MetadataError when a service's metadata does not fit the environment.
 */
export function openPassThrough(options: PassThroughOptions): PassThrough {
  const { environment, authenticator, assertions } = options;
  const { credentialHeaders } = authenticator;
  const connections = openServiceConnections(options.concurrency);
  const live = new LiveConnections(options.maxLiveConnections);
  let services = openServices(options.metadata, environment, credentialHeaders, assertions);
  const sockets = new Set<Socket>();

  /** @throws GatewayError why the request does not go through. */
  async function admit(arrival: Arrival): Promise<Admission> {
    const { path, search, request } = arrival;
    const service = services.find(path);
    if (!service) throw nothingThere();
    const { name, permissions, timeout_seconds, only_public_without_token } = service.metadata;
    // No token is judged there, so a caller who still attaches an expired one can get a new one; and nobody is named.
    let session: Session | undefined;
    if (only_public_without_token) refuseUnlessPublic(service, arrival);
    else {
      const caller = await authenticator.authenticate(request.headers);
      const isPermitted = (role: string) => permissions?.some((permission) => permission.role === role) ?? true;
      if (caller.role !== ADMIN_ROLE && !isPermitted(caller.role)) throw roleNotAllowed();
      if (METHODS_OF_THE_WAY.has(request.method ?? '')) throw methodNotAllowed();
      refuseUnclearPath(path);
      if (services.isUnclear(path)) throw new GatewayError('bad-request', 'the path could be that of another service');
      session = caller;
    }
    const target = {
      name,
      path: service.pathFor(path) + (search === '' ? '' : `?${search}`),
      headers: service.headersFor(arrival, session),
      idleTimeoutMs: timeout_seconds * 1000,
      policy: service.policy,
      cookies: session?.cookies ?? [],
    };
    return { service, target, session, caller: callerOf(session, arrival.clientAddress) };
  }

  return {
    matches: (path) => services.find(path) !== undefined,
    handle: async (exchange) => {
      try {
        const { service, target, session, caller } = await admit(exchange);
        if (exchange.record) exchange.record.caller = session;
        const { pool, places } = connections.to(service.origin);
        const own = places.take(caller) ?? (await places.wait(caller, exchange, target.name));
        if (own) relay(exchange, { ...target, dispatcher: pool }, { own, live });
      } catch (thrown) {
        sendFlatError(exchange, explained(thrown, exchange));
      }
    },
    upgrade: async (arrival, socket, head) => {
      // From here on the socket's errors are nobody else's, and an error that nobody hears ends the process.
      socket.on('error', () => {});
      try {
        const place = live.enter();
        sockets.add(socket);
        socket.once('close', () => {
          sockets.delete(socket);
          place.leave();
        });
        if (services.find(arrival.path)?.metadata.only_public_without_token) throw nothingThere();
        const { service, target } = await admit(arrival);
        if (socket.destroyed) return;
        logSocket(arrival, socket, service.metadata.name);
        const headers = { ...target.headers, ...handshakeHeaders(arrival.request.headers) };
        relayWebSocket(arrival, socket, head, { ...target, headers, origin: service.origin });
      } catch (thrown) {
        const error = explained(thrown, arrival);
        const { log, clientAddress: ip } = arrival;
        log.info({ type: 'websocket-log', ip, status: error.status, code: error.code }, 'a WebSocket was refused');
        refuseUpgrade(arrival.request, socket, error);
      }
    },
    prepare: (described) => {
      const next = openServices(described, environment, credentialHeaders, assertions);
      return () => {
        services = next;
      };
    },
    closeSockets: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => connections.close(),
  };
}

/** A handshake that is passed on is in the log twice: when the service is asked, and when its connection is over. */
function logSocket({ log, clientAddress: ip }: Arrival, socket: Socket, service: string): void {
  const startedAt = performance.now();
  log.info({ type: 'websocket-log', ip, service }, 'a WebSocket is passed on');
  socket.once('close', () => {
    const duration_ms = Math.round(performance.now() - startedAt);
    log.info({ type: 'websocket-log', ip, service, duration_ms }, 'a WebSocket is closed');
  });
}

function methodNotAllowed(): GatewayError {
  return new GatewayError('method-not-allowed', 'this method is not passed on');
}
