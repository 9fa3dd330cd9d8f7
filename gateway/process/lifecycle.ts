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

/** Begins and ends a gateway. The steps are called once each, in this order. */
export interface Lifecycle {
  /** Begins to open the sources and to run jobs. */
  start(): void;
  /** Called once it listens: counts its connections, and begins to plan scheduled work. */
  listens(connections: ConnectionCounts): void;
  /** Reports that it is stopping, and begins no other job. Requests are still answered. */
  drain(): void;
  /** Ends what would keep connections open, and what polls. */
  leave(): Promise<void>;
  /** Closes the rest, when no request is open any more. Jobs get `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

/** How far a gateway's life has come, for its readiness and its metrics. */
export interface LifecycleState {
  isStopping: boolean;
  /** Undefined before it listens. */
  connections: ConnectionCounts | undefined;
}

/** The parts of a gateway that begin or end something. What is undefined is switched off. */
export interface LifecycleParts {
  readonly graph: Pick<LiveGraph, 'start' | 'stop'>;
  /** Ends the polling of token keys and revocations. */
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

/** The steps of a gateway's life. They keep `state` current. */
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
 * Reloads that an administrator asks one process for are for all workers and all gateways; each reads the files by itself.
 *
 * @param reloadOthers throws when other gateways cannot be notified.
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

/** Reloads without throwing: a failure has been logged and shows in /healthz, and the last valid metadata stays. */
export function reloadQuietly(reloads: MetadataReloader, reason: string, ask: boolean): void {
  reloads.reload(reason, ask).catch(() => {});
}

/** Reloads when the files change and when another worker was asked to. @returns what ends that. */
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

/** The marks by which gateways notify each other of reloads; undefined where they share no Redis. */
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
