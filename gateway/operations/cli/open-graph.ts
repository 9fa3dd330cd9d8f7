import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Logger,
  makeDirectorySync,
  readSettings,
  removeEmptyDirectories,
  SettingsError,
  StartError,
  unwritableReason,
  writeFilesTogether,
} from '../../../platform/index.ts';
import {
  type AssertionSettings,
  type Assertions,
  assertionSettings,
  openAssertions,
  openSealer,
  resolveAssertion,
} from '../../access/assertions/index.ts';
import type { GraphSettings } from '../../config.ts';
import { type Generation, SourceRegistry } from '../../graph/index.ts';
import { checkDeliveries } from '../../jobs/deliveries/index.ts';
import { openCronTriggers } from '../../jobs/schedules/index.ts';
import {
  describeProblem,
  isSupergraph,
  loadMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  metricsPushOf,
  namedRoles,
  type RemoteSchemaMetadata,
  resolveHeaders,
  resolveUrl,
  together,
  tracingOf,
  type ValuePath,
} from '../../metadata/index.ts';
import {
  type CompositionKind,
  definitionFingerprint,
  openSchemaStore,
  readSchemaFile,
  recordedComposition,
  type SchemaStore,
  STORED_HEADERS_PURPOSE,
  schemaFileName,
  schemaFileText,
} from '../../sources/index.ts';
import { openUpstreamHttp, type UpstreamConnections } from '../../upstream/index.ts';

export interface OpenGraphOptions extends Partial<GraphSettings> {
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
  /** A directory with the SDL of remote schemas as `<name>.graphql`, used instead of introspecting the services. */
  readonly recorded: string | undefined;
  /** The directory where a gateway stores schemas. Schemas of unavailable services are read from it. Nothing is written. */
  readonly stored?: string | undefined;
  /** Whether to check everything that needs a database for jobs, even without one. */
  readonly checksJobs?: boolean;
  readonly log: Logger;
}

/** A graph that is opened for inspection, not for serving. */
export interface OpenedGraph {
  readonly generation: Generation;
  /** Problems of the sources: unavailable or incompatible services, and conflicts. */
  readonly problems: readonly MetadataProblem[];
}

/**
 * Reads metadata and builds the graph once.
 *
 * @throws MetadataError if the metadata itself is invalid.
 */
export async function openGraph(location: string, options: OpenGraphOptions): Promise<OpenedGraph> {
  const http = openUpstreamHttp();
  try {
    const [registry] = together(
      () => newRegistry(withRecorded(loadMetadata(location, options), options.recorded), options, http),
      () => checkWebhooksOfJobs(location, options, http),
    );
    await registry.open();
    const { generation } = registry;
    // Building a role's graph reveals its problems.
    for (const role of namedRoles(generation.metadata)) generation.graphIfValid(role);
    return { generation, problems: registry.problems };
  } finally {
    await http.close();
  }
}

function newRegistry(metadata: Metadata, options: OpenGraphOptions, http: UpstreamConnections): SourceRegistry {
  const keys = keysOf(options.environment);
  const assertions = keys && openAssertions(keys);
  const headerSealer = keys && openSealer(keys, STORED_HEADERS_PURPOSE);
  const dependencies = { ...options, http, assertions, headerSealer, schemas: storedSchemas(options) };
  const [registry] = together(
    () => new SourceRegistry(metadata, dependencies, options.log),
    () => checkServices(metadata, options.environment, assertions),
    () => checkExporters(metadata, options.environment),
    () => checkWebhooks(metadata, { environment: options.environment, http }),
  );
  return registry;
}

function storedSchemas({ stored, log }: OpenGraphOptions): SchemaStore | undefined {
  return stored === undefined ? undefined : { ...openSchemaStore(stored, log), write: async () => {} };
}

