import type { Logger } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import { otherGatewaysNotNotified } from '../errors.ts';
import type { MetadataReloader, MetadataReloads } from '../graph/index.ts';
import { watchMetadata } from '../metadata/index.ts';
import { openReloadMarks, type ReloadMarks } from '../operations/replicas/index.ts';
import type { WorkerPeers } from './worker-peers.ts';

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
