import { describe, expect, test } from '@jest/globals';
import { buildSchema, execute, type GraphQLSchema, getIntrospectionQuery, Kind, parse, validate } from 'graphql';
import { Introspections } from '../../../gateway/graphql/introspection/index.ts';
import { largeSchema, usualDocuments } from './documents.ts';

const SHOP = buildSchema(/* GraphQL */ `
  directive @tag(name: String! = "none", more: [Weight!]) repeatable on FIELD_DEFINITION | OBJECT
  """A shop, "quoted",\nwith ünïcode \u{1f6aa}."""
  schema {
    query: ShopQuery
    mutation: ShopMutation
    subscription: ShopSubscription
  }
  interface Node {
    id: ID!
  }
  interface Priced implements Node {
    id: ID!
    price(currency: Currency = EUR, old: Int @deprecated(reason: "unused")): Float
  }
  enum Currency {
    EUR
    "Old."
    DEM @deprecated
  }
  scalar Weight @specifiedBy(url: "https://example.com/weight")
  input Filter {
    names: [[String!]!] = [["a", "b"]]
    inner: Filter
    limit: Int = 10 @deprecated(reason: """use "first" now""")
    currency: Currency! = DEM
  }
  input One @oneOf {
    a: Int
    b: String
  }
  type Product implements Priced & Node {
    id: ID!
    price(currency: Currency = EUR, old: Int): Float
    weight: Weight
    "What it is made of."
    parts(filter: Filter = { limit: 3, names: [] }, one: One): [Product!]!
    gone: String @deprecated(reason: "it is gone")
  }
  type Service implements Node {
    id: ID!
    product: Product
  }
  union Thing = Product | Service
  type ShopQuery implements Node {
    id: ID!
    things(kinds: [String!] = ["all"]): [Thing]
    node(id: ID!): Node
  }
  type ShopMutation {
    buy(id: ID!): Product
  }
  type ShopSubscription {
    sold: Product
  }
`);

async function answerTo(schema: GraphQLSchema, text: string, variables: Record<string, unknown> = {}) {
  const document = parse(text);
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new Error('no operation');
  const prepared = new Introspections().of(schema).prepare(document, operation);
  const answer = await new Promise<Parameters<Parameters<typeof prepared>[1]>[0]>((done) => prepared(variables, done));
  return Array.isArray(answer) ? Buffer.concat(answer).toString('utf8') : answer;
}

/** The text that graphql-js's own answer has. */
function expected(schema: GraphQLSchema, text: string, variables: Record<string, unknown> = {}) {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  return JSON.stringify(execute({ schema, document, variableValues: variables }));
}

/** Compares what is around the first difference: to show all of it takes minutes where the texts are long. */
async function expectSame(schema: GraphQLSchema, text: string, variables: Record<string, unknown> = {}) {
  const answer = String(await answerTo(schema, text, variables));
  const wanted = expected(schema, text, variables);
  let at = 0;
  while (at < wanted.length && answer[at] === wanted[at]) at += 1;
  const around = (whole: string) => whole.slice(Math.max(0, at - 100), at + 100);
  expect(around(answer)).toBe(around(wanted));
  expect(answer.length).toBe(wanted.length);
}

describe('an introspection is answered as by graphql-js', () => {
  test.each(usualDocuments())('when %s asks', async (_, text, variables) => {
    await expectSame(SHOP, text, variables);
  });

  test.each([
    ['of the name of the root type', '{ __typename again: __typename }'],
    ['of the name of another root type', 'mutation { __typename }'],
    [
      'of a type that is there and one that is not',
      '{ a: __type(name: "Product") { name } b: __type(name: "No") { name } }',
    ],
    ['under aliases', '{ s: __schema { t: types { n: name n2: name k: kind } } }'],
    ['twice under one name', '{ __schema { types { name } types { kind name } } __schema { queryType { name } } }'],
    [
      'by fragments, some of them on interfaces',
      `{ ...a ...a } fragment a on ShopQuery { ... on Node { __typename } ... on ShopQuery { __schema { ...b } } ... { __schema { queryType { ...c } } } }
       fragment b on __Schema { types { ...c ...c } } fragment c on __Type { name __typename ...d } fragment d on __Type { kind }`,
    ],
    [
      'of deprecated members',
      '{ __type(name: "Product") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } all: fields { name } } }',
    ],
    [
      'of arguments',
      '{ __type(name: "Priced") { fields { args(includeDeprecated: true) { name defaultValue isDeprecated } } possibleTypes { name } } }',
    ],
    [
      'of an input',
      '{ __type(name: "Filter") { isOneOf inputFields(includeDeprecated: true) { name defaultValue type { name ofType { name ofType { ofType { ofType { name } } } } } } } }',
    ],
    [
      'of an enum',
      '{ __type(name: "Currency") { enumValues { name } all: enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } } }',
    ],
    [
      'of what a type does not have',
      '{ __type(name: "Weight") { fields { name } interfaces { name } possibleTypes { name } enumValues { name } inputFields { name } ofType { name } specifiedByURL isOneOf } }',
    ],
    [
      'of directives',
      '{ __schema { description directives { name isRepeatable locations args { name defaultValue type { kind name } } } } }',
    ],
    [
      'of fields of the types of fields',
      '{ __schema { types { fields { type { name fields { name type { name } } } } } } }',
    ],
    ['of nothing that is left', '{ __schema @skip(if: true) { types { name } } }'],
    ['of a part where nothing is left', '{ __schema { types @include(if: false) { name } } }'],
  ])('when it is asked %s', async (_, text) => {
    await expectSame(SHOP, text);
  });

  test.each([
    [{ name: 'Product', deprecated: true, only: true }],
    [{ name: 'Service', deprecated: false, only: false }],
    [{ name: 'Thing', only: true, other: 'not declared' }],
  ])('with the variables %j', async (variables) => {
    const text = `query($name: String!, $deprecated: Boolean = true, $only: Boolean!) {
      __type(name: $name) { name ...f @include(if: $only) possibleTypes { name } }
    } fragment f on __Type { fields(includeDeprecated: $deprecated) { name type { ofType @skip(if: $only) { name } } } }`;
    await expectSame(SHOP, text, variables);
  });

  test('of a large schema, with all there is to say', async () => {
    const schema = largeSchema(300);
    const text = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    await expectSame(schema, text);
  });
});
