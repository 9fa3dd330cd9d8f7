import { resolveAssertion, type ServiceAssertion } from '../../access/assertions/index.ts';
import {
  type RemoteSchemaMetadata,
  type ResilienceMetadata,
  resolveHeaders,
  resolveUrl,
} from '../../metadata/index.ts';
import { readSupergraph, type Supergraph, type SupergraphSubgraph } from '../../planning/composition/index.ts';
import { type Availability, type ResilientClient, UpstreamError } from '../../upstream/index.ts';
import { clientHeaderForwarding } from '../client-headers.ts';
import { openResilientClient } from '../open-client.ts';
import { ownHeaderNames } from '../operation-context.ts';
import { eventsTarget, gatewayAssertion, type RemoteTarget, remoteTarget } from '../remote-schema/index.ts';
import {
  DEFAULT_SCHEMA_LIMITS,
  type Source,
  type SourceDependencies,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
} from '../source.ts';
import { federatedSource } from './federated-source.ts';
import { unknownLabel } from './federation-overrides.ts';
import { federatedPermissions } from './federation-permissions.ts';
import { coordinatesOf } from './schema-coordinates.ts';

/** The timeout for fetching a supergraph. */
const FETCH_MS = 30_000;

/** The origin of a supergraph's SDL. */
export type SupergraphOrigin =
  | { readonly sdl: string }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A remote schema that is a composed supergraph, in place of one service. */
export interface SupergraphRemote {
  readonly metadata: RemoteSchemaMetadata;
  readonly origin: SupergraphOrigin;
  /** The assertion for fetching the supergraph. */
  readonly assertion: ServiceAssertion | undefined;
  /** Headers that are sent to every subgraph. */
  readonly headers: Readonly<Record<string, string>>;
  readonly surroundings: SourceDependencies;
  /** The shared availability of all subgraphs. */
  readonly availability: Availability;
  /** The clients of all subgraphs so far, by name. Reading the supergraph again keeps them. */
  readonly guards: Map<string, ResilientClient>;
}

/** @throws SourceError if the metadata does not fit the environment. */
export function supergraphRemote(
  metadata: RemoteSchemaMetadata,
  surroundings: SourceDependencies,
  availability: Availability,
): SupergraphRemote {
  const { definition, supergraphSdl } = metadata;
  const { environment } = surroundings;
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in headers)
    throw new SourceError([{ message: headers.problem, path: ['definition', 'headers', ...headers.path] }]);
  const problems = Object.entries(definition.subgraphs ?? {}).flatMap(([name, own]) => {
    const isMoved = own.url != null || own.url_from_env != null;
    const path = ['definition', 'subgraphs', name];
    const url = isMoved ? resolveUrl(own, environment) : { url: undefined };
    const ownHeaders = resolveHeaders(own.headers, environment);
    return [
      ...('problem' in url ? [{ message: url.problem, path: [...path, ...url.path] }] : []),
      ...('problem' in ownHeaders
        ? [{ message: ownHeaders.problem, path: [...path, 'headers', ...ownHeaders.path] }]
        : []),
    ];
  });
  if (problems.length > 0) throw new SourceError(problems);
  const resolvedAssertion = resolveAssertion(definition.service_assertion, metadata.name, surroundings.assertions);
  if ('problem' in resolvedAssertion)
    throw new SourceError([{ message: resolvedAssertion.problem, path: ['definition', 'service_assertion'] }]);
  const { assertion } = resolvedAssertion;
  const common = { metadata, assertion, headers: headers.headers, surroundings, availability, guards: new Map() };
  if (supergraphSdl !== undefined) return { ...common, origin: { sdl: supergraphSdl } };
  const url = resolveUrl(
    { url: definition.supergraph_url, url_from_env: definition.supergraph_url_from_env },
    environment,
  );
  const own = resolveHeaders(definition.supergraph_headers, environment);
  if ('problem' in url)
    throw new SourceError([
      { message: url.problem, path: ['definition', ...url.path.map((key) => `supergraph_${String(key)}`)] },
    ]);
  if ('problem' in own)
    throw new SourceError([{ message: own.problem, path: ['definition', 'supergraph_headers', ...own.path] }]);
  return { ...common, origin: { url: url.url, headers: own.headers } };
}

/**
 * Reads a supergraph and opens it as a source.
 *
 * @throws SourceUnreachable if it cannot be fetched.
 * @throws SourceError if it is not a supergraph or the metadata does not fit it.
 */
export async function openSupergraph(remote: SupergraphRemote): Promise<Source> {
  const { metadata, surroundings } = remote;
  const supergraph = await readSupergraphSdl(await fetched(remote));
  const targets = targetsOf(supergraph.subgraphs, remote);
  const permissions = await federatedPermissions(
    [{ name: metadata.name, permissions: metadata.permissions, coordinates: coordinatesOf(supergraph.schema) }],
    supergraph.schema,
    surroundings.publicRole,
  );
  if ('problems' in permissions) throw new SourceError([...permissions.problems.values()].flat());
  const overrides = metadata.definition.override_labels ?? {};
  const labels = new Set(supergraph.labels);
  const unknown = Object.keys(overrides).filter((label) => !labels.has(label));
  if (unknown.length > 0)
    throw new SourceError(
      unknown.map((label) => ({
        message: unknownLabel(labels),
        path: ['definition', 'override_labels', label],
      })),
    );
  return federatedSource({
    name: metadata.name,
    members: [metadata.name],
    supergraph,
    targets,
    permissions,
    customization: metadata.definition.customization,
    overrides,
    publicRole: surroundings.publicRole,
    sdl: new Map([[metadata.name, supergraph.sdl]]),
  });
}

