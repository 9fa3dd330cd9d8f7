import type { ConnectionCounts, Logger, Telemetry } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import { otherGatewaysNotNotified } from '../errors.ts';
import type { LiveGraph, MetadataReloader, MetadataReloads } from '../graph/index.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import { watchMetadata } from '../metadata/index.ts';
import { openReloadMarks, type ReloadMarks } from '../operations/replicas/index.ts';
import type { Usage } from '../operations/usage/index.ts';
import type { PassThrough } from '../transports/rest/index.ts';
import type { Subscriptions } from '../transports/subscriptions/index.ts';
import type { UpstreamConnections } from '../upstream/index.ts';
import type { BackgroundWork } from './background-work.ts';
import type { GatewayMetrics } from './metrics/index.ts';
import type { SharedState } from './shared-state.ts';
import type { WorkerPeers } from './worker-peers.ts';

/** Starts and stops a gateway. Each step is called once, in this order. */
export interface Lifecycle {
  /** Starts to open the sources and to run jobs. */
  start(): void;
  /** Called once the gateway listens. Counts its connections, and starts to plan scheduled work. */
  listens(connections: ConnectionCounts): void;
  /** Reports that the gateway is stopping, and starts no other job. Requests are still served. */
  drain(): void;
  /** Ends everything that would keep connections open, and all polling. */
  leave(): Promise<void>;
  /** Closes the rest once no request is open any more. Jobs get `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

/** The current state of a gateway, for its readiness and metrics. */
export interface LifecycleState {
  isStopping: boolean;
  /** Undefined before the gateway listens. */
  connections: ConnectionCounts | undefined;
}

/** The parts of a gateway that are started or stopped. Undefined parts are disabled. */
export interface LifecycleParts {
  readonly graph: Pick<LiveGraph, 'start' | 'stop'>;
  /** Stops the polling of token keys and revocations. */
  readonly stopKeys: () => void;
  readonly passThrough: Pick<PassThrough, 'closeSockets' | 'close'>;
  readonly subscriptions: Pick<Subscriptions, 'leave'>;
  readonly backgroundWork: Pick<BackgroundWork, 'start' | 'stop'> | undefined;
  readonly jobs: Pick<Jobs, 'start' | 'drain' | 'stop'> | undefined;
  readonly sharedState: Pick<SharedState, 'close'>;
  readonly usage: Pick<Usage, 'stop'> | undefined;
  readonly marks: Pick<ReloadMarks, 'close'> | undefined;
  readonly http: Pick<UpstreamConnections, 'close'>;
  readonly metrics: Pick<GatewayMetrics, 'stop'> | undefined;
  readonly telemetry: Pick<Telemetry, 'stop'>;
}

/** Returns the steps of a gateway's lifecycle. They update `state`. */
export function gatewayLifecycle(parts: LifecycleParts, state: LifecycleState): Lifecycle {
  const { graph, passThrough, backgroundWork, jobs } = parts;
  return {
    start() {
      graph.start();
      jobs?.start();
    },
    listens(connections) {
      state.connections = connections;
      backgroundWork?.start();
    },
    drain() {
      state.isStopping = true;
      jobs?.drain();
    },
    async leave() {
      graph.stop();
      parts.stopKeys();
      passThrough.closeSockets();
      parts.subscriptions.leave();
      await backgroundWork?.stop();
    },
    async close(graceMs) {
      passThrough.close();
      parts.sharedState.close();
      await jobs?.stop(graceMs);
      await parts.usage?.stop();
      parts.marks?.close();
      await parts.http.close();
      await Promise.all([parts.metrics?.stop(), parts.telemetry.stop()]);
    },
  };
}

/**
 * Makes a reload that an administrator requests from one process reach all workers and all gateways. Each of them reads the
 * files itself.
 *
 * @param reloadOthers throws if other gateways cannot be notified.
 */
export function reloadsOfAll(
  reloads: MetadataReloader,
  reloadOthers: (ask: boolean) => Promise<void> | undefined,
  log: Logger,
): MetadataReloads {
  return {
    get failure() {
      return reloads.failure;
    },
    reload: async (reason, ask) => {
      await reloads.reload(reason, ask);
      try {
        await reloadOthers(ask);
      } catch (error) {
        log.warn(
          { event: 'metadata.notification_failed', reason: (error as Error).message },
          'could not notify other gateways of a reload',
        );
        throw otherGatewaysNotNotified();
      }
    },
  };
}

/** Reloads without throwing. A failure has been logged and shows in /healthz, and the last valid metadata stays active. */
export function reloadQuietly(reloads: MetadataReloader, reason: string, ask: boolean): void {
  reloads.reload(reason, ask).catch(() => {});
}

/** Reloads if the files change and if another worker was asked to. @returns a function that stops this. */
export function followChanges(
  reloads: MetadataReloader,
  config: GatewayConfig,
  peers: WorkerPeers | undefined,
): () => void {
  const leavePeers = peers?.onReload((ask) => reloads.reload('another worker', ask));
  const stopWatching = config.PORTICO_METADATA_WATCH
    ? watchMetadata(config.HASURA_GRAPHQL_METADATA_DIR, () => reloadQuietly(reloads, 'the files have changed', false))
    : () => {};
  return () => {
    leavePeers?.();
    stopWatching();
  };
}

/** Opens the marks with which gateways notify each other of reloads. Undefined if they share no Redis. */
export function marksOfGateways(
  reloads: MetadataReloader,
  { PORTICO_REDIS_URL: redisUrl }: GatewayConfig,
  startedAt: number,
  log: Logger,
): ReloadMarks | undefined {
  if (redisUrl === undefined) return undefined;
  const onReload = (ask: boolean) => reloadQuietly(reloads, 'another gateway', ask);
  return openReloadMarks({ redisUrl, log, startedAt, onReload });
}
