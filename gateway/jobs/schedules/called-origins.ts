import {
  type Environment,
  isSupergraph,
  type Metadata,
  namedVariables,
  type resolveHeaders,
  resolveUrl,
} from '../../metadata/index.ts';

/** A service or webhook that the metadata names. */
interface Called {
  readonly url?: string | null | undefined;
  readonly url_from_env?: string | null | undefined;
  readonly headers?: Parameters<typeof resolveHeaders>[0] | undefined;
}

/**
 * Returns the origins that the metadata has the gateway call, each with the environment variables that it is sent in URLs and
 * headers. A one-off event may call only these origins and send only these variables, unless a setting allows more. Otherwise a
 * caller who may create events could reach the rest of the network, or send variables to places that do not receive them. Keys
 * of signatures are not included.
 */
export function calledOrigins(metadata: Metadata, environment: Environment): ReadonlyMap<string, ReadonlySet<string>> {
  const called: readonly Called[] = [
    ...metadata.actions.actions.flatMap(({ definition: { handler, headers } }) =>
      typeof handler === 'string' ? [{ url: handler, headers }] : [],
    ),
    ...[...metadata.cronTriggers, ...metadata.deliveries.subscriptions].flatMap(({ webhook, headers }) =>
      webhook ? [{ ...webhook, headers }] : [],
    ),
    ...metadata.services,
    ...metadata.remoteSchemas.flatMap((remote) => (isSupergraph(remote) ? [] : [remote.definition])),
  ];
  const origins = new Map<string, Set<string>>();
  for (const one of called) {
    const resolved = resolveUrl(one, environment);
    if ('problem' in resolved) continue;
    const { origin } = new URL(resolved.url);
    const variables = origins.get(origin) ?? new Set();
    for (const name of environmentVariablesOf(one)) variables.add(name);
    origins.set(origin, variables);
  }
  return origins;
}

function environmentVariablesOf({ url, url_from_env, headers = [] }: Called): readonly string[] {
  return [
    ...namedVariables(url, url_from_env),
    ...headers.flatMap(({ value, value_from_env }) => namedVariables(value, value_from_env)),
  ];
}

/** Returns the part of the environment with these variables. */
export function environmentOf(names: Iterable<string>, environment: Environment): Environment {
  return Object.fromEntries([...names].map((name) => [name, environment[name]]));
}
