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
  /** Reads the metadata again; the signals that ask for it are the process's. What is wrong with it is logged. */
  reload(reason: string): void;
  /** Has a listener called with the reason of each reload that succeeds. */
  whenReloaded(listener: (reason: string) => void): void;
}

/**
 * Starts the gateway.
 *
 * @param logTo where log lines go, standard output when absent.
 * @param peers the other workers, where this is one of several.
 * @throws SettingsError or StartError when it cannot start.
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
  // A worker shares its port with others that can answer: it takes part when it can, or has waited for long enough.
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
    // Jobs have as long as requests, after these.
    longestStopMs: config.PORTICO_DRAIN_SECONDS * 1000 + 2 * stopGraceMs,
    reload: (reason) => reloadQuietly(reloads, reason, true),
    whenReloaded: (listener) => {
      reloads.onReloaded = listener;
    },
    stop: async () => {
      stopReloading();
      stopTelling();
      gateway.drain();
      // Balancers have to notice that this gateway is not ready any more, before it stops to accept connections.
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
 * Handles the upgrades of a server: WebSockets are passed to `upgrade`, other protocols are ignored (RFC 9110 section 7.8),
 * and an upgrade that was pipelined behind an unanswered request ends its connection.
 */
function acceptUpgrades(
  server: Server,
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): void {
  server.on('upgrade', (request, _stream, head) => {
    // The stream that comes with the event is the connection, except for a request whose body has not arrived, in newer
    // versions of Node: there it is something that is not a socket.
    const { socket } = request;
    if (isBusy(request, socket)) endConnection(socket);
    else if (wantsWebSocket(request)) upgrade(request, socket, head);
    else ignoreUpgrade(server, request, socket, head);
  });
}

/** Ends a connection after what has been written to it. Nothing else listens for its errors from here on. */
function endConnection(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroySoon();
}

const LOOK_MS = 100;

/** Waits until a worker can answer requests, `withinMs` at most. */
async function untilReady(isReady: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isReady() && performance.now() < giveUpAt) await sleep(LOOK_MS);
}

/** Tells the other workers each time that this one can answer requests, or cannot any more. @returns what ends that. */
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
