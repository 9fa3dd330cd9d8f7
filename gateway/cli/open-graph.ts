import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, StartError } from '../../platform/index.ts';
import { Assembly, type Generation } from '../graph/index.ts';
import {
  isSupergraph,
  loadMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  type RemoteSchemaMetadata,
  resolveHeaders,
  resolveUrl,
  together,
} from '../metadata/index.ts';
import { openUpstreamHttp, type Source, type UpstreamConnections } from '../sources/index.ts';

export interface OpenGraphOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
  /** A directory with the SDL of remote schemas, `<name>.graphql` each, used in place of asking the services. */
  readonly recorded: string | undefined;
  readonly log: Logger;
}

/** A graph that is opened to be looked at, not to be served. */
export interface OpenedGraph {
  readonly generation: Generation;
  /** What is wrong with the sources: services that do not answer or do not fit, and conflicts. */
  readonly problems: readonly MetadataProblem[];
}

/**
 * Reads metadata and puts the graph together once.
 *
 * @throws MetadataError when the metadata itself is not valid.
 */
export async function openGraph(location: string, options: OpenGraphOptions): Promise<OpenedGraph> {
  const http = openUpstreamHttp();
  try {
    const assembly = assemble(withRecorded(loadMetadata(location), options.recorded), options, http);
    await assembly.open();
    return { generation: assembly.generation, problems: assembly.problems };
  } finally {
    await http.close();
  }
}

function assemble(metadata: Metadata, options: OpenGraphOptions, http: UpstreamConnections): Assembly {
  const [assembly] = together(
    () => new Assembly(metadata, { ...options, http }, options.log),
    () => checkServices(metadata, options.environment),
  );
  return assembly;
}

/** @throws MetadataError when services that are passed through do not fit the environment. */
function checkServices(metadata: Metadata, environment: NodeJS.ProcessEnv): void {
  const problems = metadata.services.flatMap((service, index) => {
    const resolved = [resolveUrl(service, environment), resolveHeaders(service.headers, environment)];
    return resolved.flatMap((one) =>
      'problem' in one ? [{ ...metadata.place('services', [index]), message: one.problem }] : [],
    );
  });
  if (problems.length > 0) throw new MetadataError(problems);
}

/**
 * Writes the SDL of every remote schema into a directory, for checks where the services cannot be reached.
 *
 * @throws StartError when it cannot be written.
 */
export function recordSchemas(generation: Generation, directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    for (const source of generation.sources)
      for (const [name, text] of source.sdl ?? [])
        writeFileSync(recordOf(name, directory), `${KIND_LINE}${kindOf(source)}\n${text}\n`);
  } catch (error) {
    throw new StartError(`schemas cannot be written to ${directory} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The first line of a recorded schema: what a service whose kind is asked for turned out to be. */
const KIND_LINE = '# composition: ';

function kindOf({ kind, mergedTypes }: Source): string {
  if (kind === 'federation') return 'federation';
  return mergedTypes ? 'stitching' : 'plain';
}

function withRecordedKind(remote: RemoteSchemaMetadata, sdl: string): RemoteSchemaMetadata {
  if (remote.definition.composition !== 'auto') return remote;
  const line = sdl.startsWith(KIND_LINE) ? sdl.slice(KIND_LINE.length, sdl.indexOf('\n')) : 'plain';
  const composition = line === 'federation' || line === 'stitching' ? line : 'plain';
  return { ...remote, definition: { ...remote.definition, composition } };
}

/** A name may hold anything, a file's name may not. */
function recordOf(source: string, directory: string): string {
  return join(directory, `${encodeURIComponent(source)}.graphql`);
}

function withRecorded(metadata: Metadata, directory: string | undefined): Metadata {
  if (directory === undefined) return metadata;
  const problems: MetadataProblem[] = [];
  const remoteSchemas = metadata.remoteSchemas.map((remote) => {
    const file = recordOf(remote.name, directory);
    try {
      const sdl = readFileSync(file, 'utf8');
      return isSupergraph(remote)
        ? { ...remote, supergraphSdl: sdl }
        : { ...withRecordedKind(remote, sdl), schemaSdl: sdl };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push({ file, message: `the recorded schema of "${remote.name}" cannot be read (${code})` });
      return remote;
    }
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return { ...metadata, remoteSchemas };
}
