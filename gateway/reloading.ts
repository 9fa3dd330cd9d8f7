import type { Logger } from '../platform/index.ts';
import type { GatewayConfig } from './config.ts';
import { GatewayError } from './errors.ts';
import type { MetadataReloads, Reloads } from './graph/index.ts';
import { watchMetadata } from './metadata/index.ts';
import type { Siblings } from './siblings.ts';

/**
 * Reloads that an administrator asks one process for are for all workers and all gateways; each reads the files by itself.
 *
 * @param reloadOthers throws when other gateways cannot be notified.
 */
export function reloadsOfAll(
  reloads: Reloads,
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
        log.warn({ reason: (error as Error).message }, 'other gateways could not be notified of a reload');
        const headers = { 'retry-after': '1' };
        throw new GatewayError('service-unavailable', 'reloaded here, but other gateways could not be notified', {
          headers,
        });
      }
    },
  };
}

/** What is wrong has been logged and shows in /healthz; what was in force stays. */
export function reloadQuietly(reloads: Reloads, reason: string, ask: boolean): void {
  reloads.reload(reason, ask).catch(() => {});
}

/** Reloads when the files change and when another worker was asked to. @returns what ends that. */
export function followChanges(reloads: Reloads, config: GatewayConfig, siblings: Siblings | undefined): () => void {
  const leaveSiblings = siblings?.onReload((ask) => reloads.reload('another worker', ask));
  const stopWatching = config.PORTICO_METADATA_WATCH
    ? watchMetadata(config.HASURA_GRAPHQL_METADATA_DIR, () => reloadQuietly(reloads, 'the files have changed', false))
    : () => {};
  return () => {
    leaveSiblings?.();
    stopWatching();
  };
}
