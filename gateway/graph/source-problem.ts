import type { Metadata, MetadataProblem } from '../metadata/index.ts';
import type { SourceProblem } from '../sources/index.ts';

/** A problem of a remote schema, placed where the metadata describes it. */
export function sourceProblem(
  metadata: Metadata,
  source: string,
  { message, path = [] }: SourceProblem,
): MetadataProblem {
  const index = metadata.remoteSchemas.findIndex((remote) => remote.name === source);
  return { ...metadata.place('remoteSchemas', [index, ...path]), message: `remote schema "${source}": ${message}` };
}
