import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RateLimit } from '../metadata/index.ts';
import type { Session } from '../session/index.ts';

/** Who sends an operation, as far as rate limits tell callers apart. */
export interface Caller {
  readonly session: Session;
  /** The IP address that the request came from. */
  readonly address: string;
  /** Whether it came without a token. */
  readonly isAnonymous: boolean;
}

/**
 * Under which key a caller's operations are counted: the role and the value of each unique parameter. Where there is
 * no session variable to tell callers apart by, the address does: callers without a token never share one count, which
 * any of them could use up for all others.
 *
 * @returns a digest, so that a store outside of this process does not learn who calls.
 */
export function callerKey({ unique_params: parameters }: RateLimit, caller: Caller): string {
  const { role, variables } = caller.session;
  const parts = parameters.map((name) => {
    const value = name === 'IP' ? undefined : variables[name];
    return value === undefined ? ['IP', network(caller.address)] : [name, value];
  });
  if (caller.isAnonymous) parts.push(['IP', network(caller.address)]);
  return createHash('sha256')
    .update(JSON.stringify([role, parts]))
    .digest('base64url');
}

/** An IPv4 address, or the /64 of an IPv6 one: within that, a single caller has as many addresses as it likes. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function groups(text: string): readonly string[] {
  // An IPv4 ending stands for two groups; it is never among the first four.
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
