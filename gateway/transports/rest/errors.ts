import { GatewayError } from '../../errors.ts';

/** A method that REST endpoints never have, such as `HEAD`. */
export function unsupportedEndpointMethod(method: string): GatewayError {
  return new GatewayError('bad-request', `Method ${method} not supported.`);
}

/** A method that is none of HTTP's own. */
export function nonstandardMethod(): GatewayError {
  return new GatewayError('bad-request', 'Nonstandard method not allowed for REST endpoints');
}

/** No REST endpoint has the path. */
export function endpointNotFound(): GatewayError {
  return new GatewayError('not-found', 'Endpoint not found');
}

/** A body of JSON that is not an object: its members are the variables. */
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

/** A path with `.` or `..`, written in whatever way. */
export function dotSegmentInPath(): GatewayError {
  return new GatewayError('bad-request', 'the path contains a dot segment');
}

/** A path with a character that servers decode differently. */
export function ambiguousPath(): GatewayError {
  return new GatewayError('bad-request', 'the path contains an ambiguous character');
}

/** A path that, read in another way, belongs to a service with other permissions. */
export function pathOfAnotherService(): GatewayError {
  return new GatewayError('bad-request', 'the path is ambiguous: it could belong to another service');
}

/** No slot is free for a service, or for this caller at it: 503. */
export function serviceOverloaded(service: string, retryAfterSeconds: number): GatewayError {
  return new GatewayError('upstream-overloaded', `the service "${service}" has too many requests, try again later`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** No connection to a service, or none that lasted until its response: 502. */
export function serviceUnreachable(service: string): GatewayError {
  return new GatewayError('unexpected', `the service "${service}" cannot be reached`, { status: 502 });
}

/** A service without a response in time: 504. */
export function serviceTimeout(service: string): GatewayError {
  return new GatewayError('unexpected', `the service "${service}" did not respond in time`, { status: 504 });
}
