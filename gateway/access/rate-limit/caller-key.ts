import { createHash } from 'node:crypto';
import { networkOf } from '../../../platform/index.ts';
import type { RateLimit } from '../../metadata/index.ts';
import type { Session } from '../session/index.ts';

/** The properties of a caller that rate limits distinguish. */
export interface Caller {
  readonly session: Session;
  /** The IP address of the request. */
  readonly address: string;
  /** Whether the request had no token. */
  readonly isAnonymous: boolean;
}

/**
 * Returns the key under which a caller's operations are counted: the role and the value of each unique parameter. If no session
 * variable distinguishes callers, the address does. Callers without a token thus never share one count, which any of them could
 * exhaust for all others.
 *
 * @returns a digest, so that an external store does not contain the callers' identities.
 */
export function callerKey({ unique_params: parameters }: RateLimit, caller: Caller): string {
  const { role, variables } = caller.session;
  const parts = parameters.map((name) => {
    const value = name === 'IP' ? undefined : variables[name];
    return value === undefined ? ['IP', networkOf(caller.address)] : [name, value];
  });
  if (caller.isAnonymous) parts.push(['IP', networkOf(caller.address)]);
  return createHash('sha256')
    .update(JSON.stringify([role, parts]))
    .digest('base64url');
}
