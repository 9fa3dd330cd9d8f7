import { readNamedFile } from './named-file.ts';
import type { RemoteSchemaMetadata } from './remote-schemas.ts';
import type { MetadataStore } from './store.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Reads the files that remote schemas name. Unreadable ones are added to the problems. */
export function withFiles(
  remotes: readonly RemoteSchemaMetadata[],
  store: MetadataStore,
  place: (path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): readonly RemoteSchemaMetadata[] {
  const contentOf = (index: number, key: 'schema_file' | 'supergraph_file', file: string): string | undefined =>
    readNamedFile(store, file, place([index, 'definition', key]), problems)?.content;
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
