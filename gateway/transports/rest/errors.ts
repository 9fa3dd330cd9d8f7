import { GatewayError } from '../../errors.ts';

/** A method that REST endpoints never have, such as `HEAD`. */
export function unsupportedEndpointMethod(method: string): GatewayError {
  return new GatewayError('bad-request', `Method ${method} not supported.`);
}

/** A method that HTTP does not define. */
export function nonstandardMethod(): GatewayError {
  return new GatewayError('bad-request', 'Nonstandard method not allowed for REST endpoints');
}

/** No REST endpoint has the path. */
export function endpointNotFound(): GatewayError {
  return new GatewayError('not-found', 'Endpoint not found');
}

/** A JSON body that is not an object. Its members would be the variables. */
export function bodyNotAnObject(): GatewayError {
  return new GatewayError('parse-failed', 'the request body must be a JSON object');
}

/** A variable that the endpoint's operation does not have. */
export function unexpectedVariable(name: string): GatewayError {
  return new GatewayError('bad-request', `Unexpected variable ${name.slice(0, 64)}`);
}

/** A non-null variable without a value. */
export function missingVariableValue(name: string): GatewayError {
  return new GatewayError('validation-failed', `expecting a value for non-nullable variable: "${name}"`);
}

/** Several values in the query string for a variable that is not a list. */
export function variableIsNoList(name: string): GatewayError {
  return new GatewayError('bad-request', `Variable ${name} is not a list and accepts only one value`);
}

/** A path with `.` or `..`, in any spelling. */
export function dotSegmentInPath(): GatewayError {
  return new GatewayError('bad-request', 'the path contains a dot segment');
}

/** A path with a character that servers decode differently. */
export function ambiguousPath(): GatewayError {
  return new GatewayError('bad-request', 'the path contains an ambiguous character');
}

/** A path that, in another reading, belongs to a service with other permissions. */
export function pathOfAnotherService(): GatewayError {
  return new GatewayError('bad-request', 'the path is ambiguous: it could belong to another service');
}

/** No slot is free for a service, or for this caller of the service, 503. */
export function serviceOverloaded(service: string, retryAfterSeconds: number): GatewayError {
  return new GatewayError('upstream-overloaded', `the service "${service}" has too many requests, try again later`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** A service that cannot be reached, or whose connection broke before the response, 502. */
export function serviceUnreachable(service: string): GatewayError {
  return new GatewayError('unexpected', `the service "${service}" cannot be reached`, { status: 502 });
}

/** A service that did not respond in time, 504. */
export function serviceTimeout(service: string): GatewayError {
  return new GatewayError('unexpected', `the service "${service}" did not respond in time`, { status: 504 });
}
