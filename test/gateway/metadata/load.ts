import { loadMetadata, type Metadata, MetadataError, type MetadataProblem } from '../../../gateway/metadata/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

type LoadOptions = Parameters<typeof loadMetadata>[1];
type Files = Readonly<Record<string, unknown>>;

/** The metadata that these files say, beside a `version.yaml`. */
export function load(files: Files, options: LoadOptions = {}): Metadata {
  const directory = metadataDirectory(files);
  try {
    return loadMetadata(directory.path, options);
  } finally {
    directory.close();
  }
}

/** What a file in the format of Hasura's export says. */
export function loadExport(content: unknown, beside: Files = {}): Metadata {
  const directory = metadataDirectory({
    'export.json': typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    ...beside,
  });
  try {
    return loadMetadata(`${directory.path}/export.json`);
  } finally {
    directory.close();
  }
}

/** What is wrong with something that does not load. */
export function problemsOf(attempt: () => unknown): readonly MetadataProblem[] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof MetadataError) return error.problems;
    throw error;
  }
  throw new Error('there is nothing wrong');
}

/** What is wrong with these files. */
export function problemsIn(files: Files, options: LoadOptions = {}): readonly MetadataProblem[] {
  return problemsOf(() => load(files, options));
}

/** A remote schema in its shortest form. */
export function remote(name: string, more: Files = {}) {
  return { name, definition: { url: 'http://127.0.0.1:1/graphql', ...more } };
}

/** A collection of operations by their names. */
export function collection(name: string, queries: Readonly<Record<string, string>>) {
  const list = Object.entries(queries).map(([query_name, query]) => ({ name: query_name, query }));
  return { name, definition: { queries: list } };
}

/** A REST endpoint for an operation of the collection `saved`. */
export function restEndpoint(query: string, url: string, methods: readonly string[] = ['GET']) {
  return {
    name: url,
    url,
    methods,
    definition: { query: { collection_name: 'saved', query_name: query } },
  };
}
