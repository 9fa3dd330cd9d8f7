import { type ASTNode, type DirectiveNode, type FieldNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { type ErrorCode, GatewayError } from '../errors.ts';

/** The document has more tokens than the parser accepts. */
export function tooManyTokens(most: number): GraphQLError {
  return codedError(`the document has more than ${most} tokens`, 'token-limit-exceeded');
}

/** The document has more operations than are validated. */
export function tooManyOperations(most: number): GraphQLError {
  return codedError(`the document has more than ${most} operations`, 'repetition-limit-exceeded');
}

/** The document's nesting is too deep for the parser. */
export function documentTooDeep(): GraphQLError {
  return new GraphQLError('Syntax Error: the document is nested too deeply.');
}

/** The document exceeds a limit of the role. @param found the exceeded measure and its value, if it has one. */
export function limitExceeded(code: ErrorCode, found: string, limit: number): GraphQLError {
  return codedError(`${found}; the limit is ${limit}`, code);
}

/** The batch has more operations than the role may send at once. */
export function batchTooLarge(most: number): GatewayError {
  return new GatewayError('batch-limit-exceeded', `a batch can contain at most ${most} operations`);
}

/** The operations of the batch introspect more often than the role may. */
export function tooManyIntrospections(most: number): GatewayError {
  return new GatewayError(
    'introspection-limit-exceeded',
    `the operations of a batch can request the schema at most ${most} times`,
  );
}

/** The allow list does not contain the document. The message is Hasura's. */
export function notOnAllowList(): GraphQLError {
  return new GraphQLError('query is not allowed');
}

/** The operation has several authentication fields. */
export function severalAuthenticationFieldsIn(operation: ASTNode): GraphQLError {
  return new GraphQLError('an operation may contain only one authentication field', { nodes: operation });
}

/** The subscription is too far behind the others of its group. The events that it missed are no longer kept. */
export function eventsMissed(): GatewayError {
  return new GatewayError('events-missed', 'the client reads its events too slowly and would miss some of them');
}

/** The request contains ids of different persisted documents. */
export function severalDocumentsNamed(): GatewayError {
  return new GatewayError('parse-failed', 'the request names several documents');
}

/** @param name the parameter: `documentId`, `doc_id` or `id`. */
export function malformedDocumentId(name: string): GatewayError {
  return new GatewayError('parse-failed', `"${name}" must be the id of a document`);
}

/** @param name the parameter: `documentId`, `doc_id` or `id`. */
export function malformedDocumentHash(name: string): GatewayError {
  return new GatewayError('parse-failed', `"${name}" must have a SHA-256 in lower-case hexadecimal after "sha256:"`);
}

/** The version of `extensions.persistedQuery` is not supported. */
export function unsupportedPersistedQueryVersion(): GatewayError {
  return new GatewayError('parse-failed', 'unsupported version of "persistedQuery": expected 1');
}

/** The hash of `extensions.persistedQuery` is malformed. */
export function malformedPersistedQueryHash(): GatewayError {
  return new GatewayError('parse-failed', '"sha256Hash" must be a SHA-256 in hexadecimal');
}

/** No document is stored under the hash. The client then sends the text. This message and the next two are Apollo's. */
export function persistedQueryNotFound(): GraphQLError {
  return codedError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
}

/** The text does not match the hash beside it. */
export function persistedQueryMismatch(): GraphQLError {
  return codedError('provided sha does not match query', 'PERSISTED_QUERY_HASH_MISMATCH');
}

/** The request contains a hash, but persisted queries are disabled. */
export function persistedQueryNotSupported(): GraphQLError {
  return codedError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
}

/** The request subscribes, but its response cannot be a stream. */
export function subscriptionNeedsStream(): GatewayError {
  return new GatewayError(
    'unexpected-payload',
    'subscriptions are not supported over HTTP, use websockets (graphql-transport-ws or graphql-ws) or accept text/event-stream instead',
  );
}

/** The subscription ends because a new schema changes or removes its fields. */
export function schemaChanged(): GatewayError {
  return new GatewayError('schema-reload', 'the schema has changed: subscribe again');
}

/** The document has an operation for which the role's schema has no root type. */
export function noRootType(operation: OperationDefinitionNode): GraphQLError {
  return new GraphQLError(`no ${operation.operation}s exist`, { nodes: operation });
}

/** The label of a `@defer` or `@stream` is a variable. */
export function labelNotConstant(directive: DirectiveNode): GraphQLError {
  const message = `The label of "@${directive.name.value}" must be a constant string, not a variable.`;
  return new GraphQLError(message, { nodes: directive });
}

/** Two `@defer` or `@stream` directives have the same label. The message does not repeat it. */
export function labelNotUnique(nodes: readonly DirectiveNode[]): GraphQLError {
  return new GraphQLError('The labels of "@defer" and "@stream" must be unique in the document.', { nodes });
}

/** A field with `@stream` is not a list. */
export function streamedFieldIsNoList(directive: DirectiveNode, field: string): GraphQLError {
  return new GraphQLError(`"@stream" requires a list, but the field "${field}" is not a list.`, { nodes: directive });
}

/** A root field has `@defer` or `@stream`, but the operation cannot deliver it later. */
export function deferredRootField(directive: DirectiveNode, operation: 'mutation' | 'subscription'): GraphQLError {
  const message = `"@${directive.name.value}" may not be used on root fields of a ${operation}.`;
  return new GraphQLError(message, { nodes: directive });
}

/** A subscription has an enabled `@defer` or `@stream` that no variable can disable. */
export function incrementalSubscription(directive: DirectiveNode): GraphQLError {
  const message = `"@${directive.name.value}" may be used in a subscription only with "if: false", or with a variable as its "if".`;
  return new GraphQLError(message, { nodes: directive });
}

/** A service's response was relayed as bytes but turned out to be invalid JSON. */
export function unreadableResponse(): GatewayError {
  return new GatewayError('remote-schema-error', 'a service returned a response that is not valid JSON');
}

/**
 * The session does not meet the condition of a field.
 *
 * @param path the response keys down to the field, without indices. Undefined if they are too long.
 */
export function fieldConditionFailed(field: FieldNode, path: readonly string[] | undefined): GraphQLError {
  return new GraphQLError(`the session does not meet the condition of the field "${field.name.value}"`, {
    nodes: field,
    path: path ?? null,
    extensions: { code: 'session-condition-failed' satisfies ErrorCode },
  });
}

/** The session does not meet the condition of the REST endpoint. */
export function endpointConditionFailed(): GatewayError {
  return new GatewayError('session-condition-failed', 'the session does not meet the condition of this endpoint');
}

/** The document lacks the operation that the request names, or it has several and the request names none. */
export function unknownOperation(name: string | undefined): GraphQLError {
  return codedError(
    name === undefined
      ? 'exactly one operation has to be present in the document when operationName is not specified'
      : 'no such operation found in the document',
    'validation-failed',
  );
}

/** Converts a rejection into an error of a GraphQL response. */
export function inDocument({ message, code }: GatewayError): GraphQLError {
  return codedError(message, code);
}

function codedError(message: string, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
