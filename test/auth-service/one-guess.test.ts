import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { preferredEngine } from '../database/index.ts';
import { createWorld, type World } from './world.ts';

const login = (alias: string) =>
  `${alias}: auth_user_login(data: { username: "alice", password: "right", tenant_id: 1 }) { success }`;

const fifty = Array.from({ length: 50 }, (_, index) => login(`a${index}`));

describe('one operation is one guess at a password', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld(preferredEngine());
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'right');
  });
  afterAll(() => world.close());

  test.each([
    ['fifty aliases', `mutation { ${fifty.join(' ')} }`],
    ['two aliases', `mutation { ${login('a')} ${login('b')} }`],
    ['two that are merged into one', `mutation { ${login('a')} ${login('a')} }`],
    ['two in inline fragments', `mutation { ... { ${login('a')} } ... on Mutation { ${login('b')} } }`],
    [
      'two in fragments',
      `mutation { ...A ...B } fragment A on Mutation { ${login('a')} } fragment B on Mutation { ${login('b')} }`,
    ],
    [
      'two in a fragment of a fragment',
      `mutation { ...A } fragment A on Mutation { ...B } fragment B on Mutation { ${login('a')} ${login('b')} }`,
    ],
    ['one fragment spread twice', `mutation { ...A ...A } fragment A on Mutation { ${login('a')} }`],
    [
      'a login and a refresh',
      `mutation { ${login('a')} auth_token_refresh(data: { refresh_token: "x" }) { success } }`,
    ],
    [
      'two changes of a password',
      'mutation { a: auth_user_change_password(data: {}) { success } b: auth_user_change_password(data: {}) { success } }',
    ],
    [
      'two refreshes',
      'mutation { a: auth_token_refresh(data: {}) { success } b: auth_token_refresh(data: {}) { success } }',
    ],
    ['two logouts', 'mutation { a: auth_user_logout { success } b: auth_user_logout { success } }'],
    ['one of two skipped', `mutation { ${login('a')} b: auth_user_login(data: {}) @skip(if: true) { success } }`],
  ])('%s are refused before any hash', async (_what, document) => {
    const { body } = await world.service.graphql(document);

    expect(body.data).toBeUndefined();
    expect(body.errors).toContainEqual(
      expect.objectContaining({
        message: 'an operation may contain only one authentication field',
        extensions: { code: 'validation-failed' },
      }),
    );
    expect(world.service.hashes()).toBe(0);
  });

  test('fragments that double and double again are refused at once', async () => {
    const fragments = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Mutation { ...F${n + 1} ...F${n + 1} }`);
    const document = `mutation { ...F0 } ${fragments.join(' ')} fragment F40 on Mutation { ${login('a')} }`;
    const { body } = await world.service.graphql(document);

    expect(body.errors).toBeDefined();
    expect(world.service.hashes()).toBe(0);
  });

  test('fragments in a circle are refused', async () => {
    const { body } = await world.service.graphql(
      `mutation { ...A } fragment A on Mutation { ...B ${login('a')} } fragment B on Mutation { ...A }`,
    );

    expect(body.errors).toBeDefined();
    expect(world.service.hashes()).toBe(0);
  });

  test('a document of ten thousand tokens is refused unread', async () => {
    const { body } = await world.service.graphql(`query { auth_user_me { ${'username '.repeat(10_000)} } }`);

    expect(body.errors?.[0]?.message).toMatch(/^Syntax Error/);
  });

  test('a batch is refused', async () => {
    const operation = { query: `mutation { ${login('a')} }` };
    const { status, body } = await world.service.post(JSON.stringify([operation, operation]));

    expect(status).toBe(400);
    expect(body.errors?.[0]?.extensions?.code).toBe('bad-request');
    expect(world.service.hashes()).toBe(0);
  });

  test('one login in a fragment is let through', async () => {
    const { body } = await world.service.graphql(`mutation { ...A } fragment A on Mutation { ${login('a')} }`);

    expect(body).toEqual({ data: { a: { success: true } } });
    expect(world.service.hashes()).toBe(1);
  });
});
