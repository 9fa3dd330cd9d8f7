import { GatewayError, methodNotAllowed } from '../../errors.ts';

/** An empty request body. */
export function missingBody(): GatewayError {
  return new GatewayError('invalid-json', 'the request has no body');
}

/** Parameters of GraphQL over HTTP that have the wrong type. */
export function malformedRequest(message: string): GatewayError {
  return new GatewayError('parse-failed', message);
}

/** A mutation sent by `GET`, which must be safe (RFC 9110 section 9.2.1). */
export function mutationByGet(): GatewayError {
  return methodNotAllowed('POST', 'a mutation requires a POST request');
}

const SINGLE_CONNECTION =
  'the single connection mode of graphql-sse is not supported: create its client without "singleConnection" (distinct connections mode), or use a WebSocket';

/** A method with which clients of graphql-sse reserve a stream, or end an operation of one. */
export function methodOfSingleConnection(): GatewayError {
  return methodNotAllowed('GET, POST', `Allowed methods: GET, POST; ${SINGLE_CONNECTION}`);
}

/** A request for a reserved stream of graphql-sse. Its operation is not executed. */
export function singleConnectionNotSupported(): GatewayError {
  return new GatewayError('not-supported', SINGLE_CONNECTION);
}

/** A multipart request that does not follow the GraphQL multipart request specification. */
export function malformedUpload(message: string): GatewayError {
  return new GatewayError('bad-request', message);
}

/** A multipart request without the part `operations`. */
export function missingOperations(): GatewayError {
  return malformedUpload('the request has no operation');
}

/** More bytes or files than are accepted, 413. @param what names the exceeded limit, such as `more than 3 files`. */
export function uploadTooLarge(what: string): GatewayError {
  return new GatewayError('payload-too-large', `${what}: the upload is too large`);
}

/** Files with an operation that cannot be forwarded unchanged to one service. */
export function filesNotSupported(): GatewayError {
  return new GatewayError(
    'not-supported',
    'files can be sent only with an operation that is forwarded to a single remote schema that defines the scalar "Upload"',
  );
}
