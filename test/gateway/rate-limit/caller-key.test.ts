import { describe, expect, test } from '@jest/globals';
import { callerKey } from '../../../gateway/access/rate-limit/caller-key.ts';
import { createSession } from '../../../gateway/access/session/index.ts';

interface Who {
  role?: string;
  user?: string;
  address?: string;
  isAnonymous?: boolean;
}

function key(
  unique_params: readonly string[],
  { role = 'user', user, address = '10.0.0.1', isAnonymous = false }: Who,
) {
  const session = createSession(role, user === undefined ? {} : { 'x-hasura-user-id': user });
  return callerKey({ max_reqs_per_min: 1, unique_params }, { session, address, isAnonymous });
}

describe('callers share one count', () => {
  test.each<[string, string[], Who, Who]>([
    ['of a role, without unique parameters', [], { user: '1' }, { user: '2', address: '10.0.0.2' }],
    ['of an address', ['IP'], { user: '1' }, { user: '2' }],
    ['of a user, from anywhere', ['x-hasura-user-id'], { user: '1' }, { user: '1', address: '10.0.0.2' }],
    ['of an IPv6 network', ['IP'], { address: '2001:db8:1:2::1' }, { address: '2001:db8:1:2:ffff::9' }],
  ])('%s', (_, parameters, one, two) => {
    expect(key(parameters, one)).toBe(key(parameters, two));
  });
});

describe('callers are counted apart', () => {
  test.each<[string, string[], Who, Who]>([
    ['in different roles', [], { role: 'user' }, { role: 'manager' }],
    ['in different roles from one address', ['IP'], { role: 'user' }, { role: 'manager' }],
    ['at different addresses', ['IP'], {}, { address: '10.0.0.2' }],
    ['as different users', ['x-hasura-user-id'], { user: '1' }, { user: '2' }],
    ['by both', ['IP', 'x-hasura-user-id'], { user: '1' }, { user: '1', address: '10.0.0.2' }],
    ['by address, where the session variable is missing', ['x-hasura-user-id'], {}, { address: '10.0.0.2' }],
    ['by address, without a token', [], { isAnonymous: true }, { isAnonymous: true, address: '10.0.0.2' }],
    ['when a user is called like an address', ['x-hasura-user-id'], { user: '10.0.0.1' }, { address: '10.0.0.1' }],
    ['in different IPv6 networks', ['IP'], { address: '2001:db8:1:2::1' }, { address: '2001:db8:1:3::1' }],
  ])('%s', (_, parameters, one, two) => {
    expect(key(parameters, one)).not.toBe(key(parameters, two));
  });
});

test('a key reveals nothing about the caller', () => {
  expect(key(['x-hasura-user-id', 'IP'], { user: 'alice' })).toMatch(/^[\w-]{43}$/);
});
