import { GatewayError } from '../../errors.ts';

const EVENTS_CHALLENGE = 'Bearer realm="portico-events"';

/** A request without the secret of a producer, or with one that is no producer's. */
export function unknownProducer(wasSent: boolean): GatewayError {
  return new GatewayError(
    'access-denied',
    wasSent
      ? 'the bearer token is not the secret of a producer'
      : 'expected the secret of a producer as a bearer token',
    {
      status: 401,
      headers: { 'www-authenticate': wasSent ? `${EVENTS_CHALLENGE}, error="invalid_token"` : EVENTS_CHALLENGE },
    },
  );
}

/** An event that a producer may not post. @param attribute the one whose value is not its own. */
export function notOfProducer(attribute: 'source' | 'type' | 'tenantid'): GatewayError {
  return new GatewayError('access-denied', `the producer may not post events of this ${attribute}`, {
    path: `$.${attribute}`,
  });
}

/** An event whose tenant is not known. */
export function tenantMissing(): GatewayError {
  return new GatewayError('validation-failed', 'the extension attribute tenantid is missing', { path: '$.tenantid' });
}

/** A tenant id that is longer than any. @param most in characters. */
export function tenantTooLong(most: number): GatewayError {
  return new GatewayError('validation-failed', `the id of a tenant can have at most ${most} characters`, {
    path: '$.tenantid',
  });
}

/** More bytes of events wait to be committed than are kept in memory. */
export function tooManyEvents(): GatewayError {
  return new GatewayError('service-unavailable', 'too many events are waiting to be accepted', {
    headers: { 'retry-after': '1' },
  });
}

/** Arguments of another shape. @param path where in the arguments. */
export function invalidArguments(message: string, path: readonly PropertyKey[]): GatewayError {
  return new GatewayError('parse-failed', message, { path: ['$.args', ...path.map(String)].join('.') });
}

/** The database does not answer. */
export function invocationsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'invocations cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}
