import { describe, expect, test } from '@jest/globals';
import { buildSchema, printSchema } from 'graphql';
import type { RemoteSchemaMetadata } from '../../../gateway/metadata/index.ts';
import { permittedParts, permittedSchema } from '../../../gateway/sources/permissions/role-permission.ts';

const WHOLE = buildSchema(/* GraphQL */ `
  schema {
    query: QueryRoot
    mutation: Mutation
  }
  type QueryRoot {
    user(id: ID!, verbose: Boolean): User
    search(filter: Filter!): [Result!]!
    node(id: ID!): Node
    pages(filter: Filter = { text: "a" }): [Page]
  }
  type Mutation {
    rename(id: ID!, name: String!): User!
  }
  interface Node {
    id: ID!
  }
  type User implements Node {
    id: ID!
    name: String
    email: String
    role: Role
  }
  type Page {
    url: String!
  }
  union Result = User | Page
  enum Role {
    READER
    WRITER
  }
  input Filter {
    text: String!
    role: Role
    limit: Int! = 10
  }
  scalar Date
`);

function problems(sdl: string): readonly string[] {
  const permitted = permittedSchema(sdl, WHOLE);
  return 'problems' in permitted ? permitted.problems : [];
}

describe('a permission’s schema', () => {
  test.each([
    ['some fields', 'type Query { user(id: ID!): User } type User { id: ID! name: String }'],
    ['a root type of another name', 'schema { query: Q } type Q { user(id: ID!): User } type User { id: ID! }'],
    ['mutations only', 'type Mutation { rename(id: ID!, name: String!): User! } type User { id: ID! }'],
    ['an interface', 'type Query { node(id: ID!): Node } interface Node { id: ID! }'],
    [
      'fewer members of a union',
      'type Query { search(filter: Filter!): [Result!]! } union Result = Page type Page { url: String! } input Filter { text: String! }',
    ],
    ['fewer values of an enum', 'type Query { user(id: ID!): User } type User { role: Role } enum Role { READER }'],
    [
      'an input without a field that has a default',
      'type Query { search(filter: Filter!): [Result!]! } union Result = Page type Page { url: String! } input Filter { text: String! }',
    ],
    [
      'the default of an argument that lacks that of the field',
      'type Query { pages(filter: Filter = { text: "a" }): [Page] } type Page { url: String! } input Filter { text: String! }',
    ],
  ])('is %s', (_, sdl) => {
    expect(problems(sdl)).toEqual([]);
  });

  test('is exactly the written schema', () => {
    const permitted = permittedSchema('type Query { user(id: ID!): User } type User { name: String }', WHOLE);
    expect('schema' in permitted && printSchema(permitted.schema).replace(/\s+/g, ' ')).toBe(
      'type Query { user(id: ID!): User } type User { name: String }',
    );
  });

  const user = (fields: string) => `type Query { user(id: ID!): User } type User { ${fields} }`;
  test.each([
    ['a field that does not exist', user('id: ID! age: Int'), 'field "User.age" does not exist in the remote schema'],
    [
      'a type that does not exist',
      `${user('id: ID!')} type Ghost { id: ID! }`,
      'type "Ghost" does not exist in the remote schema',
    ],
    ['a field of another type', user('id: String!'), '"User.id" has the type String!, in the remote schema it has ID!'],
    [
      'a field that is nullable in one only',
      user('name: String!'),
      '"User.name" has the type String!, in the remote schema it has String',
    ],
    [
      'an argument that does not exist',
      'type Query { user(id: ID!, all: Int): User } type User { id: ID! }',
      '"Query.user" has no "all" in the remote schema',
    ],
    [
      'a misspelt argument',
      'type Query { user(di: ID): User } type User { id: ID! }',
      '"Query.user" has no "di" in the remote schema: did you mean "id"?',
    ],
    [
      'a misspelt type',
      `${user('id: ID!')} type Usr { id: ID! }`,
      'type "Usr" does not exist in the remote schema: did you mean "User"?',
    ],
    [
      'an argument of another type',
      'type Query { user(id: Int!): User } type User { id: ID! }',
      '"Query.user.id" has the type Int!, in the remote schema it has ID!',
    ],
    [
      'no argument where one is required',
      'type Query { user: User } type User { id: ID! }',
      '"Query.user" lacks "id", which the remote schema requires',
    ],
    [
      'a root field that does not exist',
      'type Query { users: Int }',
      'field "Query.users" does not exist in the remote schema: did you mean "user"?',
    ],
    [
      'an input without a required field',
      'type Query { search(filter: Filter!): [Result!]! } union Result = Page type Page { url: String! } input Filter { role: Role } enum Role { READER }',
      '"Filter" lacks "text", which the remote schema requires',
    ],
    [
      'an input with a field more',
      'type Query { search(filter: Filter!): [Result!]! } union Result = Page type Page { url: String! } input Filter { text: String! all: Int }',
      '"Filter" has no "all" in the remote schema',
    ],
    [
      'an enum value that does not exist',
      `${user('role: Role')} enum Role { OWNER }`,
      'enum value "Role.OWNER" does not exist in the remote schema',
    ],
    [
      'a union member that is none',
      `${user('id: ID!')} union Result = User | Other type Other { a: Int }`,
      '"Other" is not a member of "Result" in the remote schema',
    ],
    [
      'a type of another kind',
      `${user('role: Role')} type Role { a: Int }`,
      'type "Role" is of another kind in the remote schema',
    ],
    [
      'a scalar that does not exist',
      `${user('id: ID!')} scalar Time`,
      'type "Time" does not exist in the remote schema',
    ],
  ])('is not %s', (_, sdl, problem) => {
    expect(problems(sdl)).toContain(problem);
  });

  test('is rejected with all problems at once', () => {
    expect(problems('type Query { user(id: Int!): User a: Int } type User { id: ID! b: Int }')).toHaveLength(3);
  });

  test.each([
    ['no GraphQL', 'type Query {'],
    ['of a type that it does not hold', 'type Query { user(id: ID!): User }'],
    ['nothing', '   '],
  ])('is refused when it is %s', (_, sdl) => {
    expect(problems(sdl)).toHaveLength(1);
  });
});

describe('a permission without a root type', () => {
  const sdl = 'type QueryRoot { user(id: ID!): User } type User { id: ID! }';
  const partsOf = (schema: string, needsRoots: boolean) => {
    const permissions = [{ role: 'user', definition: { schema } }];
    return permittedParts({ name: 'people', permissions } as unknown as RemoteSchemaMetadata, WHOLE, needsRoots);
  };

  test('is a problem, which says how the service’s own root types are declared', () => {
    const text =
      'permission of role "user": it has no root type, so it permits nothing: declare the root types that it has in "schema { query: QueryRoot mutation: Mutation }"';
    expect(() => partsOf(sdl, true)).toThrow(text);
    for (const declared of [`schema { query: QueryRoot } ${sdl}`, sdl.replace('QueryRoot', 'Query')])
      expect([...partsOf(declared, true).keys()]).toEqual(['user']);
  });

  test('is none where its types are joined with those of other services', () => {
    expect([...partsOf('type User { id: ID! }', false).keys()]).toEqual(['user']);
  });
});
