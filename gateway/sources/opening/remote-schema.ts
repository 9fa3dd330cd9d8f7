import { createHash } from 'node:crypto';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { resolveAssertion } from '../../access/assertions/index.ts';
import { isSupergraph, type RemoteSchemaMetadata, resolveHeaders, resolveUrl } from '../../metadata/index.ts';
import { Availability } from '../../upstream/index.ts';
import { clientHeaderForwarding } from '../client-headers.ts';
import { openSupergraph, supergraphRemote } from '../federation/index.ts';
import { openResilientClient } from '../open-client.ts';
import { ownHeaderNames } from '../operation-context.ts';
import { eventsTarget, type RemoteTarget, remoteTarget } from '../remote-schema/index.ts';
import {
  DEFAULT_SCHEMA_LIMITS,
  type Source,
  type SourceDependencies,
  SourceError,
  SourceUnreachable,
  SourceUnsupported,
} from '../source.ts';
import { stitchingSource } from '../stitching/index.ts';
import { definitionFingerprint, type StoredSchema, withoutAddresses } from '../stored-schema.ts';
import { type Introspected, Introspection } from './introspect.ts';
import { compositionOf, isAlike, type OpenedRemote, openedSdl } from './opened-remote.ts';
import { openPlainSource, usableSchema } from './plain-source.ts';
import { UnsupportedQueryError } from './schema-answer.ts';
import { fetchServiceSdl, fetchStitchingSdl } from './schema-queries.ts';

/** A remote schema that the metadata describes, before its introspection. */
export interface RemoteSchema {
  readonly name: string;
  /**
   * Introspects the remote schema.
   *
   * @param inUse returned if the schema is unchanged, so that only one copy stays in memory.
   * @throws SourceError if the service does not respond or its schema does not fit the permissions.
   */
  open(inUse?: OpenedRemote): Promise<OpenedRemote>;
  /**
   * Opens the remote schema with its stored SDL, without a request. Its operations are refused until `open` succeeds.
   *
   * @returns undefined if no schema is stored.
   * @throws SourceError if the stored schema cannot be used, for example because it does not fit the permissions.
   */
  openStored(): Promise<OpenedRemote | undefined>;
  /** Stores the SDL of an opened remote schema. */
  store(opened: OpenedRemote): Promise<void>;
}

/**
 * Creates a remote schema from its metadata.
 *
 * @throws SourceError if the metadata does not fit the environment.
 */
export function remoteSchema(metadata: RemoteSchemaMetadata, surroundings: SourceDependencies): RemoteSchema {
  const { name } = metadata;
  const { schemas } = surroundings;
  const availability = new Availability();
  const { ask, openWith } = isSupergraph(metadata)
    ? supergraphWays(metadata, surroundings, availability)
    : serviceWays(metadata, surroundings, availability);
  // A schema from a file of the metadata need not be stored.
  const isAsked = metadata.schemaSdl === undefined && metadata.supergraphSdl === undefined;
  const fingerprint = definitionFingerprint(metadata);
  return {
    name,
    open: async (inUse) => {
      const opened = await ask((one) => (inUse && isAlike(inUse, one) ? inUse : one));
      // The version in use may belong to a remote schema of previous metadata, which has its own availability.
      opened.availability.isAvailable = true;
      return opened;
    },
    openStored: async () => {
      const stored = isAsked ? await schemas?.read(name, fingerprint) : undefined;
      if (!stored) return undefined;
      try {
        return await openWith(stored);
      } catch (error) {
        throw error instanceof SourceError ? error : new SourceError([(error as Error).message]);
      }
    },
    store: async (opened) => {
      const sdl = openedSdl(name, opened);
      if (!isAsked || sdl === undefined) return;
      const composition = compositionOf(opened);
      const stored = isSupergraph(metadata) ? withoutAddresses(sdl) : sdl;
      await schemas?.write(name, { composition, sdl: stored, fingerprint });
    },
  };
}

/** Replaces an opened version with the version in use if the two are identical. */
type Kept = (opened: OpenedRemote) => OpenedRemote;

/** The ways to open a remote schema. */
interface Ways {
  /** Introspects the remote schema. */
  ask(kept: Kept): Promise<OpenedRemote>;
  /** @throws SourceError if the stored SDL is invalid or does not fit the permissions. */
  openWith(stored: StoredSchema): Promise<OpenedRemote>;
}

function supergraphWays(
  metadata: RemoteSchemaMetadata,
  surroundings: SourceDependencies,
  availability: Availability,
): Ways {
  const remote = supergraphRemote(metadata, surroundings, availability);
  const open = async (one: typeof remote): Promise<OpenedRemote> => ({
    kind: 'source',
    source: await openSupergraph(one),
    availability,
  });
  return {
    ask: async (kept) => kept(await open(remote)),
    openWith: async ({ sdl }) => open({ ...remote, origin: { sdl: withoutAddresses(sdl) } }),
  };
}

