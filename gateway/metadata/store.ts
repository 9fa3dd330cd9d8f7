import { readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { exportedActions } from './exported-actions.ts';
import { MetadataError, type MetadataProblem } from './problem.ts';
import { type IgnoredMetadata, unsupportedEntry } from './unsupported.ts';
import { readText, readYamlTree, type ValuePath, type YamlTree } from './yaml-tree.ts';

/** The kinds of metadata: the file of each in the directory layout, its key in the single-file export. */
export const KINDS = {
  remoteSchemas: { file: 'remote_schemas.yaml', key: 'remote_schemas' },
  actions: { file: 'actions.yaml', key: 'actions' },
  queryCollections: { file: 'query_collections.yaml', key: 'query_collections' },
  restEndpoints: { file: 'rest_endpoints.yaml', key: 'rest_endpoints' },
  allowList: { file: 'allow_list.yaml', key: 'allowlist' },
  apiLimits: { file: 'api_limits.yaml', key: 'api_limits' },
  introspection: { file: 'graphql_schema_introspection.yaml', key: 'graphql_schema_introspection' },
  services: { file: 'services.yaml', key: 'services' },
} as const;

export type Kind = keyof typeof KINDS;

const VERSION = { file: 'version.yaml', key: 'version' } as const;
const ACTION_TYPES = 'actions.graphql';

/** Metadata as it is stored, before its shape is checked. */
export interface MetadataStore {
  /** The value of a kind, undefined where there is none. */
  section(kind: Kind): YamlTree | undefined;
  readonly version: unknown;
  readonly actionsSdl: string;
  /** The text of another file of the metadata, such as the SDL of a remote schema; undefined when there is none. */
  file(name: string): string | undefined;
  readonly ignored: readonly IgnoredMetadata[];
}

/**
 * Opens a metadata directory in Hasura's v3 layout, or a file in the format of Hasura's metadata export.
 *
 * @throws MetadataError when there is neither.
 */
export function openStore(location: string, problems: MetadataProblem[]): MetadataStore {
  const found = statSync(location, { throwIfNoEntry: false });
  if (found?.isFile()) return openExport(location, problems);
  if (!found?.isDirectory())
    throw new MetadataError([{ file: location, message: 'is no directory or file that can be read' }]);
  return openDirectory(location, problems);
}

function openDirectory(directory: string, problems: MetadataProblem[]): MetadataStore {
  const entries = readdirSync(directory).filter((entry) => !entry.startsWith('.'));
  if (!entries.includes(VERSION.file))
    throw new MetadataError([{ file: VERSION.file, message: `is missing: ${directory} is no metadata directory` }]);
  const version = readYamlTree(directory, VERSION.file, problems)?.value;
  const read = new Set<string>([VERSION.file, ACTION_TYPES, ...Object.values(KINDS).map((kind) => kind.file)]);
  return {
    section: (kind) => readYamlTree(directory, KINDS[kind].file, problems),
    version: (version as { version?: unknown } | undefined)?.version,
    actionsSdl: readText(directory, ACTION_TYPES, problems) ?? '',
    file: (name) => readText(directory, name, problems),
    ignored: entries
      .filter((entry) => !read.has(entry))
      .map((entry) => ({ file: entry, what: unsupportedEntry(entry) })),
  };
}

function openExport(location: string, problems: MetadataProblem[]): MetadataStore {
  const tree = readYamlTree(dirname(location), basename(location), problems);
  if (!tree) throw new MetadataError(problems.length > 0 ? problems : [{ file: location, message: 'is empty' }]);
  const wrapped = (tree.value as { metadata?: unknown }).metadata;
  const root: ValuePath = wrapped === undefined ? [] : ['metadata'];
  const content = (wrapped ?? tree.value) as Record<string, unknown>;
  const actions = exportedActions(content);
  const read = new Set<string>([VERSION.key, 'custom_types', ...Object.values(KINDS).map((kind) => kind.key)]);
  return {
    section: (kind) => {
      const value = kind === 'actions' ? actions.value : content[KINDS[kind].key];
      if (value === undefined) return undefined;
      const at = kind === 'actions' ? root : [...root, KINDS[kind].key];
      return { value, place: (path) => tree.place([...at, ...path]) };
    },
    version: content[VERSION.key],
    actionsSdl: actions.sdl,
    file: (name) => readText(dirname(location), name, problems),
    ignored: Object.keys(content)
      .filter((key) => !read.has(key))
      .map((key) => ({ ...tree.place([...root, key]), what: unsupportedEntry(key) })),
  };
}