/** The report lists invalid settings separately. */
function keysOf(environment: NodeJS.ProcessEnv): AssertionSettings | undefined {
  try {
    return readSettings(assertionSettings, environment);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/** @throws MetadataError if pass-through services do not fit the environment. */
function checkServices(metadata: Metadata, environment: NodeJS.ProcessEnv, assertions: Assertions | undefined): void {
  const problems = metadata.services.flatMap((service, index) => {
    const problems: MetadataProblem[] = [];
    const report = (message: string, ...path: ValuePath) =>
      problems.push({ ...metadata.place('services', [index, ...path]), message });
    const url = resolveUrl(service, environment);
    const headers = resolveHeaders(service.headers, environment);
    const assertion = resolveAssertion(service.service_assertion, service.name, assertions);
    if ('problem' in url) report(url.problem, ...url.path);
    if ('problem' in headers) report(headers.problem, 'headers', ...headers.path);
    if ('problem' in assertion) report(assertion.problem, 'service_assertion');
    return problems;
  });
  if (problems.length > 0) throw new MetadataError(problems);
}

/** @throws MetadataError if the exporters of traces and metrics do not fit the environment. */
function checkExporters({ openTelemetry, place }: Metadata, environment: NodeJS.ProcessEnv): void {
  const placed = (path: ValuePath) => place('openTelemetry', path);
  // Both exporters have the same headers, so their problems repeat.
  const problems = [tracingOf, metricsPushOf].flatMap((exporterOf) => {
    try {
      exporterOf(openTelemetry, environment, placed);
      return [];
    } catch (error) {
      if (error instanceof MetadataError) return error.problems;
      throw error;
    }
  });
  const byText = new Map(problems.map((problem) => [describeProblem(problem), problem]));
  if (byText.size > 0) throw new MetadataError([...byText.values()]);
}

/** @throws MetadataError if webhooks of schedules and deliveries do not fit the environment. */
function checkWebhooks(
  metadata: Metadata,
  dependencies: { environment: NodeJS.ProcessEnv; http: UpstreamConnections },
) {
  together(
    () => openCronTriggers(metadata, { ...dependencies, webhookSecret: undefined }),
    () => checkDeliveries(metadata, dependencies),
  );
}

/**
 * Checks what would run with a database for jobs if there is none: setting one may be the next step.
 *
 * @throws MetadataError if webhooks of schedules and deliveries do not fit the environment.
 */
function checkWebhooksOfJobs(location: string, options: OpenGraphOptions, http: UpstreamConnections): void {
  if (options.hasJobsDatabase || !options.checksJobs) return;
  let metadata: Metadata;
  try {
    metadata = loadMetadata(location, { ...options, hasJobsDatabase: true });
  } catch (error) {
    // The metadata has the same problems without the database.
    if (error instanceof MetadataError) return;
    throw error;
  }
  checkWebhooks(metadata, { environment: options.environment, http });
}

/**
 * Writes the SDL of every remote schema to a directory, for checks where the services are unreachable.
 *
 * @throws StartError if the SDL cannot be written.
 */
export function recordSchemas(generation: Generation, directory: string): void {
  // The path is resolved first: for `missing/../schemas`, `missing` must not be created.
  const target = resolve(directory);
  let made: readonly string[] = [];
  try {
    made = makeDirectorySync(target);
    const files = new Map<string, string>();
    const { remoteSchemas } = generation.metadata;
    const unavailable = new Set(generation.missing.map(({ source }) => source));
    for (const source of generation.sources)
      for (const [name, sdl] of source.sdl ?? []) {
        if (unavailable.has(name)) continue;
        const described = remoteSchemas.find((remote) => remote.name === name);
        const fingerprint = described && definitionFingerprint(described);
        const text = schemaFileText({ composition: recordedComposition(source), sdl, fingerprint });
        files.set(schemaFileName(name), text);
      }
    writeFilesTogether(target, files);
  } catch (error) {
    removeEmptyDirectories(made);
    throw new StartError(`--record: ${unwritableReason(directory, error)}`);
  }
}

function withRecordedKind(remote: RemoteSchemaMetadata, composition: CompositionKind): RemoteSchemaMetadata {
  if (remote.definition.composition !== 'auto') return remote;
  return { ...remote, definition: { ...remote.definition, composition } };
}

function withRecorded(metadata: Metadata, directory: string | undefined): Metadata {
  if (directory === undefined) return metadata;
  const problems: MetadataProblem[] = [];
  const remoteSchemas = metadata.remoteSchemas.map((remote) => {
    const file = join(directory, schemaFileName(remote.name));
    try {
      const { sdl, composition } = readSchemaFile(readFileSync(file, 'utf8'));
      return isSupergraph(remote)
        ? { ...remote, supergraphSdl: sdl }
        : { ...withRecordedKind(remote, composition), schemaSdl: sdl };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push({ file, message: `the recorded schema of "${remote.name}" cannot be read (${code})` });
      return remote;
    }
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return { ...metadata, remoteSchemas };
}
