import type { FieldScope } from '../strict-services.ts';
import type { Case } from './case.ts';

const tool = {
  __typename: 'Tool',
  code: 't1',
  name: 'saw',
  price: 20,
  details: { __typename: 'ToolDetails', origin: 'PT', weight: 3 },
  isStored: true,
  title: (_: unknown, { required }: FieldScope) => `${required.name} for ${required.price}`,
};
const paper = {
  __typename: 'Paper',
  code: 'p1',
  name: 'map',
  price: 5,
  details: { __typename: 'PaperDetails', origin: 'ES', sheets: 1 },
  isStored: null,
};
const chart = {
  __typename: 'Chart',
  isbn: 'i1',
  code: 'c1',
  title: 'coast',
  year: 1999,
  name: (_: unknown, { required }: FieldScope) => `${required.title} ${required.year}`,
  price: 9,
  details: { __typename: 'PaperDetails', origin: 'FR', sheets: 2 },
  isStored: false,
};
const user = { __typename: 'User', id: 'u1', login: 'ana', wishes: [tool, paper] };

/** A supergraph as the gateways of the first version had it: joined by the specification 0.1, with owners of types. */
export const firstVersion: Case = {
  name: 'a supergraph of join 0.1',
  ways: ['supergraph'],
  subgraphs: {
    goods: {
      version: 1,
      sdl: `type Query { good(code: String!): Good goods: [Good] } interface Good { code: String! name: String price: Int details: Details }
        interface Details { origin: String } type ToolDetails implements Details { origin: String weight: Int }
        type PaperDetails implements Details { origin: String sheets: Int }
        type Tool implements Good @key(fields: "code") { code: String! name: String price: Int details: ToolDetails }
        type Paper implements Good @key(fields: "code") { code: String! name: String price: Int details: PaperDetails }
        extend type Chart implements Good @key(fields: "isbn") { isbn: String! @external title: String @external
        year: Int @external code: String! name: String @requires(fields: "title year") price: Int details: PaperDetails }`,
    },
    charts: {
      version: 1,
      sdl: `type Query { charts: [Chart] } type Chart @key(fields: "isbn") { isbn: String! title: String year: Int }`,
    },
    store: {
      version: 1,
      sdl: `extend type Tool @key(fields: "code") { code: String! @external name: String @external price: Int @external
        isStored: Boolean title: String @requires(fields: "name price") }
        extend type Paper @key(fields: "code") { code: String! @external isStored: Boolean }
        extend type Chart @key(fields: "isbn") { isbn: String! @external isStored: Boolean }`,
    },
    users: {
      version: 1,
      sdl: `type Query { me: User } type User @key(fields: "id") { id: ID! login: String }`,
    },
    wishes: {
      version: 1,
      sdl: `extend type User @key(fields: "id") { id: ID! @external wishes: [Good] } interface Good { code: String! }
        extend type Tool implements Good @key(fields: "code") { code: String! @external }
        extend type Paper implements Good @key(fields: "code") { code: String! @external }`,
    },
  },
  supergraphSdl: `schema @core(feature: "https://specs.apollo.dev/core/v0.2") @core(feature: "https://specs.apollo.dev/join/v0.1", for: EXECUTION)
      { query: Query }
    directive @core(feature: String!, as: String, for: core__Purpose) repeatable on SCHEMA
    directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet) on FIELD_DEFINITION
    directive @join__type(graph: join__Graph!, key: join__FieldSet) repeatable on OBJECT | INTERFACE
    directive @join__owner(graph: join__Graph!) on OBJECT | INTERFACE
    directive @join__graph(name: String!, url: String!) on ENUM_VALUE
    enum core__Purpose { EXECUTION SECURITY }
    scalar join__FieldSet
    enum join__Graph {
      GOODS @join__graph(name: "goods" url: "http://services.test/goods")
      CHARTS @join__graph(name: "charts" url: "http://services.test/charts")
      STORE @join__graph(name: "store" url: "http://services.test/store")
      USERS @join__graph(name: "users" url: "http://services.test/users")
      WISHES @join__graph(name: "wishes" url: "http://services.test/wishes")
    }
    type Query {
      good(code: String!): Good @join__field(graph: GOODS)
      goods: [Good] @join__field(graph: GOODS)
      charts: [Chart] @join__field(graph: CHARTS)
      me: User @join__field(graph: USERS)
    }
    interface Good { code: String! name: String price: Int details: Details isStored: Boolean }
    interface Details { origin: String }
    type ToolDetails implements Details { origin: String weight: Int }
    type PaperDetails implements Details { origin: String sheets: Int }
    type Tool implements Good @join__owner(graph: GOODS) @join__type(graph: GOODS, key: "code")
      @join__type(graph: STORE, key: "code") @join__type(graph: WISHES, key: "code") {
      code: String! @join__field(graph: GOODS)
      name: String @join__field(graph: GOODS)
      price: Int @join__field(graph: GOODS)
      details: ToolDetails @join__field(graph: GOODS)
      isStored: Boolean @join__field(graph: STORE)
      title: String @join__field(graph: STORE, requires: "name price")
    }
    type Paper implements Good @join__owner(graph: GOODS) @join__type(graph: GOODS, key: "code")
      @join__type(graph: STORE, key: "code") @join__type(graph: WISHES, key: "code") {
      code: String! @join__field(graph: GOODS)
      name: String @join__field(graph: GOODS)
      price: Int @join__field(graph: GOODS)
      details: PaperDetails @join__field(graph: GOODS)
      isStored: Boolean @join__field(graph: STORE)
    }
    type Chart implements Good @join__owner(graph: CHARTS) @join__type(graph: CHARTS, key: "isbn")
      @join__type(graph: GOODS, key: "isbn") @join__type(graph: STORE, key: "isbn") {
      isbn: String! @join__field(graph: CHARTS)
      title: String @join__field(graph: CHARTS)
      year: Int @join__field(graph: CHARTS)
      code: String! @join__field(graph: GOODS)
      name: String @join__field(graph: GOODS, requires: "title year")
      price: Int @join__field(graph: GOODS)
      details: PaperDetails @join__field(graph: GOODS)
      isStored: Boolean @join__field(graph: STORE)
    }
    type User @join__owner(graph: USERS) @join__type(graph: USERS, key: "id") @join__type(graph: WISHES, key: "id") {
      id: ID! @join__field(graph: USERS)
      login: String @join__field(graph: USERS)
      wishes: [Good] @join__field(graph: WISHES)
    }`,
  roots: {
    Query: {
      good: ({ code }: { code?: string }) => [tool, paper, chart].find((one) => one.code === code) ?? null,
      goods: [tool, paper],
      charts: [chart],
      me: user,
    },
  },
  entities: [tool, paper, chart, user],
  operations: [
    { text: '{ good(code: "c1") { name } }', expected: { data: { good: { name: 'coast 1999' } } } },
    {
      text: '{ good(code: "c1") { price ... on Chart { name isStored } } }',
      expected: { data: { good: { price: 9, name: 'coast 1999', isStored: false } } },
    },
    { text: '{ good(code: "t1") { name } }', expected: { data: { good: { name: 'saw' } } } },
    {
      text: '{ good(code: "t1") { name isStored ... on Tool { title details { weight } } } }',
      expected: { data: { good: { name: 'saw', isStored: true, title: 'saw for 20', details: { weight: 3 } } } },
    },
    {
      text: '{ goods { name details { origin } isStored } }',
      expected: {
        data: {
          goods: [
            { name: 'saw', details: { origin: 'PT' }, isStored: true },
            { name: 'map', details: { origin: 'ES' }, isStored: null },
          ],
        },
      },
    },
    {
      text: '{ me { login wishes { code name } } }',
      expected: {
        data: {
          me: {
            login: 'ana',
            wishes: [
              { code: 't1', name: 'saw' },
              { code: 'p1', name: 'map' },
            ],
          },
        },
      },
    },
    {
      text: 'query ($a: Boolean!, $b: Boolean!) { me { id @skip(if: $a) id @include(if: $b) login } }',
      variables: { a: true, b: true },
      expected: { data: { me: { id: 'u1', login: 'ana' } } },
    },
    {
      text: 'query ($a: Boolean!, $b: Boolean!) { me { id @skip(if: $a) id @include(if: $b) wishes { code } } }',
      variables: { a: true, b: true },
      expected: { data: { me: { id: 'u1', wishes: [{ code: 't1' }, { code: 'p1' }] } } },
    },
  ],
};
