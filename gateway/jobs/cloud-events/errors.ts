import { GatewayError } from '../../errors.ts';

/**
 * Reports an event that is not a CloudEvent of version 1.0.
 *
 * @param attribute the invalid attribute, if a single attribute is invalid.
 */
export function invalidEvent(reason: string, attribute?: string): GatewayError {
  return new GatewayError('validation-failed', reason, { path: attribute === undefined ? '$' : `$.${attribute}` });
}

/** Reports headers or members that two receivers could read differently. */
export function ambiguousEvent(reason: string): GatewayError {
  return new GatewayError('bad-request', reason);
}

/** Reports an event in a format other than JSON, or several events in one request. */
export function unsupportedEventFormat(reason: string): GatewayError {
  return new GatewayError('unsupported-media-type', reason);
}
