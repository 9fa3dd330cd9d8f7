import { expect, test } from '@jest/globals';
import { repeatedHeader } from '../../platform/index.ts';

test.each([
  ['two values of Authorization', ['Authorization', 'Bearer a', 'authorization', 'Bearer b'], 'Authorization'],
  ['an empty one beside another', ['Authorization', '', 'Authorization', 'Bearer b'], 'Authorization'],
  ['the third one', ['Authorization', 'a', 'AUTHORIZATION', 'a', 'authorization', 'b'], 'Authorization'],
  ['two content types', ['Content-Type', 'application/json', 'content-type', 'text/plain'], 'Content-Type'],
  ['two roles', ['X-Hasura-Role', 'user', 'x-hasura-role', 'admin'], 'x-hasura-*'],
  ['the same role twice', ['x-hasura-role', 'user', 'x-hasura-role', 'user'], 'x-hasura-*'],
  ['the same credentials twice', ['Authorization', 'Bearer a', 'authorization', 'Bearer a'], undefined],
  ['several claims', ['x-hasura-role', 'user', 'x-hasura-user-id', 'user'], undefined],
  ['values that are names', ['x-a', 'authorization', 'x-b', 'authorization', 'Authorization', 'a'], undefined],
  ['lists', ['Accept', 'a', 'Accept', 'b', 'X-Forwarded-For', 'a', 'X-Forwarded-For', 'b'], undefined],
  ['nothing', [], undefined],
])('the header that may be there once, of %s', (_, rawHeaders, expected) => {
  expect(repeatedHeader(rawHeaders)).toBe(expected);
});
