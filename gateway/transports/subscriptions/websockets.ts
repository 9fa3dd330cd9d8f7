import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CloseCode } from 'graphql-ws';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Authenticator, refuseCrossSite } from '../../access/session/index.ts';
import { gatewayStopping, toGatewayError } from '../../errors.ts';
import type { OperationPipeline } from '../../pipeline/index.ts';
import {
  type IncomingRequest,
  type LiveConnections,
  type OperationLog,
  type OperationSpans,
  refuseUpgrade,
  type Slot,
  type UpgradeRequest,
} from '../http/index.ts';
import { Connection } from './connection.ts';
import { legacyProtocol } from './legacy-protocol.ts';
import type { SubscriptionLimits } from './limits.ts';
import type { Protocol } from './protocol.ts';
import { transportProtocol } from './transport-protocol.ts';

export interface WebSocketsOptions {
  readonly operations: OperationPipeline;
  readonly authenticator: Authenticator;
  /** Returns whether pages of this origin may act for their users by a cookie. */
  readonly trustsOrigin: (origin: string) => boolean;
  readonly limits: SubscriptionLimits;
  readonly logOperation: OperationLog;
  readonly operationSpans: OperationSpans;
  readonly live: LiveConnections;
}

/** The WebSockets of `/v1/graphql`. */
export interface WebSockets {
  /** Accepts a handshake, or rejects it with an HTTP response. */
  upgrade(incoming: UpgradeRequest, socket: Socket, head: Buffer): void;
  /** Closes all WebSockets as soon as their queries and mutations have finished. */
  leave(): void;
}

/** The preferred protocol first. */
const PROTOCOLS: readonly Protocol[] = [transportProtocol, legacyProtocol];
/** How long a client may take to confirm the close, in milliseconds. */
const CLOSE_WITHIN_MS = 5_000;

export function openWebSockets(options: WebSocketsOptions): WebSockets {
  const { authenticator, trustsOrigin, limits, live } = options;
  const connections = new Set<Connection>();
  const serverOptions: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: limits.maxMessageBytes,
    perMessageDeflate: false,
    closeTimeout: CLOSE_WITHIN_MS,
    handleProtocols: (offered) => PROTOCOLS.find(({ name }) => offered.has(name))?.name ?? false,
  };
  const server = new WebSocketServer(serverOptions);
  let isLeaving = false;

  function admit({ headers }: IncomingMessage): Slot {
    if (isLeaving) throw gatewayStopping();
    // A browser sends cookies with the WebSockets of any page, and no later message shows which site the page belongs to.
    const hasAmbient = headers.cookie !== undefined || headers.authorization !== undefined;
    if (authenticator.takesCookies && hasAmbient) refuseCrossSite(headers, trustsOrigin);
    return live.take();
  }

  function accept(socket: WebSocket, incoming: IncomingRequest, slot: Slot): void {
    const { log, clientAddress } = incoming;
    const startedAt = performance.now();
    const protocol = PROTOCOLS.find(({ name }) => name === socket.protocol);
    log.info(
      { event: 'websocket.opened', type: 'websocket-log', ip: clientAddress, protocol: protocol?.name },
      'WebSocket opened',
    );
    const connection = protocol && new Connection({ ...options, socket, incoming, protocol });
    if (connection) connections.add(connection);
    else {
      socket.on('error', () => {});
      socket.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
    }
    socket.once('close', (code) => {
      slot.release();
      if (connection) connections.delete(connection);
      const operations = connection?.count ?? 0;
      const duration_ms = Math.round(performance.now() - startedAt);
      log.info(
        { event: 'websocket.closed', type: 'websocket-log', ip: clientAddress, code, operations, duration_ms },
        'WebSocket closed',
      );
    });
  }

  return {
    upgrade: (incoming, socket, head) => {
      // From here on nothing else listens for the socket's errors, and an unhandled error would end the process.
      socket.on('error', () => {});
      if (socket.destroyed) return;
      let slot: Slot;
      try {
        slot = admit(incoming.request);
      } catch (thrown) {
        const error = toGatewayError(thrown);
        const { log, clientAddress: ip } = incoming;
        log.info(
          { event: 'websocket.refused', type: 'websocket-log', ip, status: error.status, code: error.code },
          'WebSocket refused',
        );
        return refuseUpgrade(incoming, socket, error);
      }
      // The library rejects a malformed handshake without notice. An open connection releases its slot itself.
      socket.once('close', slot.release);
      server.handleUpgrade(incoming.request, socket, head, (opened) => {
        incoming.answered(101);
        socket.off('close', slot.release);
        accept(opened, incoming, slot);
      });
      if (!socket.destroyed) incoming.answered(400);
    },
    leave: () => {
      isLeaving = true;
      for (const connection of connections) connection.leave();
    },
  };
}
