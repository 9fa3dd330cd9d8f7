import { afterEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { openActionWorld } from './action-world.ts';

const { keep, close } = keeper();
afterEach(close);

/*
 * The examples of Hasura's documentation of actions (https://hasura.io/docs/2.0/actions/): their types, definitions,
 * operations and answers as they stand there. Only the addresses of handlers are those of a server that exists here.
 */

describe('the examples of creating actions', () => {
  test('login, a mutation', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Mutation {
  login(username: String!, password: String!): LoginResponse
}

type LoginResponse {
  accessToken: String!
}
`,
        actions: `
actions:
  - name: login
    definition:
      kind: synchronous
      handler: '{{HOOK_URL}}/login'
    permissions:
      - role: user
custom_types:
  enums: []
  input_objects: []
  objects:
    - name: LoginResponse
  scalars: []
`,
        answer: ({ body }) => {
          const { username, password } = (body as { input: Record<string, unknown> }).input;
          return username === 'jondoe' && password === 'mysecretpassword' ? { accessToken: 'Ew8jkGCNDGAo7p35' } : null;
        },
      }),
    );
    const { body } = await world.call(`mutation {
  login (username: "jondoe", password: "mysecretpassword") {
    accessToken
  }
}`);
    expect(body).toEqual({ data: { login: { accessToken: 'Ew8jkGCNDGAo7p35' } } });
  });

  test('addNumbers, a query', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Query {
  addNumbers(numbers: [Int]): AddResult
}

type AddResult {
  sum: Int
}
`,
        actions: `
actions:
  - name: addNumbers
    definition:
      kind: ""
      handler: '{{HOOK_URL}}/addNumbers'
      headers:
        - name: ACTION_SECRET
          value_from_env: ACTION_SECRET_ENV
    permissions:
      - role: user
custom_types:
  objects:
    - name: AddResult
`,
        environment: { ACTION_SECRET_ENV: 'known to us two' },
        answer: ({ body }) => {
          const { numbers } = (body as { input: { numbers: number[] } }).input;
          return { sum: numbers.reduce((sum, number) => sum + number, 0) };
        },
      }),
    );
    const { body } = await world.call(`query {
  addNumbers(numbers: [1, 2, 3, 4]) {
    sum
  }
}`);
    expect(body).toEqual({ data: { addNumbers: { sum: 10 } } });
    expect(world.received().headers.action_secret).toBe('known to us two');
  });
});

describe('the example of action handlers', () => {
  test('UserLogin, its request and its response', async () => {
    const world = await keep(
      openActionWorld({
        types: `
extend type Mutation {
  UserLogin(username: String!, password: String!): UserInfo
}

type UserInfo {
  accessToken: String!
  userId: Int!
}
`,
        actions: `
actions:
  - name: UserLogin
    definition:
      kind: synchronous
      handler: '{{HOOK_URL}}'
      forward_client_headers: true
    permissions:
      - role: user
`,
      }),
    );
    const query = `mutation {
  UserLogin(username: "jake", password: "secretpassword") {
    accessToken
    userId
  }
}
`;
    world.answerWith(200, { accessToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVC', userId: 423 });
    expect((await world.call(query)).body).toEqual({
      data: { UserLogin: { accessToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVC', userId: 423 } },
    });
    expect(world.received().body).toEqual({
      action: { name: 'UserLogin' },
      input: { username: 'jake', password: 'secretpassword' },
      session_variables: { 'x-hasura-user-id': '7', 'x-hasura-role': 'user', 'x-hasura-tenant-id': '1' },
      request_query: query,
    });

    world.answerWith(400, { message: 'invalid credentials' });
    expect((await world.call(query)).body.errors).toMatchObject([
      { message: 'invalid credentials', extensions: { code: 'unexpected' } },
    ]);
  });
});

describe('the example of deriving actions', () => {
  test('insertAuthor', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Mutation {
  insertAuthor(name: String): InsertAuthorOutput
}

type InsertAuthorOutput {
  id: Int!
  name: String!
}
`,
        actions: `
actions:
  - name: insertAuthor
    definition:
      kind: synchronous
      handler: '{{HOOK_URL}}/insertAuthor'
    permissions:
      - role: user
`,
        answer: ({ body }) => ({ id: 1, ...(body as { input: { name: string } }).input }),
      }),
    );
    const { body } = await world.call(
      'mutation insertAuthor($name: String) { insertAuthor(name: $name) { id name } }',
      {
        variables: { name: 'Some name' },
      },
    );
    expect(body).toEqual({ data: { insertAuthor: { id: 1, name: 'Some name' } } });
  });
});

describe('the examples of custom types', () => {
  test('objects in objects, recursive ones and lists of them', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Mutation {
  userLogin(username: String!, password: String!): [UserInfo]
}
type UserInfo {
  accessToken: String!
  userId: Int!
  user: UserObj!
}
type UserObj {
  name: String!
  favFood: String!
  isAdmin: Boolean!
  friends: [UserObj]!
}
`,
        actions: `
actions:
  - name: userLogin
    definition:
      handler: '{{HOOK_URL}}'
    permissions: [{role: user}]
`,
      }),
    );
    const friend = { name: 'b', favFood: 'rice', isAdmin: false, friends: [] };
    world.answerWith(200, [
      { accessToken: 't', userId: 1, user: { name: 'a', favFood: 'bread', isAdmin: true, friends: [friend, null] } },
    ]);
    const { body } = await world.call(
      'mutation { userLogin(username: "a", password: "p") { userId user { name friends { favFood friends { name } } } } }',
    );
    expect(body).toEqual({
      data: { userLogin: [{ userId: 1, user: { name: 'a', friends: [{ favFood: 'rice', friends: [] }, null] } }] },
    });
  });

  test('scalars of Postgres without a definition', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Query {
  user(id: uuid!, since: timestamptz, filter: jsonb): User
}
type User {
  id: uuid!
  name: String!
  location: geography
  balance: numeric
  visits: bigint
}
`,
        actions: `
actions:
  - name: user
    definition:
      handler: '{{HOOK_URL}}'
    permissions: [{role: user}]
`,
      }),
    );
    const answer = {
      id: '7f3c1a52-0c55-4d9e-9f0a-2b7a5a1d8c11',
      name: 'a',
      location: { type: 'Point', coordinates: [1.5, 2] },
      balance: '12345678901234567890.12',
      visits: 9_007_199_254_740_991,
    };
    world.answerWith(200, answer);
    const { body } = await world.call(
      'query ($id: uuid!, $filter: jsonb) { user(id: $id, since: "2024-01-01T00:00:00Z", filter: $filter) { id name location balance visits } }',
      { variables: { id: answer.id, filter: { tags: ['a', { b: null }] } } },
    );
    expect(body).toEqual({ data: { user: answer } });
    expect(world.received().body).toMatchObject({
      input: { id: answer.id, since: '2024-01-01T00:00:00Z', filter: { tags: ['a', { b: null }] } },
    });
  });
});
