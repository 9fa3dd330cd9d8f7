import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import { type Logger, StartError } from '../../platform/index.ts';
import { Assembly, type Generation } from '../graph/index.ts';
import {
  loadMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  resolveHeaders,
  resolveUrl,
  together,
} from '../metadata/index.ts';
import { openUpstreamHttp, type UpstreamHttp } from '../sources/index.ts';

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

function assemble(metadata: Metadata, options: OpenGraphOptions, http: UpstreamHttp): Assembly {
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
      if (source.kind === 'remote-schema')
        writeFileSync(recordOf(source.name, directory), `${printSchema(source.upstream)}\n`);
  } catch (error) {
    throw new StartError(`schemas cannot be written to ${directory} (${(error as NodeJS.ErrnoException).code})`);
  }
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
      return { ...remote, schemaSdl: readFileSync(file, 'utf8') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push({ file, message: `the recorded schema of "${remote.name}" cannot be read (${code})` });
      return remote;
    }
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return { ...metadata, remoteSchemas };
}
