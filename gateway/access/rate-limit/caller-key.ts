import { createHash } from 'node:crypto';
import { networkOf } from '../../../platform/index.ts';
import type { RateLimit } from '../../metadata/index.ts';
import type { Session } from '../session/index.ts';

/** The caller of an operation, as far as rate limits distinguish callers. */
export interface Caller {
  readonly session: Session;
  /** The IP address that the request came from. */
  readonly address: string;
  /** Whether it came without a token. */
  readonly isAnonymous: boolean;
}

/**
 * Under which key a caller's operations are counted: the role and the value of each unique parameter. Where there is
 * no session variable that distinguishes callers, the address does: callers without a token never share one count, which
 * any of them could exhaust for all others.
 *
 * @returns a digest, so that a store outside of this process does not contain the callers' identities.
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
