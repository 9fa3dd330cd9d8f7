import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, type LogDestination, type Logger, listen, type RunningService } from '../../platform/index.ts';
import { type GatewayConfig, readConfig } from '../config.ts';
import { ignoreUpgrade, isBusy, wantsWebSocket } from '../transports/http/index.ts';
import { composeGateway } from './compose-gateway.ts';
import { followChanges, reloadQuietly } from './lifecycle.ts';
import { limitsOfConnections } from './room-settings.ts';
import type { WorkerPeers } from './worker-peers.ts';

export interface RunningGateway extends RunningService {
  /** Reads the metadata again. Problems are logged. The process itself handles the signals that request this. */
  reload(reason: string): void;
  /** Registers a listener for successful reloads, which receives the reason of each. */
  whenReloaded(listener: (reason: string) => void): void;
}

/**
 * Starts the gateway.
 *
 * @param logTo the destination of log lines. Defaults to standard output.
 * @param peers the other workers, if this gateway is one of several.
 * @throws SettingsError or StartError if the gateway cannot start.
 */
export async function startGateway(
  environment: NodeJS.ProcessEnv,
  logTo?: LogDestination,
  peers?: WorkerPeers,
): Promise<RunningGateway> {
  const startedAt = performance.now();
  const config = readConfig(environment);
  const log = logOf(config, logTo, peers);
  const stopGraceMs = config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1000;
  const gateway = await composeGateway(environment, config, log, startedAt, peers);
  const { reloads, canAnswer } = gateway;

  gateway.start();
  // A worker shares its port with others that can already serve. It joins them once it can serve, or after a maximum wait.
  if (peers) {
    peers.tellBegun();
    await untilReady(() => canAnswer() || peers.isAskedToStop, config.PORTICO_READY_GRACE_SECONDS * 1000);
  }
  const listening = await listen(gateway.server.request, {
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
    stopGraceMs,
    limits: limitsOfConnections(config),
    shouldUpgradeCallback: wantsWebSocket,
  });
  acceptUpgrades(listening.server, gateway.server.upgrade);
  gateway.listens(listening.connections);
  const stopReloading = followChanges(reloads, config, peers);
  const stopTelling = peers ? tellReadiness(peers, canAnswer) : () => {};
  log.info(
    { event: 'service.ready', port: listening.port, metadata: config.HASURA_GRAPHQL_METADATA_DIR },
    'the gateway is listening',
  );

  return {
    port: listening.port,
    // After the requests, jobs have the same time to finish.
    longestStopMs: config.PORTICO_DRAIN_SECONDS * 1000 + 2 * stopGraceMs,
    reload: (reason) => reloadQuietly(reloads, reason, true),
    whenReloaded: (listener) => {
      reloads.onReloaded = listener;
    },
    stop: async () => {
      stopReloading();
      stopTelling();
      gateway.drain();
      // Load balancers have to notice that this gateway is not ready before it stops accepting connections.
      listening.drain();
      if (config.PORTICO_DRAIN_SECONDS > 0) await sleep(config.PORTICO_DRAIN_SECONDS * 1000);
      await Promise.all([gateway.leave(), listening.stop()]);
      await gateway.close(stopGraceMs);
    },
  };
}

function logOf(config: GatewayConfig, logTo: LogDestination | undefined, peers: WorkerPeers | undefined): Logger {
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL, logTo);
  return peers ? log.child({ worker: peers.worker, pid: process.pid }) : log;
}

/**
 * Handles a server's upgrades. WebSockets are passed to `upgrade`, and other protocols are ignored (RFC 9110 section 7.8). An
 * upgrade that was pipelined behind a pending request ends its connection.
 */
function acceptUpgrades(
  server: Server,
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): void {
  server.on('upgrade', (request, _stream, head) => {
    // The stream of the event is usually the connection. In newer versions of Node.js, it is not a socket if the request has a
    // body that has not arrived.
    const { socket } = request;
    if (isBusy(request, socket)) endConnection(socket);
    else if (wantsWebSocket(request)) upgrade(request, socket, head);
    else ignoreUpgrade(server, request, socket, head);
  });
}

/** Ends a connection after its written data. Nothing else listens for its errors from here on. */
function endConnection(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroySoon();
}

const LOOK_MS = 100;

/** Waits until a worker can serve requests, for at most `withinMs`. */
async function untilReady(isReady: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isReady() && performance.now() < giveUpAt) await sleep(LOOK_MS);
}

/**
 * Notifies the other workers each time that this one becomes ready or stops being ready. @returns a function that stops this.
 */
function tellReadiness(peers: WorkerPeers, canAnswer: () => boolean): () => void {
  let reported: boolean | undefined;
  const tell = () => {
    const ready = canAnswer();
    if (ready !== reported) peers.tellReadiness(ready);
    reported = ready;
  };
  tell();
  const timer = setInterval(tell, LOOK_MS).unref();
  return () => clearInterval(timer);
}
