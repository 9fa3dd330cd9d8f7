import { GatewayError } from '../../errors.ts';

/** A request for a session that no page of the console sent. */
export function notConsolePage(): GatewayError {
  return new GatewayError('access-denied', 'only the console of this gateway can open and refresh sessions here');
}

/** Credentials that are not a JSON object. */
export function notAnObject(): GatewayError {
  return new GatewayError('bad-request', 'expected a JSON object');
}
