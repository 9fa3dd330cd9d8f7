import type { DataObject, FieldScope } from '../strict-services.ts';
import type { Case } from './case.ts';

const crate = { __typename: 'Crate', id: 'c1', size: { __typename: 'Size', width: 3, height: 4 } };

/** One service lacks a field of a value that it shares, and the objects are reached as an interface. */
export const sharedValueBelowInterface: Case = {
  name: 'a value below an interface of which another service has more',
  subgraphs: {
    depot: `type Query { carried: Carried all: [Carried!]! } interface Carried { size: Size }
      type Size { width: Int @shareable } type Crate implements Carried @key(fields: "id") { id: ID! size: Size @shareable }`,
    scale: `type Crate @key(fields: "id") { id: ID! size: Size @shareable } type Size { width: Int @shareable height: Int }`,
  },
  roots: { Query: { carried: crate, all: [crate, crate] } },
  entities: [crate],
  operations: [
    {
      text: '{ carried { size { width height } } }',
      expected: { data: { carried: { size: { width: 3, height: 4 } } } },
    },
    {
      text: '{ all { ... on Carried { s: size { h: height } } } }',
      expected: { data: { all: [{ s: { h: 4 } }, { s: { h: 4 } }] } },
    },
    {
      text: '{ carried { ... on Crate { size { height } } } }',
      expected: { data: { carried: { size: { height: 4 } } } },
    },
  ],
};

const customers = [1, 2].map((level) => ({ __typename: 'Customer', id: `u${level}`, level }));
const invoices = customers.map((customer) => ({
  __typename: 'Invoice',
  customer,
  note: (_: unknown, { required }: FieldScope) =>
    `level ${(required as { customer: { level: number } }).customer.level}`,
}));

const REQUIRING: Case['operations'] = [
  {
    text: '{ invoices { note c: customer { level } } }',
    expected: { data: { invoices: [1, 2].map((level) => ({ note: `level ${level}`, c: { level } })) } },
  },
  {
    text: '{ invoices { note customer { level: id value: level } } }',
    expected: {
      data: {
        invoices: [1, 2].map((level) => ({ note: `level ${level}`, customer: { level: `u${level}`, value: level } })),
      },
    },
  },
  {
    text: '{ invoices { note customer { level } } }',
    expected: { data: { invoices: [1, 2].map((level) => ({ note: `level ${level}`, customer: { level } })) } },
  },
  {
    text: '{ invoices { note } }',
    expected: { data: { invoices: [{ note: 'level 1' }, { note: 'level 2' }] } },
  },
];

/** The key of an entity is the key of another one, of which it requires more. */
export const requirementWithinKey: Case = {
  name: 'a requirement within the object that is the key',
  subgraphs: {
    invoices: `type Query { invoices: [Invoice!]! }
      type Invoice @key(fields: "customer { id }") { customer: Customer @shareable
        note: String @requires(fields: "customer { level }") }
      type Customer @key(fields: "id") { id: ID! level: Int @external }`,
    customers: 'type Customer @key(fields: "id") { id: ID! level: Int }',
  },
  roots: { Query: { invoices } },
  entities: [...customers, ...invoices],
  operations: REQUIRING,
};

/** The same where the note is another service's. */
export const requirementWithinKeyElsewhere: Case = {
  name: 'a requirement within the object that is the key, of another service',
  subgraphs: {
    invoices: `type Query { invoices: [Invoice!]! } type Invoice @key(fields: "customer { id }") { customer: Customer @shareable }
      type Customer @key(fields: "id") { id: ID! level: Int }`,
    notes: `type Invoice @key(fields: "customer { id }") { customer: Customer @shareable
      note: String @requires(fields: "customer { level }") }
      type Customer @key(fields: "id") { id: ID! level: Int @external }`,
  },
  roots: { Query: { invoices } },
  entities: [...customers, ...invoices],
  operations: REQUIRING,
};

const settings = {
  __typename: 'Settings',
  theme: 'dark',
  limit: 5,
  label: (_: unknown, { required }: FieldScope) => `at most ${required.limit}`,
};

/** There is one object of a type, which needs nothing to be found but its type's name. */
export const typeNameAsKey: Case = {
  name: 'a key that is the name of the type alone',
  subgraphs: {
    look: `type Query { settings: Settings } type Settings @key(fields: "__typename") { theme: String
      limit: Int @external label: String @requires(fields: "limit") }`,
    limits: 'type Settings @key(fields: "__typename") { limit: Int }',
  },
  roots: { Query: { settings } },
  entities: [settings],
  operations: [
    { text: '{ settings { theme limit } }', expected: { data: { settings: { theme: 'dark', limit: 5 } } } },
    { text: '{ settings { limit } }', expected: { data: { settings: { limit: 5 } } } },
    { text: '{ settings { label } }', expected: { data: { settings: { label: 'at most 5' } } } },
  ],
};

const people: DataObject[] = [0, 1, 2, 3].map((at) => ({
  __typename: 'Person',
  id: `p${at}`,
  name: `name ${at}`,
  chief: () => people[at + 1] ?? null,
}));

/** Of a type that contains itself, a field is provided one level deep only. */
export const providedOfRecursiveType: Case = {
  name: 'a field that is provided on one level of a recursive type',
  subgraphs: {
    staff: `type Query { first: Person @provides(fields: "chief { name }") }
      type Person @key(fields: "id") { id: ID! chief: Person @shareable name: String @external }`,
    names: 'type Person @key(fields: "id") { id: ID! name: String @shareable }',
  },
  roots: { Query: { first: people[0] } },
  entities: people,
  operations: [
    {
      text: '{ first { name chief { name chief { name } } } }',
      expected: { data: { first: { name: 'name 0', chief: { name: 'name 1', chief: { name: 'name 2' } } } } },
    },
    { text: '{ first { chief { name } } }', expected: { data: { first: { chief: { name: 'name 1' } } } } },
    {
      text: '{ first { chief { chief { chief { name } } } } }',
      expected: { data: { first: { chief: { chief: { chief: { name: 'name 3' } } } } } },
    },
  ],
};

const boats = [1, 2].map((number) => ({
  __typename: 'Boat',
  id: `b${number}`,
  length: ({ scale }: { scale: number }) => number * scale,
  name: `boat ${number}`,
  inFeet: (_: unknown, { required }: FieldScope) => `${required.length}`,
  inMetres: (_: unknown, { required }: FieldScope) => `${required.length}`,
}));

/** One service requires a field with different arguments, and has another field that requires nothing. */
export const requirementsByArguments: Case = {
  name: 'requirements of one field with different arguments, beside a field that requires nothing',
  subgraphs: {
    boats: 'type Query { boats: [Boat!]! } type Boat @key(fields: "id") { id: ID! length(scale: Int!): Int }',
    papers: `type Boat @key(fields: "id") { id: ID! length(scale: Int!): Int @external name: String
      inFeet: String @requires(fields: "length(scale: 3)")
      inMetres: String @requires(fields: "length(scale: 1)") }`,
  },
  roots: { Query: { boats } },
  entities: boats,
  operations: [
    {
      text: '{ boats { name inFeet inMetres } }',
      expected: {
        data: {
          boats: [1, 2].map((number) => ({
            name: `boat ${number}`,
            inFeet: `${3 * number}`,
            inMetres: `${number}`,
          })),
        },
      },
    },
  ],
};
