import type { Logger } from '../../platform/index.ts';
import { type GatewayConfig, SETTING_NAMES } from '../config.ts';
import { logMetadataNotes, type MetadataNotesOptions } from '../graph/index.ts';
import { logHasuraSettings } from '../hasura-settings.ts';
import { loadMetadata, type Metadata } from '../metadata/index.ts';
import { withStartErrors } from './start-errors.ts';
import type { WorkerPeers } from './worker-peers.ts';

/**
 * Loads the metadata that the gateway starts with, and logs what is notable about it and about the settings that Hasura has.
 *
 * @throws StartError for invalid metadata.
 */
export function loadFirstMetadata(
  environment: NodeJS.ProcessEnv,
  config: GatewayConfig,
  notes: MetadataNotesOptions,
  log: Logger,
  peers: WorkerPeers | undefined,
): Metadata {
  const metadata = withStartErrors(() => loadMetadata(config.HASURA_GRAPHQL_METADATA_DIR, config.graph));
  logMetadataNotes(metadata, log, notes);
  // Of several workers one says it for all.
  if (!peers || peers.worker === 1) logHasuraSettings(environment, SETTING_NAMES, metadata.asWritten, log);
  return metadata;
}
