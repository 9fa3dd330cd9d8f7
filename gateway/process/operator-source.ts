import type { Logger } from '../../platform/index.ts';
import type { MetadataSubscriber } from '../graph/index.ts';
import { isSupergraph, type Metadata } from '../metadata/index.ts';

/**
 * Logs when the metadata has no remote schema of the name that `PORTICO_OPERATOR_SOURCE` has: nothing is signed then. That of the
 * start is looked at immediately.
 */
export function followOperatorSource(source: string | undefined, metadata: Metadata, log: Logger): MetadataSubscriber {
  const look = ({ remoteSchemas }: Metadata) => {
    // Requests to the services of a supergraph are never signed for an operator.
    if (source === undefined || remoteSchemas.some((remote) => remote.name === source && !isSupergraph(remote))) return;
    log.warn(
      { event: 'operator_source.unknown', source },
      'PORTICO_OPERATOR_SOURCE names no remote schema, so the admin secret makes no platform operator',
    );
  };
  look(metadata);
  return { prepare: (next) => () => look(next) };
}
