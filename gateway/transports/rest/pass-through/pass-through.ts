import type { Socket } from 'node:net';
import { type Logger, OTHER_ROUTE } from '../../../../platform/index.ts';
import type { Assertions } from '../../../access/assertions/index.ts';
import type { Authenticator } from '../../../access/session/index.ts';
import { resourceNotFound, toLoggedError } from '../../../errors.ts';
import type { MetadataSubscriber } from '../../../graph/index.ts';
import type { Environment, Metadata } from '../../../metadata/index.ts';
import type { ConcurrencySettings, TracedHeaders } from '../../../upstream/index.ts';
import {
  type HttpExchange,
  type IncomingRequest,
  LiveConnections,
  refuseUpgrade,
  sendFlatError,
  type UpgradeRequest,
} from '../../http/index.ts';
import { admitRequest } from './admission.ts';
import { openServiceConnections } from './connections.ts';
import { PendingClient } from './pending-client.ts';
import { relay } from './relay.ts';
import { handshakeHeaders } from './request-headers.ts';
import { openServices } from './service.ts';
import { relayWebSocket } from './websocket.ts';

/** Passes requests through to the plain HTTP services of `services.yaml`. docs/pass-through.md lists what is forwarded. */
export interface PassThrough extends MetadataSubscriber {
  /** Returns whether a service has this path. */
  matches(path: string): boolean;
  /** Returns the route of the service that has this path. */
  routeOf(path: string): string | undefined;
  /** Handles a request whose path matches. */
  handle(exchange: HttpExchange): Promise<void>;
  /** Relays a WebSocket handshake whose path matches, or rejects it with an HTTP response. */
  upgrade(incoming: UpgradeRequest, socket: Socket, head: Buffer): Promise<void>;
  /** Closes open WebSockets, which do not end by themselves. */
  closeSockets(): void;
  close(): void;
}

export interface PassThroughOptions {
  readonly metadata: Metadata;
  readonly environment: Environment;
  readonly authenticator: Authenticator;
  readonly assertions?: Assertions | undefined;
  /** Additional headers for traced origins, next to the trace context. */
  readonly traced?: TracedHeaders | undefined;
  /** The most WebSockets and event streams at a time. */
  readonly maxLiveConnections: number;
  /** The limits of concurrent requests to one origin. */
  readonly concurrency: ConcurrencySettings;
  readonly log: Logger;
}

/**
 * Opens the pass-through for the services of the metadata.
 *
 * @throws MetadataError if the metadata of a service does not fit the environment.
 */
export function openPassThrough(options: PassThroughOptions): PassThrough {
  const { environment, authenticator, assertions, traced } = options;
  const { credentialHeaders } = authenticator;
  const connections = openServiceConnections(options.concurrency);
  const live = new LiveConnections(options.maxLiveConnections);
  let services = openServices(options.metadata, environment, credentialHeaders, assertions, traced);
  const sockets = new Set<Socket>();

  const admit = (incoming: IncomingRequest) => admitRequest(incoming, services, authenticator);

  return {
    matches: (path) => services.find(path) !== undefined,
    routeOf: (path) => services.find(path)?.metadata.path,
    handle: async (exchange) => {
      exchange.route = services.find(exchange.path)?.metadata.path ?? OTHER_ROUTE;
      try {
        const { service, target, session, caller } = await admit(exchange);
        if (exchange.record) exchange.record.caller = session;
        const { pool, places } = connections.to(service.origin);
        const own = places.take(caller) ?? (await places.wait(caller, exchange, target.name));
        if (own) relay(exchange, { ...target, dispatcher: pool }, { own, live });
      } catch (thrown) {
        sendFlatError(exchange, toLoggedError(thrown, exchange));
      }
    },
    upgrade: async (incoming, socket, head) => {
      // From here on nothing else listens for the socket's errors, and an unhandled error would end the process.
      socket.on('error', () => {});
      const client = new PendingClient(socket, head);
      try {
        const slot = live.take();
        sockets.add(socket);
        socket.once('close', () => {
          sockets.delete(socket);
          slot.release();
        });
        if (services.find(incoming.path)?.metadata.only_public_without_token) throw resourceNotFound();
        const { service, target } = await admit(incoming);
        if (socket.destroyed) return;
        logSocket(incoming, socket, service.metadata.name);
        const headers = { ...target.headers, ...handshakeHeaders(incoming.request.headers) };
        relayWebSocket(incoming, socket, client, { ...target, headers, origin: service.origin });
      } catch (thrown) {
        const error = toLoggedError(thrown, incoming);
        const { log, clientAddress: ip } = incoming;
        log.info(
          { event: 'websocket.refused', type: 'websocket-log', ip, status: error.status, code: error.code },
          'WebSocket refused',
        );
        client.answered();
        refuseUpgrade(incoming, socket, error);
      }
    },
    prepare: (described) => {
      const next = openServices(described, environment, credentialHeaders, assertions, traced);
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

/** A relayed handshake is logged twice: when the service responds, and when the connection closes. */
function logSocket({ log, clientAddress: ip }: IncomingRequest, socket: Socket, source: string): void {
  const startedAt = performance.now();
  log.info({ event: 'websocket.opened', type: 'websocket-log', ip, source }, 'WebSocket opened');
  socket.once('close', () => {
    const duration_ms = Math.round(performance.now() - startedAt);
    log.info({ event: 'websocket.closed', type: 'websocket-log', ip, source, duration_ms }, 'WebSocket closed');
  });
}
