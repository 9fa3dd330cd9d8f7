import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { type ActionsMetadata, actionsShape } from './actions.ts';
import { MetadataError, type MetadataProblem } from './problem.ts';
import { type QueryCollectionMetadata, queryCollectionsShape } from './query-collections.ts';
import { ambiguousEndpoints, type RestEndpoint, resolveEndpoints } from './references.ts';
import { type RemoteSchemaMetadata, remoteSchemasShape } from './remote-schemas.ts';
import { restEndpointsShape } from './rest-endpoints.ts';
import { type ServiceMetadata, servicesShape } from './services.ts';
import { readText, readYamlFile } from './yaml-file.ts';

/** What is plugged in: the content of a metadata directory, checked file by file. */
export interface Metadata {
  readonly remoteSchemas: readonly RemoteSchemaMetadata[];
  readonly actions: ActionsMetadata;
  /** The text of `actions.graphql`. */
  readonly actionsSdl: string;
  readonly queryCollections: readonly QueryCollectionMetadata[];
  readonly restEndpoints: readonly RestEndpoint[];
  readonly services: readonly ServiceMetadata[];
  /** Files and folders that are there and that Portico does not read. */
  readonly ignored: readonly string[];
}

const VERSION_FILE = 'version.yaml';
const FILES = {
  remoteSchemas: 'remote_schemas.yaml',
  actions: 'actions.yaml',
  actionsSdl: 'actions.graphql',
  queryCollections: 'query_collections.yaml',
  restEndpoints: 'rest_endpoints.yaml',
  services: 'services.yaml',
} as const;

/**
 * Reads a metadata directory in Hasura's v3 layout. Every file but `version.yaml` may be absent.
 *
 * @throws MetadataError with everything that is wrong, not only the first.
 */
export function loadMetadata(directory: string): Metadata {
  const problems: MetadataProblem[] = [];
  const entries = listDirectory(directory);
  if (!entries) throw new MetadataError([{ file: directory, message: 'is no directory that can be read' }]);
  if (!entries.includes(VERSION_FILE))
    throw new MetadataError([{ file: VERSION_FILE, message: `is missing: ${directory} is no metadata directory` }]);
  readYamlFile(
    directory,
    VERSION_FILE,
    z.strictObject({ version: z.literal(3, { error: 'expected 3, the only version that is supported' }) }),
    { version: 3 as const },
    problems,
  );

  const queryCollections = readYamlFile(directory, FILES.queryCollections, queryCollectionsShape, [], problems);
  const endpoints = readYamlFile(directory, FILES.restEndpoints, restEndpointsShape, [], problems);
  const metadata: Metadata = {
    remoteSchemas: readYamlFile(directory, FILES.remoteSchemas, remoteSchemasShape, [], problems),
    actions: readYamlFile(directory, FILES.actions, actionsShape, actionsShape.parse({}), problems),
    actionsSdl: readText(directory, FILES.actionsSdl, problems) ?? '',
    queryCollections,
    restEndpoints: resolveEndpoints(endpoints, queryCollections, FILES.restEndpoints, problems),
    services: readYamlFile(directory, FILES.services, servicesShape, [], problems),
    ignored: entries.filter((entry) => entry !== VERSION_FILE && !Object.values<string>(FILES).includes(entry)),
  };
  for (const [kind, list] of [
    ['remoteSchemas', metadata.remoteSchemas],
    ['actions', metadata.actions.actions],
    ['queryCollections', metadata.queryCollections],
    ['restEndpoints', endpoints],
    ['services', metadata.services],
  ] as const)
    problems.push(...duplicateNames(FILES[kind], list));
  problems.push(...ambiguousEndpoints(endpoints, FILES.restEndpoints));
  if (problems.length > 0) throw new MetadataError(problems);
  return metadata;
}

function listDirectory(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory).filter((entry) => !entry.startsWith('.'));
  } catch {
    return undefined;
  }
}

function duplicateNames(file: string, list: readonly { name: string }[]): readonly MetadataProblem[] {
  const names = list.map((item) => item.name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return twice.map((name) => ({ file, message: `"${name}" already exists: names are unique` }));
}
