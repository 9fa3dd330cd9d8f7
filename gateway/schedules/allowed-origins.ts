import { type Environment, isSupergraph, type Metadata, resolveUrl } from '../metadata/index.ts';

/**
 * The origins that the metadata has the gateway call. A one-off event may call these and no others, unless a setting says
 * so: a caller who may create one must not reach the rest of the network by it, nor send it what is in the environment.
 */
export function originsOfMetadata(metadata: Metadata, environment: Environment): ReadonlySet<string> {
  const described = [
    ...metadata.actions.actions.map(({ definition }) => ({ url: definition.handler })),
    ...metadata.cronTriggers.map(({ webhook }) => webhook),
    ...metadata.deliveries.subscriptions.map(({ webhook }) => webhook),
    ...metadata.services,
    ...metadata.remoteSchemas.flatMap((remote) => (isSupergraph(remote) ? [] : [remote.definition])),
  ];
  const origins = described.flatMap((one) => {
    const resolved = resolveUrl(one, environment);
    return 'url' in resolved ? [new URL(resolved.url).origin] : [];
  });
  return new Set(origins);
}
