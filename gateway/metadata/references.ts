import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { suggestion } from '../../platform/index.ts';
import type { QueryCollectionMetadata } from './query-collections.ts';
import type { RestEndpointMetadata } from './rest-endpoints.ts';
import type { IgnoredMetadata } from './unsupported.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Returns the location of a value in the files. */
type LocateValue = (path: ValuePath) => MetadataLocation;

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
    const collection = collections.find((candidate) => candidate.name === collection_name);
    const saved = collection?.definition.queries.find((candidate) => candidate.name === query_name);
    if (!saved) {
      const missing = collection
        ? `no query "${query_name}" in the collection "${collection_name}"${suggestion(query_name, names(collection.definition.queries))}`
        : `no collection "${collection_name}"${suggestion(collection_name, names(collections))}`;
      problems.push({ ...at, message: `there is ${missing}` });
      return [];
    }
    const parsed = singleOperation(saved.query);
    if (typeof parsed === 'string') {
      problems.push({ ...at, message: `the query "${query_name}" ${parsed}` });
      return [];
    }
    const unknown = unknownParameters(metadata, parsed.operation);
    problems.push(
      ...unknown.map((parameter) => ({
        ...place([index, 'url']),
        message: `the query "${query_name}" declares no variable $${parameter} for the path parameter ":${parameter}"`,
      })),
    );
    return [{ metadata, query: saved.query, ...parsed }];
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

/**
 * Reports different operations with the same name in a collection. They are a problem if a REST endpoint refers to the
 * ambiguous name. Otherwise nothing uses the name, and the duplicates are ignored.
 */
export function repeatedQueries(
  collections: readonly QueryCollectionMetadata[],
  endpoints: readonly RestEndpointMetadata[],
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
      const isMeant = endpoints.some(
        ({ definition: { query: named } }) => named.collection_name === collection.name && named.query_name === name,
      );
      if (isMeant && queries[first]?.query !== query)
        problems.push({ ...at, message: `"${name}" already exists, and a REST endpoint runs it: which one?` });
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

function singleOperation(query: string): { document: DocumentNode; operation: OperationDefinitionNode } | string {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    return `is not valid GraphQL: ${error instanceof GraphQLError ? error.message : String(error)}`;
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1) return 'must contain exactly one operation';
  if (operation.operation === 'subscription') return 'is a subscription, which an endpoint cannot run';
  return { document, operation };
}
