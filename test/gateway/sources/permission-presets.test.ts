import { describe, expect, test } from '@jest/globals';
import { buildSchema, printSchema } from 'graphql';
import { narrowedTypes } from '../../../gateway/sources/permissions/narrowed-types.ts';
import { permittedSchema } from '../../../gateway/sources/permissions/role-permission.ts';

const WHOLE = buildSchema(/* GraphQL */ `
  type Query {
    orders(first: Int = 10, after: String, filter: Filter, kinds: [Kind!]): [Order!]!
    search(need: Need!): [Result!]!
    node: Node
  }
  interface Node {
    id: ID!
    notes(tenant: Int): String
  }
  interface Named {
    name: String
  }
  type Order implements Node {
    id: ID!
    name: String
    notes(tenant: Int, deep: Boolean): String
  }
  type Page {
    url: String
  }
  union Result = Order | Page
  enum Kind {
    NEW
    OLD
  }
  input Filter {
    tenant: Int
    kind: Kind = NEW
    also: Filter
  }
  input Need {
    tenant: Int!
    text: String! = "a"
    tags: [String!]
  }
`);

function permitted(sdl: string) {
  const part = permittedSchema(sdl, WHOLE);
  return 'problems' in part ? part : { schema: printSchema(part.schema).replace(/\s+/g, ' ') };
}

const problems = (sdl: string) => {
  const part = permitted(sdl);
  return 'problems' in part ? part.problems : [];
};

const ORDER = 'type Order { id: ID! }';
const orders = (argument: string) => `type Query { orders(${argument}): [Order!]! } ${ORDER} enum Kind { NEW OLD }`;

describe('an input type of which everything is preset', () => {
  const filter = 'input Filter { tenant: Int @preset(value: 1) kind: Kind @preset(value: NEW) }';

  test('is not among what the role sees, nor is what takes one', () => {
    const sdl = `type Query { orders(first: Int, filter: Filter): [Order!]! } ${ORDER} ${filter} enum Kind { NEW }`;
    expect(permitted(sdl)).toEqual({
      schema: 'type Query { orders(first: Int): [Order!]! } type Order { id: ID! } enum Kind { NEW }',
    });
  });

  test('may be so because of another one', () => {
    const whole = buildSchema(
      'type Query { find(outer: Outer!): Int } input Outer { inner: Inner! } input Inner { tenant: Int! }',
    );
    const part = permittedSchema(
      'type Query { find(outer: Outer!): Int } input Outer { inner: Inner! } input Inner { tenant: Int! @preset(value: 1) }',
      whole,
    );
    expect('schema' in part && printSchema(part.schema)).toBe('type Query {\n  find: Int\n}');
  });

  test('is refused in a list, where no item would mean no preset', () => {
    const whole = buildSchema('type Query { find(all: [Filter!], one: Filter): Int } input Filter { tenant: Int }');
    const part = permittedSchema(
      'type Query { find(all: [Filter!], one: Filter): Int } input Filter { tenant: Int @preset(value: 1) }',
      whole,
    );
    expect('problems' in part && part.problems).toContain(
      '"Query.find.all" is a list of "Filter", whose fields are all preset: preset the list itself, or omit it',
    );
  });
});

