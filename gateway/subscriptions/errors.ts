import { GatewayError } from '../errors.ts';

/** Headers in the payload of `connection_init` that cannot be used. @param problem names no value. */
export function invalidConnectionInit(problem: string): GatewayError {
  return new GatewayError('bad-request', problem);
}
