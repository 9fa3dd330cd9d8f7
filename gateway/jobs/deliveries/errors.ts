import { bearerRefused, GatewayError } from '../../errors.ts';

/** Reports a request without a producer's secret, or with an unknown secret. */
export function unknownProducer(wasSent: boolean): GatewayError {
  return bearerRefused('portico-events', 'the secret of a producer', wasSent);
}

/** Reports an event that the producer may not post. @param attribute the one whose value is not allowed. */
export function notOfProducer(attribute: 'source' | 'type' | 'tenantid'): GatewayError {
  return new GatewayError('access-denied', `the producer may not post events of this ${attribute}`, {
    path: `$.${attribute}`,
  });
}

/** Reports an event without a known tenant. */
export function tenantMissing(): GatewayError {
  return new GatewayError('validation-failed', 'the extension attribute tenantid is missing', { path: '$.tenantid' });
}

/** Reports a tenant id that is too long. @param most the most characters. */
export function tenantTooLong(most: number): GatewayError {
  return new GatewayError('validation-failed', `the id of a tenant can have at most ${most} characters`, {
    path: '$.tenantid',
  });
}

/** Reports that the events that wait to be committed use all of the memory reserved for them. */
export function tooManyEvents(): GatewayError {
  return new GatewayError('service-unavailable', 'too many events are waiting to be accepted', {
    headers: { 'retry-after': '1' },
  });
}

/** Reports invalid arguments. @param path of the invalid value in the arguments. */
export function invalidArguments(message: string, path: readonly PropertyKey[]): GatewayError {
  return new GatewayError('parse-failed', message, { path: ['$.args', ...path.map(String)].join('.') });
}

/** Reports that the database does not respond. */
export function invocationsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'invocations cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}
