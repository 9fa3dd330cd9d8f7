import { isJsonObject } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import type { OperationRequest } from '../../pipeline/index.ts';
import { batchTooLarge, readLoneId, readPersistedQuery } from '../../pipeline/index.ts';
import { parseShallowJson } from '../http/index.ts';
import { malformedRequest } from './errors.ts';

/** A single operation, or a batch, whose response is a list. */
export type Incoming =
  | { batch: false; request: OperationRequest }
  | { batch: true; requests: readonly OperationRequest[] };

/**
 * Reads the JSON body of a POST to the GraphQL endpoint (GraphQL over HTTP, section 5.4). As in Hasura, a list is a batch.
 *
 * @throws GatewayError if the body is not a request.
 */
export function readOperations(body: unknown, maxBatch: number): Incoming {
  if (!Array.isArray(body)) return { batch: false, request: readOperationRequest(body) };
  if (body.length === 0) throw malformedRequest('a batch must contain at least one operation');
  if (body.length > maxBatch) throw batchTooLarge(maxBatch);
  return { batch: true, requests: body.map(readOperationRequest) };
}

/**
 * Reads the query string of a GET (GraphQL over HTTP, section 5.3).
 *
 * @throws GatewayError if it contains no operation.
 */
export function readQueryString(search: URLSearchParams): OperationRequest {
  // A cache or a firewall in front of the gateway could read another one of the values.
  for (const name of PARAMETERS) if (search.getAll(name).length > 1) throw malformedRequest(`"${name}" is repeated`);
  return readOperationRequest({
    query: search.get('query') ?? undefined,
    operationName: search.get('operationName') ?? undefined,
    variables: jsonParameter(search, 'variables'),
    extensions: jsonParameter(search, 'extensions'),
    documentId: search.get('documentId') ?? undefined,
    doc_id: search.get('doc_id') ?? undefined,
    id: search.get('id') ?? undefined,
  });
}

const PARAMETERS = ['query', 'operationName', 'variables', 'extensions', 'documentId', 'doc_id', 'id'] as const;

/**
 * Reads one operation: `query`, `variables`, `operationName`, `extensions`, and `documentId`, `doc_id` or `id` instead of
 * `query`.
 *
 * @throws GatewayError if the body is not an operation.
 */
export function readOperationRequest(body: unknown): OperationRequest {
  if (!isJsonObject(body)) throw malformedRequest('expected a JSON object with the key "query"');
  const { query, operationName, variables, extensions, documentId, doc_id, id } = body;
  if (!isAbsent(extensions) && !isJsonObject(extensions)) throw malformedRequest('"extensions" must be an object');
  const hasText = !isAbsent(query) && query !== '';
  const named = readPersistedQuery({
    extensions: (extensions as Record<string, unknown> | null | undefined) ?? {},
    documentId,
    doc_id,
  });
  const persisted = named ?? (hasText ? undefined : readLoneId(id));
  // Apollo's clients omit the text of a persisted document, or send an empty one.
  const isById = persisted !== undefined && !hasText;
  if (query === undefined && !isById) throw malformedRequest('key "query" not found');
  if (typeof query !== 'string' && !isById) throw malformedRequest('"query" must be a string');
  if (!isAbsent(operationName) && typeof operationName !== 'string')
    throw malformedRequest('"operationName" must be a string');
  if (!isAbsent(variables) && !isJsonObject(variables)) throw malformedRequest('"variables" must be an object');
  return {
    query: isById ? undefined : (query as string),
    variables: (variables as Record<string, unknown> | null | undefined) ?? {},
    operationName: operationName ? (operationName as string) : undefined,
    ...(persisted && { persisted }),
  };
}

function jsonParameter(search: URLSearchParams, name: string): unknown {
  const text = search.get(name);
  if (!text) return undefined;
  try {
    return parseShallowJson(text, `"${name}"`);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw malformedRequest(`"${name}" must be JSON`);
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
