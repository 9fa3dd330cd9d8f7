import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import type { Logger } from '../../platform/index.ts';
import { Assembly, type Generation } from '../graph/index.ts';
import { loadMetadata, type Metadata, MetadataError, type MetadataProblem } from '../metadata/index.ts';
import { openUpstreamHttp } from '../sources/index.ts';

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
  const metadata = withRecorded(loadMetadata(location), options.recorded);
  const http = openUpstreamHttp();
  try {
    const surroundings = { environment: options.environment, http, publicRole: options.publicRole };
    const assembly = new Assembly(metadata, surroundings, options.log);
    await assembly.open();
    const { generation } = assembly;
    const problems = generation.inconsistencies.map(({ source, reason }) => {
      const index = metadata.remoteSchemas.findIndex((remote) => remote.name === source);
      const place = index < 0 ? metadata.place('actions', []) : metadata.place('remoteSchemas', [index]);
      return { ...place, message: `source "${source}": ${reason}` };
    });
    return { generation, problems };
  } finally {
    await http.close();
  }
}

/** Writes the SDL of every remote schema into a directory, for checks where the services cannot be reached. */
export function recordSchemas(generation: Generation, directory: string): void {
  for (const source of generation.sources)
    if (source.kind === 'remote-schema')
      writeFileSync(join(directory, `${source.name}.graphql`), `${printSchema(source.upstream)}\n`);
}

function withRecorded(metadata: Metadata, directory: string | undefined): Metadata {
  if (directory === undefined) return metadata;
  const problems: MetadataProblem[] = [];
  const remoteSchemas = metadata.remoteSchemas.map((remote) => {
    const file = join(directory, `${remote.name}.graphql`);
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
