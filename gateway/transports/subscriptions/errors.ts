import { GatewayError } from '../../errors.ts';

/** Headers in the payload of `connection_init` that cannot be used. @param problem names no value. */
export function invalidConnectionInit(problem: string): GatewayError {
  return new GatewayError('bad-request', problem);
}

/** The operations that run over a connection have too long messages together, 429. */
export function operationsTooLong(): GatewayError {
  return new GatewayError('operation-limit-exceeded', 'the operations on this connection are too long in total');
}
