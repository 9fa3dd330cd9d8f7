import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parse } from 'yaml';
import { suggestion } from '../../platform/index.ts';
import type { MetadataFiles, MetadataLocation, ValuePath } from './yaml/index.ts';

/** Unsupported metadata, which is reported and ignored. */
export interface IgnoredMetadata extends MetadataLocation {
  readonly what: string;
}

/** Files and folders of Hasura's layout, and keys of its single-file export, without a counterpart in Portico. */
const DATABASES = 'databases, tables, event triggers';
const NO_DATABASE = 'Portico does not connect to databases; the services own the data';
const NETWORK =
  'TLS settings: certificates of services are always verified; use NODE_EXTRA_CA_CERTS to add authorities';
const METRICS = 'metrics settings: metrics are served on PORTICO_METRICS_PORT';
const CONNECTORS = `data connectors: ${NO_DATABASE}`;
const DATABASE_TABLES = `${DATABASES}: ${NO_DATABASE}`;
const DATABASE_FUNCTIONS = `functions of databases: ${NO_DATABASE}`;

const UNSUPPORTED_FILES: Readonly<Record<string, string>> = {
  databases: DATABASE_TABLES,
  sources: DATABASE_TABLES,
  'tables.yaml': DATABASE_TABLES,
  tables: DATABASE_TABLES,
  'functions.yaml': DATABASE_FUNCTIONS,
  functions: DATABASE_FUNCTIONS,
  'network.yaml': NETWORK,
  network: NETWORK,
  'metrics_config.yaml': METRICS,
  metrics_config: METRICS,
  'backend_configs.yaml': CONNECTORS,
  backend_configs: CONNECTORS,
};

/** Returns whether the ignored metadata includes databases, which saved operations may use. */
export function hasDatabases(ignored: readonly IgnoredMetadata[]): boolean {
  return ignored.some(({ what }) => what === DATABASE_TABLES);
}

/** Reports repeated items of a file only once, at the first location. */
export function foldIgnored(ignored: readonly IgnoredMetadata[]): readonly IgnoredMetadata[] {
  const alike = new Map<string, IgnoredMetadata[]>();
  for (const item of ignored) {
    const key = `${item.file} ${item.what}`;
    alike.set(key, [...(alike.get(key) ?? []), item]);
  }
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    return others.length === 0
      ? [first]
      : [{ ...first, what: `${first.what} (and ${others.length} more in this file)` }];
  });
}

/** The file that shows whether a folder of Hasura's is empty. */
const INDEX_OF_FOLDER: Readonly<Record<string, string>> = { databases: join('databases', 'databases.yaml') };

function unsupportedEntry(name: string, known: readonly string[]): string {
  const whole = Object.hasOwn(UNSUPPORTED_FILES, name) ? UNSUPPORTED_FILES[name] : undefined;
  if (whole !== undefined) return whole;
  return `not known to Portico${suggestion(name, known)}`;
}

/**
 * Returns the files of a metadata directory that were not read. Empty files, which Hasura writes, and names that begin with a
 * dot are left out.
 *
 * @param known the names of files that are read if they exist.
 */
export function ignoredFiles({ directory, read }: MetadataFiles, known: readonly string[]): readonly IgnoredMetadata[] {
  return readdirSync(directory)
    .filter((entry) => !entry.startsWith('.') && !read.has(entry))
    .sort()
    .flatMap((entry): readonly IgnoredMetadata[] => {
      const isFolderInUse = [...read].some((file) => file.startsWith(entry + sep));
      if (isFolderInUse) return unreadWithin(directory, entry, read);
      if (
        Object.hasOwn(UNSUPPORTED_FILES, entry) &&
        saysNothing(fileContent(directory, INDEX_OF_FOLDER[entry] ?? entry))
      )
        return [];
      return [{ file: entry, what: unsupportedEntry(entry, known) }];
    });
}

function unreadWithin(directory: string, folder: string, read: ReadonlySet<string>): readonly IgnoredMetadata[] {
  return readdirSync(join(directory, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => !read.has(file) && statSync(join(directory, file), { throwIfNoEntry: false })?.isFile())
    .sort()
    .map((file) => ({ file, what: 'not referenced by any other file' }));
}

function fileContent(directory: string, file: string): unknown {
  try {
    return parse(readFileSync(join(directory, file), 'utf8'));
  } catch {
    return 'something that cannot be read';
  }
}

/** Returns the keys of a single-file export that are not in `known`. Empty values are left out. */
export function ignoredKeys(
  content: Readonly<Record<string, unknown>>,
  known: readonly string[],
  place: (key: string) => MetadataLocation,
): readonly IgnoredMetadata[] {
  return Object.keys(content)
    .filter((key) => !known.includes(key) && !saysNothing(content[key]))
    .map((key) => ({ ...place(key), what: unsupportedEntry(key, known) }));
}

/** Returns whether a value contains only empty lists and mappings. */
function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.values(value).every(saysNothing);
}

/** List items that Hasura supports and Portico does not. `*` matches any position in a list. */
const UNSUPPORTED_ITEMS: readonly {
  kind: string;
  path: readonly string[];
  what: string;
  isMeant(item: object): boolean;
}[] = [
  {
    kind: 'cronTriggers',
    path: ['*', 'response_transform'],
    what: 'a response transform of a cron trigger: the response of its webhook is not read',
    isMeant: () => true,
  },
  {
    kind: 'remoteSchemas',
    path: ['*', 'remote_relationships', '*', 'relationships', '*'],
    what: `a relationship to a database: ${NO_DATABASE}`,
    isMeant: (item) => 'to_source' in ((item as { definition?: object | null }).definition ?? {}),
  },
  {
    kind: 'actions',
    path: ['custom_types', 'objects', '*', 'relationships', '*'],
    what: `a relationship to a database: ${NO_DATABASE}`,
    isMeant: (item) => 'remote_table' in item || 'field_mapping' in item,
  },
];

/**
 * Removes unsupported items from a kind's value.
 *
 * @returns the value with null instead of the items, so that later items keep their positions and paths.
 */
export function withoutUnsupported(
  kind: string,
  value: unknown,
): { value: unknown; taken: readonly { path: ValuePath; what: string }[] } {
  const taken: { path: ValuePath; what: string }[] = [];
  let rest = value;
  for (const { kind: ofKind, path: pattern, what, isMeant } of UNSUPPORTED_ITEMS)
    if (ofKind === kind)
      rest = replacedAt(rest, pattern, [], (item, path) => {
        if (typeof item !== 'object' || item === null || !isMeant(item)) return item;
        taken.push({ path, what });
        return null;
      });
  return { value: rest, taken };
}

function replacedAt(
  value: unknown,
  [key, ...others]: readonly string[],
  at: ValuePath,
  replace: (item: unknown, path: ValuePath) => unknown,
): unknown {
  if (key === undefined) return replace(value, at);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return key === '*' ? value.map((item, index) => replacedAt(item, others, [...at, index], replace)) : value;
  if (!Object.hasOwn(value, key)) return value;
  const inner = (value as Readonly<Record<string, unknown>>)[key];
  return { ...value, [key]: replacedAt(inner, others, [...at, key], replace) };
}