describe('a preset', () => {
  test('is not among what the role sees', () => {
    const sdl = `
      type Query {
        orders(first: Int, after: String @preset(value: "a"), filter: Filter): [Order!]!
        search(need: Need! @preset(value: { tenant: 1 })): [Result!]!
      }
      input Filter { tenant: Int @preset(value: "x-hasura-tenant-id") also: Filter }
      input Need { tenant: Int! }
      union Result = Order ${ORDER}`;
    expect(permitted(sdl)).toEqual({
      schema: expect.stringContaining(
        'type Query { orders(first: Int, filter: Filter): [Order!]! search: [Result!]! }',
      ),
    });
    expect(permitted(sdl)).toEqual({ schema: expect.stringContaining('input Filter { also: Filter }') });
    expect(permitted(sdl)).toEqual({ schema: expect.not.stringContaining('preset') });
  });

  test.each<[what: string, sdl: string, problem: string | RegExp]>([
    ['without a value', orders('first: Int @preset'), '@preset of "Query.orders.first": expected an argument "value"'],
    [
      'with an argument too many',
      orders('first: Int @preset(value: 1, statik: true)'),
      '@preset of "Query.orders.first": unknown argument "statik": expected "value" and "static"',
    ],
    [
      'static, but neither true nor false',
      orders('first: Int @preset(value: 1, static: "yes")'),
      '@preset of "Query.orders.first": "static" must be true or false',
    ],
    [
      'of another type',
      orders('first: Int @preset(value: "many")'),
      /^@preset of "Query\.orders\.first": Int cannot represent/,
    ],
    [
      'too large',
      orders('first: Int @preset(value: 3000000000)'),
      /^@preset of "Query\.orders\.first": Int cannot represent/,
    ],
    [
      'an object for a scalar',
      orders('first: Int @preset(value: { a: 1 })'),
      /^@preset of "Query\.orders\.first": Int cannot represent/,
    ],
    [
      'no value of the enum',
      orders('kinds: [Kind!] @preset(value: [NEW, ANCIENT])'),
      /^@preset of "Query\.orders\.kinds": Value "ANCIENT" does not exist in "Kind" enum/,
    ],
    [
      'an object with a field that there is not',
      `${orders('filter: Filter @preset(value: { tenants: 1 })')} input Filter { tenant: Int }`,
      /^@preset of "Query\.orders\.filter": Field "tenants" is not defined by type "Filter"/,
    ],
    [
      'an object with such a field and a session variable',
      `${orders('filter: Filter @preset(value: { tenants: "x-hasura-tenant-id" })')} input Filter { tenant: Int }`,
      '@preset of "Query.orders.filter": "Filter" has no field "tenants"',
    ],
    [
      'an object with a wrong field beside a session variable',
      `${orders('filter: Filter @preset(value: { also: { kind: "NO" }, tenant: "x-hasura-tenant-id" })')} input Filter { tenant: Int kind: Kind also: Filter }`,
      /^@preset of "Query\.orders\.filter": Value "NO" does not exist in "Kind" enum/,
    ],
    [
      'a list with a session variable for an enum',
      `type Query { orders(filter: Filter): [Order!]! } ${ORDER} input Filter { kind: Kind @preset(value: ["x-hasura-kind"]) } enum Kind { NEW }`,
      '@preset of "Filter.kind": expected Kind, found a list',
    ],
    [
      'an object without a field that is required',
      `type Query { search(need: Need! @preset(value: { tags: ["x-hasura-user-id"] })): [Result!]! } input Need { tenant: Int! text: String! = "a" tags: [String!] } union Result = Order ${ORDER}`,
      '@preset of "Query.search.need": the field "tenant" of "Need" is missing',
    ],
    [
      'at a field',
      `type Query { node: Node @preset(value: 1) } interface Node { id: ID! }`,
      '@preset is allowed only once, on an argument or on a field of an input object',
    ],
    [
      'at a type',
      `type Query { node: Node } interface Node @preset(value: 1) { id: ID! }`,
      '@preset is allowed only once, on an argument or on a field of an input object',
    ],
    [
      'twice',
      orders('first: Int @preset(value: 1) @preset(value: 2)'),
      '@preset is allowed only once, on an argument or on a field of an input object',
    ],
    [
      'at an argument that there is not',
      orders('last: Int @preset(value: 1)'),
      '"Query.orders" has no "last" in the remote schema',
    ],
    [
      'at an argument of another type',
      orders('first: String @preset(value: "a")'),
      '"Query.orders.first" has the type String, in the remote schema it has Int',
    ],
  ])('is reported when it is invalid: %s', (_, sdl, problem) => {
    expect(problems(sdl)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  test('cannot be evaded through an interface', () => {
    const part = (node: string, order: string) =>
      `type Query { node: Node } interface Node { notes(${node}): String } type Order implements Node { notes(${order}): String }`;
    const preset = 'tenant: Int @preset(value: 1)';
    const evaded =
      '@preset of "Order.notes.tenant": "Node.notes.tenant" requires the same preset, otherwise the preset could be bypassed there';
    expect(problems(part(preset, preset))).toEqual([]);
    expect(problems(part('tenant: Int', preset))).toEqual([evaded]);
    expect(problems(part('tenant: Int @preset(value: 2)', preset))).toEqual([evaded]);
    expect(problems(part('tenant: Int @preset(value: "x-hasura-tenant-id")', preset))).toEqual([evaded]);
    const ofItsOwn = 'deep: Boolean @preset(value: false)';
    expect(problems(part('tenant: Int', `tenant: Int, ${ofItsOwn}`))).toEqual([
      '@preset of "Order.notes.deep": "Node.notes.deep" requires the same preset, otherwise the preset could be bypassed there',
    ]);
  });
});

test('an input object of which everything is preset cannot be evaded through an interface', () => {
  const whole = buildSchema(`type Query { node: Node } interface Node { notes: String }
    type Order implements Node { notes(of: Filter): String } input Filter { tenant: Int deeper: Filter }`);
  const part = (filter: string) =>
    `type Query { node: Node } interface Node { notes: String } type Order implements Node { notes(of: Filter): String }
    input Filter { ${filter} }`;
  const tenant = 'tenant: Int @preset(value: "x-hasura-tenant-id")';
  expect(permittedSchema(part(tenant), whole)).toMatchObject({
    problems: [
      '"Order.notes.of" is preset as a whole: "Node.notes" requires the same argument, otherwise the preset could be bypassed there',
    ],
  });
  // Where something is left to the client, it may leave the argument out as well.
  expect(permittedSchema(part(`${tenant} deeper: Filter`), whole)).not.toHaveProperty('problems');
});

describe('a default in a permission', () => {
  test.each(['first: Int', 'first: Int = 10'])('may be left out or repeated: %s', (argument) => {
    expect(problems(orders(argument))).toEqual([]);
  });

  test.each([
    ['first: Int = 20', '"Query.orders.first" has the default 20, in the remote schema it has 10'],
    ['after: String = ""', '"Query.orders.after" has the default "", in the remote schema it has none'],
  ])('must not be another one: %s', (argument, problem) => {
    expect(problems(orders(argument))).toEqual([problem]);
  });
});

describe('a part that would be no schema is refused', () => {
  test.each([
    [
      'an interface that the type does not have',
      `type Query { node: Node } interface Node { id: ID! } interface Named { name: String } type Order implements Node & Named { id: ID! name: String }`,
      '"Order" does not implement "Named" in the remote schema',
    ],
    [
      'a type without a field of its interface',
      'type Query { node: Node } interface Node { id: ID! notes: String } type Order implements Node { id: ID! }',
      'Interface field Node.notes expected but Order does not provide it.',
    ],
    [
      'an unknown directive',
      'type Query { node: Node } interface Node { id: ID! @secret }',
      'Unknown directive "@secret".',
    ],
    [
      'a type twice',
      `type Query { node: Node } interface Node { id: ID! } scalar Node`,
      'There can be only one type named "Node".',
    ],
  ])('%s', (_, sdl, problem) => {
    expect(problems(sdl)).toEqual([problem]);
  });

  test('with all of its reasons, each for itself', () => {
    expect(problems('type Query { node: Phantom orders: Spectre }')).toEqual([
      'Unknown type "Phantom": the SDL of a permission must declare each type that it uses, including scalars',
      'Unknown type "Spectre": the SDL of a permission must declare each type that it uses, including scalars',
    ]);
  });
});

describe('a service may answer a role with more than its part', () => {
  const more = (sdl: string) => {
    const part = permittedSchema(sdl, WHOLE);
    if ('problems' in part) throw new Error(part.problems.join());
    return narrowedTypes(part.schema, WHOLE);
  };
  const search = 'type Query { search(need: Need!): [Result!]! } input Need { tenant: Int! }';

  test.each([
    [
      'a member of a union is left out',
      `${search} union Result = Order ${ORDER}`,
      { objects: new Map([['Result', new Set(['Order'])]]), values: new Map() },
    ],
    [
      'a type with an interface is left out',
      'type Query { node: Node } interface Node { id: ID! }',
      { objects: new Map([['Node', new Set()]]), values: new Map() },
    ],
    [
      'a value of an enum is left out',
      `type Query { orders(kinds: [Kind!]): [Order!]! } ${ORDER} enum Kind { NEW }`,
      { objects: new Map(), values: new Map([['Kind', new Set(['NEW'])]]) },
    ],
  ])('where %s', (_, sdl, narrowed) => {
    expect(more(sdl)).toEqual(narrowed);
  });

  test('and not where only fields are left out', () => {
    expect(more(`${search} union Result = Order | Page ${ORDER} type Page { url: String }`)).toBeUndefined();
    expect(narrowedTypes(WHOLE, WHOLE)).toBeUndefined();
  });
});
