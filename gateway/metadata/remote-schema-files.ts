import type { RemoteSchemaMetadata } from './remote-schemas.ts';
import type { MetadataStore } from './store.ts';
import type { MetadataProblem } from './yaml/index.ts';
import { type MetadataLocation, pathWithin, type ValuePath } from './yaml/index.ts';

/** Reads the files that remote schemas name. Unreadable ones are added to the problems. */
export function withFiles(
  remotes: readonly RemoteSchemaMetadata[],
  store: MetadataStore,
  place: (path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): readonly RemoteSchemaMetadata[] {
  const contentOf = (index: number, key: 'schema_file' | 'supergraph_file', file: string): string | undefined => {
    const path = pathWithin(file);
    const content = path === undefined ? undefined : store.file(path);
    if (content !== undefined) return content;
    const message = path === undefined ? 'is outside of the metadata directory' : 'cannot be read';
    problems.push({ ...place([index, 'definition', key]), message: `"${file}" ${message}` });
    return undefined;
  };
  return remotes.map((remote, index) => {
    const { schema_file, supergraph_file } = remote.definition;
    const schemaSdl = schema_file === undefined ? undefined : contentOf(index, 'schema_file', schema_file);
    const supergraphSdl =
      supergraph_file === undefined ? undefined : contentOf(index, 'supergraph_file', supergraph_file);
    return {
      ...remote,
      ...(schemaSdl !== undefined && { schemaSdl }),
      ...(supergraphSdl !== undefined && { supergraphSdl }),
    };
  });
}