async function fetched({ origin, assertion, surroundings }: SupergraphRemote): Promise<string> {
  if ('sdl' in origin) return origin.sdl;
  const { maxBytes } = surroundings.schemaLimits ?? DEFAULT_SCHEMA_LIMITS;
  const response = await surroundings.http
    .send({
      url: origin.url,
      method: 'GET',
      headers: {
        accept: 'text/plain, application/graphql, */*',
        'user-agent': 'portico',
        ...origin.headers,
        ...gatewayAssertion(assertion),
      },
      timeoutMs: FETCH_MS,
      maxResponseBytes: maxBytes,
    })
    .catch((error: Error) => {
      const isTooLarge = error instanceof UpstreamError && error.reason === 'too-large';
      throw new SourceUnreachable(
        isTooLarge
          ? `the supergraph has more than ${maxBytes} bytes: PORTICO_SCHEMA_MAX_BYTES is the limit`
          : error.message,
      );
    });
  if (response.status !== 200)
    throw new SourceUnreachable(`the supergraph cannot be fetched: status ${response.status}`);
  return response.body;
}

async function readSupergraphSdl(sdl: string): Promise<Supergraph> {
  try {
    return await readSupergraph(sdl);
  } catch (error) {
    throw new SourceError((error as Error).message.split('\n\n').map((message) => `its supergraph: ${message}`));
  }
}

function targetsOf(
  subgraphs: readonly SupergraphSubgraph[],
  { metadata: { definition }, headers, surroundings, availability, guards }: SupergraphRemote,
): ReadonlyMap<string, RemoteTarget> {
  const { environment, http } = surroundings;
  const overrides = definition.subgraphs ?? {};
  const names = subgraphs.map(({ name }) => name);
  const problems: SourceProblem[] = Object.keys(overrides)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      message: `the supergraph has no subgraph "${name}": it has ${names.map((one) => `"${one}"`).join(', ')}`,
      path: ['definition', 'subgraphs', name],
    }));
  const eventsOf = (described: typeof definition.subscriptions, url: string) =>
    eventsTarget(described, url, environment);
  const guardOf = (name: string, own: ResilienceMetadata | undefined): ResilientClient => {
    const guard =
      guards.get(name) ??
      openResilientClient(name, 'remote-schema', own ?? definition.resilience, surroundings, {
        availability,
        sharesQueries: !definition.forward_client_headers,
      });
    guards.set(name, guard);
    return guard;
  };
  const targets = new Map<string, RemoteTarget>();
  for (const { name, url } of subgraphs) {
    const own = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    const isMoved = own?.url != null || own?.url_from_env != null;
    const resolved = isMoved ? resolveUrl(own, environment) : resolveUrl({ url: plainText(url) }, environment);
    const ownHeaders = resolveHeaders(own?.headers ?? [], environment);
    // Even if one setting covers all subgraphs, each gets its own audience. An assertion for one must not be valid at
    // another.
    const described = own?.service_assertion ?? Boolean(definition.service_assertion);
    const assertion = resolveAssertion(described, name, surroundings.assertions);
    const path = own ? ['definition', 'subgraphs', name] : ['definition'];
    if ('problem' in resolved)
      problems.push({
        message: `the subgraph "${name}": ${resolved.problem}`,
        path: isMoved ? [...path, ...resolved.path] : path,
      });
    else if ('problem' in ownHeaders)
      problems.push({
        message: `the subgraph "${name}": ${ownHeaders.problem}`,
        path: [...path, 'headers', ...ownHeaders.path],
      });
    else if ('problem' in assertion) problems.push({ message: `the subgraph "${name}": ${assertion.problem}`, path });
    else
      targets.set(
        name,
        remoteTarget({
          name,
          url: resolved.url,
          timeoutMs: (own?.timeout_seconds ?? definition.timeout_seconds) * 1000,
          headers: { ...headers, ...ownHeaders.headers },
          forwardHeaders: definition.forward_client_headers
            ? clientHeaderForwarding(undefined, ownHeaderNames({ ...headers, ...ownHeaders.headers }))
            : undefined,
          assertion: assertion.assertion,
          http: guardOf(name, own?.resilience),
          connections: http,
          events: eventsOf(own?.subscriptions ?? definition.subscriptions, resolved.url),
        }),
      );
  }
  if (problems.length > 0) throw new SourceError(problems);
  return targets;
}

/** Rejects templates, since the author of the supergraph must not choose which environment variables are read. */
function plainText(url: string): string {
  return url.includes('{{') ? '' : url;
}
