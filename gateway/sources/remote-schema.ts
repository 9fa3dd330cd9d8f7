import { buildSchema, type GraphQLSchema, isScalarType, printSchema } from 'graphql';
import { resolveAssertion } from '../assertions/index.ts';
import { isSupergraph, type RemoteSchemaMetadata, resolveHeaders, resolveUrl } from '../metadata/index.ts';
import { Availability } from './availability.ts';
import { ownHeaderNames } from './call.ts';
import { clientHeaderForwarding } from './client-headers.ts';
import { customize, hasUsualRoots } from './customization.ts';
import { withCustomization } from './customized-executor.ts';
import { customizedOperations, type SourceOperations } from './customized-operation.ts';
import { eventsTarget } from './events-target.ts';
import type { Subgraph } from './federation-group.ts';
import { askForServiceSdl, askForStitchingSdl, introspect, RefusedQuestion } from './introspect.ts';
import { openGuard } from './open-guard.ts';
import { withPresets } from './preset-executor.ts';
import { prepareEvents } from './remote-events.ts';
import { remoteExecutor } from './remote-executor.ts';
import { prepareForward } from './remote-operation.ts';
import { prepareParts } from './remote-parts.ts';
import { type RemoteTarget, remoteTarget } from './remote-request.ts';
import { mayAnswerMore, partsByRole, permittedParts } from './role-permission.ts';
import { schemaProblems } from './schema-problems.ts';
import {
  ADMIN_ROLE,
  type Source,
  SourceError,
  SourceRefuses,
  SourceUnreachable,
  type Subschema,
  type Surroundings,
} from './source.ts';
import { stitchingSource } from './stitching-source.ts';
import { type Composition, fingerprintOf, type StoredSchema, withoutAddresses } from './stored-schema.ts';
import { openSupergraph, supergraphRemote } from './supergraph-source.ts';

/** A remote schema that is described, and not yet asked for its types. */
export interface RemoteSchema {
  readonly name: string;
  /**
   * Asks the remote for its types.
   *
   * @throws SourceError when it does not answer, or its types do not fit the permissions.
   */
  open(): Promise<OpenedRemote>;
  /**
   * Opens it by its stored schema, without asking it: its operations are refused until `open` has succeeded.
   *
   * @returns undefined when there is no stored schema that can be used.
   */
  openStored(): Promise<OpenedRemote | undefined>;
  /** Stores the schema that it was opened with. */
  store(opened: OpenedRemote): Promise<void>;
}

/** What a remote schema turns out to be: a source of its own, or a subgraph that is to be composed with the others. */
export type OpenedRemote = (
  | { readonly kind: 'source'; readonly source: Source }
  | { readonly kind: 'subgraph'; readonly subgraph: Subgraph }
) & { readonly availability: Availability };

/**
 * Prepares a remote schema.
 *
 * @throws SourceError when its metadata does not fit the environment.
 */
export function remoteSchema(metadata: RemoteSchemaMetadata, surroundings: Surroundings): RemoteSchema {
  const { name } = metadata;
  const { schemas, log } = surroundings;
  const availability = new Availability();
  const { ask, openWith } = isSupergraph(metadata)
    ? supergraphWays(metadata, surroundings, availability)
    : serviceWays(metadata, surroundings, availability);
  // What the metadata brings itself need not be stored.
  const isAsked = metadata.schemaSdl === undefined && metadata.supergraphSdl === undefined;
  const fingerprint = fingerprintOf(metadata);
  return {
    name,
    open: async () => {
      const opened = await ask();
      availability.isAvailable = true;
      return opened;
    },
    openStored: async () => {
      const stored = isAsked ? await schemas?.read(name, fingerprint) : undefined;
      if (!stored) return undefined;
      try {
        return await openWith(stored);
      } catch (error) {
        log?.warn({ source: name, reason: (error as Error).message }, 'the stored schema of a source is ignored');
        return undefined;
      }
    },
    store: async (opened) => {
      const sdl = sdlOf(name, opened);
      if (!isAsked || sdl === undefined) return;
      const composition = compositionOf(opened);
      const stored = isSupergraph(metadata) ? withoutAddresses(sdl) : sdl;
      await schemas?.write(name, { composition, sdl: stored, fingerprint });
    },
  };
}

function sdlOf(name: string, opened: OpenedRemote): string | undefined {
  return opened.kind === 'subgraph' ? opened.subgraph.sdl : opened.source.sdl?.get(name);
}

function compositionOf(opened: OpenedRemote): Composition {
  return opened.kind === 'subgraph' ? 'federation' : recordedComposition(opened.source);
}

/** What a source turned out to be, for those who record its schema. */
export function recordedComposition({ kind, mergedTypes }: Source): Composition {
  if (kind === 'federation') return 'federation';
  return mergedTypes ? 'stitching' : 'plain';
}

/** How a remote schema is opened. */
interface Ways {
  /** Asks it for its types. */
  ask(): Promise<OpenedRemote>;
  /** @throws SourceError when the stored schema is none, or does not fit the permissions. */
  openWith(stored: StoredSchema): Promise<OpenedRemote>;
}

function supergraphWays(metadata: RemoteSchemaMetadata, surroundings: Surroundings, availability: Availability): Ways {
  const remote = supergraphRemote(metadata, surroundings, availability);
  const open = async (one: typeof remote): Promise<OpenedRemote> => ({
    kind: 'source',
    source: await openSupergraph(one),
    availability,
  });
  return {
    ask: () => open(remote),
    openWith: async ({ sdl }) => open({ ...remote, origin: { sdl: withoutAddresses(sdl) } }),
  };
}

