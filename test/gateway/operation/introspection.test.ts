import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openForest } from './service.ts';

const forest = await openForest();
afterAll(forest.close);
const { issuer } = forest;
beforeEach(() => forest.forget());

const gateway = await forest.gateway({
  metadata: { 'graphql_schema_introspection.yaml': { disabled_for_roles: ['user'] } },
});
const user = issuer.token();
const manager = issuer.token({ role: 'manager' });

describe('a role that may not introspect', () => {
  test.each([
    ['for the schema', '{ __schema { types { name } } }'],
    ['for a type', '{ __type(name: "Tree") { name } }'],
    ['under another name, next to other fields', '{ hello a: __schema { types { name } } }'],
    ['in a fragment', '{ ...a } fragment a on Query { ... { __type(name: "Tree") { name } } }'],
    ['under a condition that is not met', '{ hello __schema @include(if: false) { types { name } } }'],
    ['in a mutation document’s second operation', 'mutation one { plant } query two { __schema { types { name } } }'],
  ])('is refused when it asks %s', async (_, query) => {
    const operationName = query.includes('one') ? 'one' : undefined;
    const { body } = await gateway.graphql(query, { token: user, ...(operationName && { operationName }) });
    expect(body).toEqual({
      errors: [
        {
          message: 'introspection is disabled for role: "user"',
          extensions: { path: '$', code: 'not-supported' },
        },
      ],
    });
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('still learns the name of what it is given', async () => {
    const { body } = await gateway.graphql('{ __typename tree { __typename } }', { token: user });
    expect(body.data).toEqual({ __typename: 'Query', tree: { __typename: 'Tree' } });
  });

  test.each([
    ['a field', '{ helo }', 'Cannot query field "helo" on type "Query".'],
    ['a type', '{ tree { ... on Tre { id } } }', 'Unknown type "Tre".'],
    ['an argument', 'query { hello @include(iff: true) }', 'Unknown argument "iff" on directive "@include".'],
    ['a selection', '{ tree }', 'Field "tree" of type "Tree" must have a selection of subfields.'],
  ])('is not told what it may have meant by %s', async (_, query, message) => {
    const guessed = async (token: string) => {
      const { body } = await gateway.graphql(query, { token });
      return (body.errors ?? []).map((error) => error.message);
    };
    expect(await guessed(user)).toContain(message);
    expect((await guessed(user)).join()).not.toContain('Did you mean');
    expect((await guessed(manager)).join()).toContain('Did you mean');
  });
});

test('other roles may, though they see the same', async () => {
  const { body } = await gateway.graphql('{ __type(name: "Tree") { name } }', { token: manager });
  expect(body.data).toEqual({ __type: { name: 'Tree' } });
});
