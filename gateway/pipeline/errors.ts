import { type ASTNode, type DirectiveNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { type ErrorCode, GatewayError } from '../errors.ts';

/** A document of more tokens than are parsed. */
export function tooManyTokens(most: number): GraphQLError {
  return codedError(`the document has more than ${most} tokens`, 'token-limit-exceeded');
}

/** A document of more operations than are validated. */
export function tooManyOperations(most: number): GraphQLError {
  return codedError(`the document has more than ${most} operations`, 'repetition-limit-exceeded');
}

/** A document whose nesting the parser cannot follow. */
export function documentTooDeep(): GraphQLError {
  return new GraphQLError('Syntax Error: the document is nested too deeply.');
}

/** A document that is over a limit of its caller's role. @param found what exceeds it, with the figure where there is one. */
export function limitExceeded(code: ErrorCode, found: string, limit: number): GraphQLError {
  return codedError(`${found}; the limit is ${limit}`, code);
}

/** A batch of more operations than its caller may send at once. */
export function batchTooLarge(most: number): GatewayError {
  return new GatewayError('batch-limit-exceeded', `a batch can contain at most ${most} operations`);
}

/** A batch whose operations together introspect more often than their caller may. */
export function tooManyIntrospections(most: number): GatewayError {
  return new GatewayError(
    'introspection-limit-exceeded',
    `the operations of a batch can request the schema at most ${most} times`,
  );
}

/** A document that the allow list does not have, in Hasura's words. */
export function notOnAllowList(): GraphQLError {
  return new GraphQLError('query is not allowed');
}

/** An operation with several authentication fields. */
export function severalAuthenticationFieldsIn(operation: ASTNode): GraphQLError {
  return new GraphQLError('an operation may contain only one authentication field', { nodes: operation });
}

/** A subscription that is further behind the others of its group than events are kept. */
export function eventsMissed(): GatewayError {
  return new GatewayError('events-missed', 'the client reads its events too slowly and would miss some of them');
}

/** Ids of a persisted document that name different ones. */
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

/** The version of `extensions.persistedQuery`. */
export function unsupportedPersistedQueryVersion(): GatewayError {
  return new GatewayError('parse-failed', 'unsupported version of "persistedQuery": expected 1');
}

/** The hash of `extensions.persistedQuery`. */
export function malformedPersistedQueryHash(): GatewayError {
  return new GatewayError('parse-failed', '"sha256Hash" must be a SHA-256 in hexadecimal');
}

/** A hash that no document is stored by: clients send the text next. In Apollo's words, as the next two. */
export function persistedQueryNotFound(): GraphQLError {
  return codedError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
}

/** A text that is not that of the id beside it. */
export function persistedQueryMismatch(): GraphQLError {
  return codedError('provided sha does not match query', 'PERSISTED_QUERY_HASH_MISMATCH');
}

/** A hash where persisted queries are switched off. */
export function persistedQueryNotSupported(): GraphQLError {
  return codedError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
}

/** A subscription by a request whose response cannot be a stream. */
export function subscriptionNeedsStream(): GatewayError {
  return new GatewayError(
    'unexpected-payload',
    'subscriptions are not supported over HTTP, use websockets (graphql-transport-ws or graphql-ws) or accept text/event-stream instead',
  );
}

/** The end of a subscription that another schema answers differently, or no longer. */
export function schemaChanged(): GatewayError {
  return new GatewayError('schema-reload', 'the schema has changed: subscribe again');
}

/** A document with an operation of a kind that its caller's schema has no root type for. */
export function noRootType(operation: OperationDefinitionNode): GraphQLError {
  return new GraphQLError(`no ${operation.operation}s exist`, { nodes: operation });
}

/** A `@defer` or `@stream` whose label is a variable. */
export function labelNotConstant(directive: DirectiveNode): GraphQLError {
  const message = `The label of "@${directive.name.value}" must be a constant string, not a variable.`;
  return new GraphQLError(message, { nodes: directive });
}

/** Two of `@defer` and `@stream` with the same label, which is not repeated. */
export function labelNotUnique(nodes: readonly DirectiveNode[]): GraphQLError {
  return new GraphQLError('The labels of "@defer" and "@stream" must be unique in the document.', { nodes });
}

/** A `@stream` on a field that is no list. */
export function streamedFieldIsNoList(directive: DirectiveNode, field: string): GraphQLError {
  return new GraphQLError(`"@stream" requires a list, but the field "${field}" is not a list.`, { nodes: directive });
}

/** A `@defer` or `@stream` on the root fields of an operation that cannot postpone them. */
export function deferredRootField(directive: DirectiveNode, operation: 'mutation' | 'subscription'): GraphQLError {
  const message = `"@${directive.name.value}" may not be used on root fields of a ${operation}.`;
  return new GraphQLError(message, { nodes: directive });
}

/** A `@defer` or `@stream` in a subscription, where nothing can switch it off. */
export function incrementalSubscription(directive: DirectiveNode): GraphQLError {
  const message = `"@${directive.name.value}" may be used in a subscription only with "if: false", or with a variable as its "if".`;
  return new GraphQLError(message, { nodes: directive });
}

/** A response of a single service that is relayed as bytes and turns out to be no JSON. */
export function unreadableResponse(): GatewayError {
  return new GatewayError('remote-schema-error', 'a service returned a response that is not valid JSON');
}

/** The operation that a request names, or leaves open among several. */
export function unknownOperation(name: string | undefined): GraphQLError {
  return codedError(
    name === undefined
      ? 'exactly one operation has to be present in the document when operationName is not specified'
      : 'no such operation found in the document',
    'validation-failed',
  );
}

/** A refusal as an error of a GraphQL response. */
export function inDocument({ message, code }: GatewayError): GraphQLError {
  return codedError(message, code);
}

function codedError(message: string, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
