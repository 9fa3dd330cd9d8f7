import { GatewayError } from '../../errors.ts';

/** An event that is not a CloudEvent of version 1.0. @param attribute the attribute that is wrong, where it is one. */
export function invalidEvent(reason: string, attribute?: string): GatewayError {
  return new GatewayError('validation-failed', reason, { path: attribute === undefined ? '$' : `$.${attribute}` });
}

/** Headers that two readers could understand differently. */
export function ambiguousEvent(reason: string): GatewayError {
  return new GatewayError('bad-request', reason);
}

/** An event in a format other than JSON, or several events in one request. */
export function unsupportedEventFormat(reason: string): GatewayError {
  return new GatewayError('unsupported-media-type', reason);
}
