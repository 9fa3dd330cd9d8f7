import { GatewayError } from '../../errors.ts';

/** Invalid headers in the payload of `connection_init`. @param problem contains no value. */
export function invalidConnectionInit(problem: string): GatewayError {
  return new GatewayError('bad-request', problem);
}

/** The messages of a connection's running operations are too long in total, 429. */
export function operationsTooLong(): GatewayError {
  return new GatewayError('operation-limit-exceeded', 'the operations on this connection are too long in total');
}
