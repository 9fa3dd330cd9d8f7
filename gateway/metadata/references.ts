import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { suggestion } from '../../platform/index.ts';
import type { QueryCollectionMetadata } from './query-collections.ts';
import type { RestEndpointMetadata } from './rest-endpoints.ts';
import type { IgnoredMetadata } from './unsupported.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Returns the location of a value in the files. */
type LocateValue = (path: ValuePath) => MetadataLocation;

/** A saved operation, parsed. */
export interface SavedOperation {
  readonly collection: string;
  /** Its name in the collection. */
  readonly name: string;
  /** Its text in the collection. */
  readonly query: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * Finds a query or mutation of a collection.
 *
 * @param runner what runs the operation, for messages.
 * @returns the problem and the key that it is about, if there is no such operation.
 */
export function findSavedOperation(
  collections: readonly QueryCollectionMetadata[],
  collectionName: string,
  name: string,
  runner: string,
): SavedOperation | { readonly problem: string; readonly key: 'collection' | 'operation' } {
  const collection = collections.find((candidate) => candidate.name === collectionName);
  if (!collection)
    return {
      problem: `there is no collection "${collectionName}"${suggestion(collectionName, names(collections))}`,
      key: 'collection',
    };
  const { queries } = collection.definition;
  const saved = queries.find((candidate) => candidate.name === name);
  if (!saved)
    return {
      problem: `there is no query "${name}" in the collection "${collectionName}"${suggestion(name, names(queries))}`,
      key: 'operation',
    };
  const parsed = singleOperation(saved.query, runner);
  if (typeof parsed === 'string') return { problem: `the query "${name}" ${parsed}`, key: 'operation' };
  return { collection: collectionName, name, query: saved.query, ...parsed };
}

/** A REST endpoint and the saved operation that it runs. */
export interface RestEndpoint {
  readonly metadata: RestEndpointMetadata;
  /** The operation's text in the collection. */
  readonly query: string;
  /** The parsed text. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** Finds the operation of every endpoint. Endpoints with problems are left out. */
export function resolveEndpoints(
  endpoints: readonly RestEndpointMetadata[],
  collections: readonly QueryCollectionMetadata[],
  place: LocateValue,
  problems: MetadataProblem[],
): readonly RestEndpoint[] {
  return endpoints.flatMap((metadata, index) => {
    const { collection_name, query_name } = metadata.definition.query;
    const at = place([index, 'definition', 'query']);
    const saved = findSavedOperation(collections, collection_name, query_name, 'an endpoint');
    if ('problem' in saved) {
      problems.push({ ...at, message: saved.problem });
      return [];
    }
    const { query, document, operation } = saved;
    const unknown = unknownParameters(metadata, operation);
    problems.push(
      ...unknown.map((parameter) => ({
        ...place([index, 'url']),
        message: `the query "${query_name}" declares no variable $${parameter} for the path parameter ":${parameter}"`,
      })),
    );
    return [{ metadata, query, document, operation }];
  });
}

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

/** Reports names that occur twice in a list. */
export function duplicateNames(list: readonly { name: string }[], place: LocateValue): readonly MetadataProblem[] {
  const all = names(list);
  return all.flatMap((name, index) =>
    all.indexOf(name) === index
      ? []
      : [{ ...place([index, 'name']), message: `"${name}" already exists: names are unique` }],
  );
}

/** The name of a saved operation that something runs. */
export interface NamedOperation {
  readonly collection: string;
  readonly operation: string;
  /** What runs it, for messages. */
  readonly runner: string;
}

/**
 * Reports different operations with the same name in a collection. They are a problem if something runs the ambiguous name.
 * Otherwise nothing uses the name, and the duplicates are ignored.
 */
export function repeatedQueries(
  collections: readonly QueryCollectionMetadata[],
  run: readonly NamedOperation[],
  place: LocateValue,
): { problems: readonly MetadataProblem[]; ignored: readonly IgnoredMetadata[] } {
  const problems: MetadataProblem[] = [];
  const ignored: IgnoredMetadata[] = [];
  collections.forEach((collection, index) => {
    const { queries } = collection.definition;
    queries.forEach(({ name, query }, position) => {
      const first = queries.findIndex((other) => other.name === name);
      if (first === position) return;
      const at = place([index, 'definition', 'queries', position, 'name']);
      const meant = run.find((one) => one.collection === collection.name && one.operation === name);
      if (meant && queries[first]?.query !== query)
        problems.push({ ...at, message: `"${name}" already exists, and ${meant.runner} runs it: which one?` });
      else ignored.push({ ...at, what: `the name "${name}", which another query of the collection also has` });
    });
  });
  return { problems, ignored };
}

/** Reports roles with two permissions on one item, which are ambiguous. */
export function duplicateRoles(
  list: readonly { permissions?: readonly { role: string }[] | undefined }[],
  place: LocateValue,
): readonly MetadataProblem[] {
  return list.flatMap(({ permissions = [] }, index) => {
    const roles = permissions.map((permission) => permission.role);
    return roles.flatMap((role, position) =>
      roles.indexOf(role) === position
        ? []
        : [
            {
              ...place([index, 'permissions', position, 'role']),
              message: `the role "${role}" already has a permission`,
            },
          ],
    );
  });
}

/** Reports two endpoints for the same requests: with the same method, and with paths that differ only in parameter names. */
export function ambiguousEndpoints(
  endpoints: readonly RestEndpointMetadata[],
  place: LocateValue,
): readonly MetadataProblem[] {
  const seen = new Map<string, string>();
  return endpoints.flatMap((endpoint, index) => {
    const shape = endpoint.url.replace(/:[^/]+/g, ':');
    return endpoint.methods.flatMap((method) => {
      const key = `${method} ${shape}`;
      const other = seen.get(key);
      seen.set(key, endpoint.name);
      return other === undefined
        ? []
        : [
            {
              ...place([index, 'url']),
              message: `"${endpoint.name}" and "${other}" handle the same ${method} requests`,
            },
          ];
    });
  });
}

function unknownParameters({ url }: RestEndpointMetadata, operation: OperationDefinitionNode): readonly string[] {
  const declared = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value));
  const parameters = url.split('/').filter((segment) => segment.startsWith(':'));
  return parameters.map((segment) => segment.slice(1)).filter((parameter) => !declared.has(parameter));
}

function singleOperation(
  query: string,
  runner: string,
): { document: DocumentNode; operation: OperationDefinitionNode } | string {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    return `is not valid GraphQL: ${error instanceof GraphQLError ? error.message : String(error)}`;
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1) return 'must contain exactly one operation';
  if (operation.operation === 'subscription') return `is a subscription, which ${runner} cannot run`;
  return { document, operation };
}