function serviceWays(metadata: RemoteSchemaMetadata, surroundings: Surroundings, availability: Availability): Ways {
  const { definition, schemaSdl } = metadata;
  const { publicRole } = surroundings;
  const target = targetOf(metadata, surroundings, availability);
  const asSource = (source: Source): OpenedRemote => ({ kind: 'source', source, availability });
  const plain = (schema: GraphQLSchema) => asSource(openPlain(metadata, usable(schema), target, publicRole));
  const stitched = (sdl: string) => asSource(stitchingSource(metadata, sdl, target, publicRole));
  const subgraph = (sdl: string): OpenedRemote => ({
    kind: 'subgraph',
    subgraph: { name: metadata.name, sdl, target, metadata, availability },
    availability,
  });
  const askPlain = async () =>
    plain(schemaSdl === undefined ? await answered(introspect(target)) : described(schemaSdl));
  const askStitched = async () => stitched(schemaSdl ?? (await answered(askForStitchingSdl(target))));
  const askSubgraph = async () => subgraph(schemaSdl ?? (await answered(askForServiceSdl(target))));
  const ask = {
    plain: askPlain,
    stitching: askStitched,
    federation: askSubgraph,
    auto: () => firstThatFits(askSubgraph, askStitched, askPlain),
  }[definition.composition];
  return {
    ask,
    openWith: async ({ sdl, composition }) => {
      const kind = definition.composition === 'auto' ? composition : definition.composition;
      if (kind === 'plain') return plain(described(sdl));
      return kind === 'stitching' ? stitched(sdl) : subgraph(sdl);
    },
  };
}

/** Tries the ways to open a remote schema, the next one where the service has nothing to say to one. */
async function firstThatFits(...ways: readonly (() => Promise<OpenedRemote>)[]): Promise<OpenedRemote> {
  const [way, ...others] = ways;
  if (!way) throw new TypeError('no way to open a remote schema');
  try {
    return await way();
  } catch (error) {
    if (error instanceof SourceRefuses && others.length > 0) return firstThatFits(...others);
    throw error;
  }
}

function openPlain(
  metadata: RemoteSchemaMetadata,
  upstream: GraphQLSchema,
  target: RemoteTarget,
  publicRole: string,
): Source {
  const executor = remoteExecutor(target);
  const takesFiles = isScalarType(upstream.getType('Upload'));
  // A source that is always asked for the same media type is not asked for parts.
  const directives = upstream
    .getDirectives()
    .filter(({ name }) => (name === 'defer' || name === 'stream') && !('accept' in target.headers));
  const asTheyAre: SourceOperations = {
    prepare: (operation) => prepareForward(target, operation, takesFiles),
    prepareSubscription: (operation) => prepareEvents(target, operation),
    parts: { directives, prepare: (operation) => prepareParts(target, operation) },
  };
  const customization = metadata.definition.customization ?? undefined;
  const subschema = (part: GraphQLSchema, run = executor): Subschema => {
    const customized = customize(part, upstream, customization);
    const isAsAsked = run === executor && hasUsualRoots(customized.schema) && !mayAnswerMore(part, upstream);
    const { parts: delivery, ...whole } =
      customization || customized.types.size > 0
        ? customizedOperations({ target, takesFiles, directives }, customized)
        : asTheyAre;
    return {
      schema: customized.schema,
      executor: withCustomization(run, customized),
      batch: true,
      customized,
      ...(isAsAsked && whole),
      ...(isAsAsked && !customization && { parts: delivery }),
    };
  };

  const whole = customizedWhole(() => subschema(upstream));
  const parts = partsByRole(permittedParts(metadata, upstream), ({ schema, withPresets: full, presets }) =>
    subschema(schema, withPresets(executor, presets, full, metadata.name)),
  );
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema: whole.schema,
    upstream,
    guards: [target.http],
    sdl: new Map([[metadata.name, printSchema(upstream)]]),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      if (metadata.permissions) return parts.get(role);
      return role === publicRole ? undefined : whole;
    },
  };
}

/** What the graph is given of a remote schema has to be a schema: one that is not would take the others down with it. */
function customizedWhole(open: () => Subschema): Subschema {
  const path = ['definition', 'customization'];
  let subschema: Subschema;
  try {
    subschema = open();
  } catch (error) {
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
  const problems = schemaProblems(subschema.schema);
  if (problems.length > 0) throw new SourceError(problems.map((message) => ({ message, path })));
  return subschema;
}

/** @throws SourceError when a schema cannot be a part of the graph. */
function usable(schema: GraphQLSchema): GraphQLSchema {
  const problems = schemaProblems(schema).map((problem) => `its schema is not valid: ${problem}`);
  if (!schema.getQueryType() && !schema.getMutationType()) problems.push('its schema has no root types');
  if (problems.length > 0) throw new SourceError(problems);
  return schema;
}

/** A service that does not say what it is may do so later. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: Error) => {
    throw error instanceof RefusedQuestion ? new SourceRefuses(error.message) : new SourceUnreachable(error.message);
  });
}

function described(sdl: string): GraphQLSchema {
  try {
    return buildSchema(sdl);
  } catch (error) {
    const path = ['definition', 'schema_file'];
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
}

function targetOf(
  metadata: RemoteSchemaMetadata,
  surroundings: Surroundings,
  availability: Availability,
): RemoteTarget {
  const { environment, http } = surroundings;
  const { definition } = metadata;
  const url = resolveUrl(definition, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) throw new SourceError([url.problem]);
  if ('problem' in headers) throw new SourceError([headers.problem]);
  const resolved = resolveAssertion(definition.service_assertion, metadata.name, surroundings.assertions);
  if ('problem' in resolved) throw new SourceError([resolved.problem]);
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
    http: openGuard(metadata.name, 'remote-schema', definition.resilience, surroundings, availability),
    connections: http,
    events,
  });
}
