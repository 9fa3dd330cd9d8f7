import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { exportedActions } from './actions/index.ts';
import { type IgnoredMetadata, ignoredFiles, ignoredKeys } from './unsupported.ts';
import {
  MetadataError,
  type MetadataFiles,
  type MetadataLocation,
  type MetadataProblem,
  readMetadataText,
  readYamlTree,
  type ValuePath,
  type YamlTree,
} from './yaml/index.ts';

/** The kinds of metadata: their files in the directory layout, and their keys in the single-file export. */
export const METADATA_KINDS = {
  remoteSchemas: { file: 'remote_schemas.yaml', key: 'remote_schemas' },
  actions: { file: 'actions.yaml', key: 'actions' },
  queryCollections: { file: 'query_collections.yaml', key: 'query_collections' },
  restEndpoints: { file: 'rest_endpoints.yaml', key: 'rest_endpoints' },
  allowList: { file: 'allow_list.yaml', key: 'allowlist' },
  apiLimits: { file: 'api_limits.yaml', key: 'api_limits' },
  introspection: { file: 'graphql_schema_introspection.yaml', key: 'graphql_schema_introspection' },
  inheritedRoles: { file: 'inherited_roles.yaml', key: 'inherited_roles' },
  services: { file: 'services.yaml', key: 'services' },
  openTelemetry: { file: 'opentelemetry.yaml', key: 'opentelemetry' },
  cronTriggers: { file: 'cron_triggers.yaml', key: 'cron_triggers' },
  deliveries: { file: 'deliveries.yaml', key: 'deliveries' },
  persistedDocuments: { file: 'persisted_documents.yaml', key: 'persisted_documents' },
} as const;

export type Kind = keyof typeof METADATA_KINDS;

const VERSION_FILE = { file: 'version.yaml', key: 'version' } as const;
const ACTION_TYPES = 'actions.graphql';
const KNOWN_FILES = [VERSION_FILE.file, ACTION_TYPES, ...Object.values(METADATA_KINDS).map((kind) => kind.file)];
const KNOWN_KEYS = [VERSION_FILE.key, 'custom_types', ...Object.values(METADATA_KINDS).map((kind) => kind.key)];

/** Metadata as it is stored, before its shape is checked. */
export interface MetadataStore {
  /** Returns the value of a kind, or undefined if there is none. */
  section(kind: Kind): YamlTree | undefined;
  /** Returns whether a kind that has been read has an empty file, which does not even contain an empty list or mapping. */
  isEmpty(kind: Kind): boolean;
  readonly version: { readonly value: unknown; readonly place: MetadataLocation };
  readonly actionsSdl: string;
  /** The name of the file with the types of actions. Undefined if they were created from an export. */
  readonly actionsSdlFile: string | undefined;
  /** Returns the text of another file of the metadata, such as a remote schema's SDL, or undefined if there is none. */
  file(name: string): string | undefined;
  /** The names of the files read so far, relative to the metadata directory. */
  readonly files: ReadonlySet<string>;
  /** Returns the files that were not read. Call it after all kinds have been read. */
  ignored(): readonly IgnoredMetadata[];
}

/**
 * Opens a metadata directory in Hasura's v3 layout, or a file in the format of Hasura's metadata export.
 *
 * @throws MetadataError if there is neither.
 */
export function openStore(location: string, problems: MetadataProblem[]): MetadataStore {
  const found = readable(location, () => statSync(location));
  if (found.isFile()) return openExport(location, problems);
  if (!found.isDirectory()) throw new MetadataError([{ file: location, message: 'is neither a directory nor a file' }]);
  return openDirectory(location, problems);
}

/** Reads from the metadata's location. @throws MetadataError if that fails. */
function readable<Result>(location: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const state = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new MetadataError([{ file: location, message: state }]);
  }
}

function openDirectory(directory: string, problems: MetadataProblem[]): MetadataStore {
  if (!readable(directory, () => readdirSync(directory)).includes(VERSION_FILE.file))
    throw new MetadataError([
      {
        file: VERSION_FILE.file,
        message: `is missing: ${directory} is not a metadata directory${meantDirectory(directory)}`,
      },
    ]);
  const files: MetadataFiles = { directory, read: new Set(), problems };
  const version = readYamlTree(files, VERSION_FILE.file);
  const empty = new Set<Kind>();
  return {
    section: (kind) => {
      const { file } = METADATA_KINDS[kind];
      const before = problems.length;
      const tree = readYamlTree(files, file);
      if (!tree && problems.length === before && files.read.has(file)) empty.add(kind);
      return tree;
    },
    isEmpty: (kind) => empty.has(kind),
    version: {
      value: (version?.value as { version?: unknown } | undefined)?.version,
      place: version?.place([VERSION_FILE.key]) ?? { file: VERSION_FILE.file },
    },
    actionsSdl: readMetadataText(files, ACTION_TYPES) ?? '',
    actionsSdlFile: ACTION_TYPES,
    file: (name) => readMetadataText(files, name),
    files: files.read,
    ignored: () => ignoredFiles(files, KNOWN_FILES),
  };
}

/** Returns the metadata directory of a project of Hasura's CLI, which is a subdirectory. */
function meantDirectory(directory: string): string {
  const inner = join(directory, 'metadata');
  return existsSync(join(inner, VERSION_FILE.file)) ? `; did you mean ${inner}?` : '; "portico init" creates one';
}

function openExport(location: string, problems: MetadataProblem[]): MetadataStore {
  const files: MetadataFiles = { directory: dirname(location), read: new Set(), problems };
  const tree = readYamlTree(files, basename(location));
  if (!tree) throw new MetadataError(problems.length > 0 ? problems : [{ file: location, message: 'is empty' }]);
  const { root, content } = exportedContent(tree.value);
  if (!content) throw new MetadataError([{ ...tree.place(root), message: 'is not metadata: expected a mapping' }]);
  const actions = exportedActions(content);
  if ('issues' in actions)
    problems.push(...actions.issues.map(({ path, message }) => ({ ...tree.place([...root, ...path]), message })));
  return {
    section: (kind) => {
      if (kind === 'actions')
        return 'issues' in actions
          ? undefined
          : { value: actions.value, place: (path, line) => tree.place([...root, ...path], line) };
      const { key } = METADATA_KINDS[kind];
      const value = content[key] ?? undefined;
      return value === undefined
        ? undefined
        : { value, place: (path, line) => tree.place([...root, key, ...path], line) };
    },
    isEmpty: () => false,
    version: { value: content[VERSION_FILE.key], place: tree.place([...root, VERSION_FILE.key]) },
    actionsSdl: 'issues' in actions ? '' : actions.sdl,
    actionsSdlFile: undefined,
    file: (name) => readMetadataText(files, name),
    files: files.read,
    ignored: () => ignoredKeys(content, KNOWN_KEYS, (key) => tree.place([...root, key])),
  };
}

type Content = Readonly<Record<string, unknown>>;

/** Returns the content of an export: `{ resource_version, metadata }`, or in older formats the metadata alone. */
function exportedContent(value: unknown): { root: ValuePath; content: Content | undefined } {
  const isWrapped = isMapping(value) && 'metadata' in value;
  const content = isWrapped ? value.metadata : value;
  return { root: isWrapped ? ['metadata'] : [], content: isMapping(content) ? content : undefined };
}

function isMapping(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