function serviceWays(
  metadata: RemoteSchemaMetadata,
  surroundings: SourceDependencies,
  availability: Availability,
): Ways {
  const { definition, schemaSdl } = metadata;
  const { publicRole, schemaLimits = DEFAULT_SCHEMA_LIMITS } = surroundings;
  const target = targetOf(metadata, surroundings, availability);
  const asSource = (source: Source): OpenedRemote => ({ kind: 'source', source, availability });
  const introspection = new Introspection(target, schemaLimits);
  const plain = ({ schema, hidesInputs, sdl }: Introspected) =>
    asSource({ ...openPlainSource(metadata, usableSchema(schema), target, publicRole, sdl), hidesInputs });
  const stitched = (sdl: string) => asSource(stitchingSource(metadata, sdl, target, publicRole));
  const subgraph = (sdl: string): OpenedRemote => ({
    kind: 'subgraph',
    subgraph: { name: metadata.name, sdl, target, metadata, availability },
    availability,
  });
  const last = new LastAnswer<OpenedRemote>();
  const askPlain = async (kept: Kept) =>
    schemaSdl === undefined
      ? last.open((isKnown) => orUnanswered(introspection.ask(isKnown)), plain, kept)
      : kept(plain({ schema: buildRemoteSchema(schemaSdl), hidesInputs: false }));
  const askStitched = async (kept: Kept) =>
    schemaSdl === undefined
      ? last.open((isKnown) => orUnanswered(fetchStitchingSdl(target, schemaLimits, isKnown)), stitched, kept)
      : kept(stitched(schemaSdl));
  const askSubgraph = async (kept: Kept) =>
    schemaSdl === undefined
      ? last.open((isKnown) => orUnanswered(fetchServiceSdl(target, schemaLimits, isKnown)), subgraph, kept)
      : kept(subgraph(schemaSdl));
  const ask = {
    plain: askPlain,
    stitching: askStitched,
    federation: askSubgraph,
    auto: (kept: Kept) => firstThatFits(kept, askSubgraph, askStitched, askPlain),
  }[definition.composition];
  return {
    ask,
    openWith: async ({ sdl, composition }) => {
      const kind = definition.composition === 'auto' ? composition : definition.composition;
      // The stored SDL may come from an earlier introspection that used fewer options.
      if (kind === 'plain') return plain({ schema: buildRemoteSchema(sdl), hidesInputs: true });
      return kind === 'stitching' ? stitched(sdl) : subgraph(sdl);
    },
  };
}

/** Tries the ways to open a remote schema one after another, until the service supports one. */
async function firstThatFits(kept: Kept, ...ways: readonly Ways['ask'][]): Promise<OpenedRemote> {
  const [way, ...others] = ways;
  if (!way) throw new TypeError('no way to open a remote schema');
  try {
    return await way(kept);
  } catch (error) {
    if (error instanceof SourceUnsupported && others.length > 0) return firstThatFits(kept, ...others);
    throw error;
  }
}

/** Reports an unsupported query or a failed request as an error that can be retried later. */
function orUnanswered<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: Error) => {
    if (error instanceof SourceError) throw error;
    throw error instanceof UnsupportedQueryError
      ? new SourceUnsupported(error.message)
      : new SourceUnreachable(error.message);
  });
}

function buildRemoteSchema(sdl: string): GraphQLSchema {
  try {
    // Locations take three times the memory of the schema itself.
    return buildSchema(sdl, { noLocation: true });
  } catch (error) {
    const path = ['definition', 'schema_file'];
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
}

function targetOf(
  metadata: RemoteSchemaMetadata,
  surroundings: SourceDependencies,
  availability: Availability,
): RemoteTarget {
  const { environment, http, assertions, operatorSource } = surroundings;
  const { definition } = metadata;
  const url = resolveUrl(definition, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url || 'problem' in headers)
    throw new SourceError([
      ...('problem' in url ? [{ message: url.problem, path: ['definition', ...url.path] }] : []),
      ...('problem' in headers ? [{ message: headers.problem, path: ['definition', 'headers', ...headers.path] }] : []),
    ]);
  const resolved = resolveAssertion(definition.service_assertion, metadata.name, assertions);
  if ('problem' in resolved)
    throw new SourceError([{ message: resolved.problem, path: ['definition', 'service_assertion'] }]);
  const events = eventsTarget(definition.subscriptions, url.url, environment);
  return remoteTarget({
    name: metadata.name,
    url: url.url,
    timeoutMs: definition.timeout_seconds * 1000,
    headers: headers.headers,
    forwardHeaders: definition.forward_client_headers
      ? clientHeaderForwarding(undefined, ownHeaderNames(headers.headers))
      : undefined,
    assertion: resolved.assertion,
    operator: metadata.name === operatorSource ? assertions?.operatorFor(metadata.name) : undefined,
    http: openResilientClient(metadata.name, 'remote-schema', definition.resilience, surroundings, {
      availability,
      sharesQueries: !definition.forward_client_headers,
    }),
    connections: http,
    events,
  });
}

/**
 * Remembers the last response that opened a remote schema. Services are introspected repeatedly and mostly return the
 * same bytes, which are not parsed again.
 */
export class LastAnswer<Opened> {
  #last: { readonly digest: string; readonly opened: Opened } | undefined;

  /**
   * @param ask queries the service. Returns undefined if `isKnown` says that the body is known.
   * @param open opens what `ask` read. Its response is only remembered if this succeeds.
   * @param kept returns the identical version in use if there is one, so that only one copy stays in memory.
   * @throws the errors of its parameters
   */
  async open<Read>(
    ask: (isKnown: (body: string) => boolean) => Promise<Read | undefined>,
    open: (read: Read) => Opened,
    kept: (opened: Opened) => Opened,
  ): Promise<Opened> {
    // Another response may arrive while this one is read.
    const last = this.#last;
    let digest = '';
    const read = await ask((body) => {
      digest = createHash('sha256').update(body).digest('base64');
      return digest === last?.digest;
    });
    let opened: Opened;
    if (read !== undefined) opened = kept(open(read));
    else if (last) opened = kept(last.opened);
    else throw new TypeError('an answer that is not known was not read');
    this.#last = { digest, opened };
    return opened;
  }
}
