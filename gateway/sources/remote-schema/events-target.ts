import { type Environment, type RemoteSchemaMetadata, resolveEventsUrl } from '../../metadata/index.ts';
import { SourceError } from '../source.ts';
import type { EventsTarget } from './remote-request.ts';

type SubscriptionsMetadata = RemoteSchemaMetadata['definition']['subscriptions'];

/**
 * Returns the URL and protocol of subscriptions to a remote schema. The default is the remote schema's own URL.
 *
 * @throws SourceError if the metadata does not fit the environment.
 */
export function eventsTarget(described: SubscriptionsMetadata, ownUrl: string, environment: Environment): EventsTarget {
  const protocol = described?.protocol ?? 'graphql-transport-ws';
  const isElsewhere = described && (described.url != null || described.url_from_env != null);
  const resolved = isElsewhere ? resolveEventsUrl(described, environment) : { url: ownUrl };
  if ('problem' in resolved)
    throw new SourceError([{ message: resolved.problem, path: ['definition', 'subscriptions', ...resolved.path] }]);
  const { url } = resolved;
  const share = described && described.share !== 'never' ? described.share : undefined;
  return { protocol, share, url: protocol === 'sse' ? url.replace(/^ws/, 'http') : url.replace(/^http/, 'ws') };
}
