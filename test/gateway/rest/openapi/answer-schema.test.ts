import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLSchema, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { answerSchema } from '../../../../gateway/transports/rest/openapi/answer-schema.ts';
import { createTypeSchemas } from '../../../../gateway/transports/rest/openapi/type-schemas.ts';

const SCHEMA = buildSchema(/* GraphQL */ `
  scalar Colour
  scalar jsonb
  scalar timestamptz
  "How it is bound."
  enum Binding { HARD SOFT }
  interface Thing { id: ID! name: String }
  "A book."
  type Book implements Thing {
    id: ID!
    name: String
    pages: Int!
    "In the shop."
    price: Float
    binding: Binding
    colours: [Colour!]!
    sequel: Book
    tags: [String]
    extra: jsonb
    bound: timestamptz!
    old: Boolean @deprecated(reason: "Gone.")
  }
  type Game implements Thing { id: ID! name: String players: Int }
  type Song { id: ID! seconds: Int! }
  union Found = Book | Song
  type Query { book: Book books: [Book!]! things: [Thing!] found: Found shelves: [[Book]!] }
  type Mutation { buy(id: ID!): Boolean! }
`);

function described(query: string, schema: GraphQLSchema = SCHEMA) {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (!operation) throw new Error('no operation');
  const types = createTypeSchemas();
  return { answer: answerSchema({ operation, document, schema }, types), components: types.components };
}

const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
const INT = { type: 'integer', format: 'int32' };
const ID = { type: 'string' };

describe('an answer', () => {
  test('has exactly the fields that are selected, each with its type', () => {
    const { answer } = described('{ books { id pages price } }');
    const price = { type: ['number', 'null'], format: 'double', description: 'In the shop.' };
    expect(answer).toEqual(object({ books: { type: 'array', items: object({ id: ID, pages: INT, price }) } }));
  });

  test('may be null where the type lets it be, at each level of a list', () => {
    const { answer } = described('{ shelves { pages } book { tags } }');
    const book = { ...object({ pages: INT }), type: ['object', 'null'] };
    expect(answer).toEqual(
      object({
        shelves: { type: ['array', 'null'], items: { type: 'array', items: book } },
        book: {
          ...object({ tags: { type: ['array', 'null'], items: { type: ['string', 'null'] } } }),
          type: ['object', 'null'],
        },
      }),
    );
  });

  test('has fields under their aliases', () => {
    expect(described('mutation { first: buy(id: 1) second: buy(id: 2) }').answer).toEqual(
      object({ first: { type: 'boolean' }, second: { type: 'boolean' } }),
    );
  });

  test('has the fields of fragments, those that are selected twice put together', () => {
    const { answer } = described(`
      { ...all book { sequel { id } } }
      fragment all on Query { book { ...core sequel { pages } } }
      fragment core on Book { ... { id } }
    `);
    const sequel = { ...object({ pages: INT, id: ID }), type: ['object', 'null'] };
    expect(answer).toEqual(object({ book: { ...object({ id: ID, sequel }), type: ['object', 'null'] } }));
  });

  test('may lack what a variable takes out, and never has what is always taken out', () => {
    const { answer } = described(`query ($long: Boolean!) {
      book { id pages @include(if: $long) bound @skip(if: true) price @include(if: false) name @skip(if: false)
        ... @skip(if: $long) { name tags } }
    }`);
    const { properties, required } = (answer.properties as Record<string, { properties: object; required: string[] }>)
      .book as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(['id', 'pages', 'name', 'tags']);
    expect(required).toEqual(['id', 'name']);
  });

  test('has all of what is below a field that may be missing as a whole', () => {
    const { answer } = described('query ($long: Boolean!) { book @include(if: $long) { id } }');
    expect(answer).toEqual(object({ book: { ...object({ id: ID }), type: ['object', 'null'] } }, []));
  });

  test('may lack what only one of two uncertain selections asks for', () => {
    const { answer } = described(`query ($one: Boolean!, $two: Boolean!) {
      book @include(if: $one) { id } book @include(if: $two) { pages }
    }`);
    const book = { ...object({ id: ID, pages: INT }, []), type: ['object', 'null'] };
    expect(answer).toEqual(object({ book }, []));
  });

  test('says the name of a type where it is asked for', () => {
    expect(described('{ __typename book { kind: __typename } }').answer).toEqual(
      object({
        __typename: { type: 'string', const: 'Query' },
        book: { ...object({ kind: { type: 'string', const: 'Book' } }), type: ['object', 'null'] },
      }),
    );
  });

  test('is one of several objects where an interface or union stands', () => {
    const { answer } = described('{ found { __typename ... on Book { pages } ... on Song { seconds } } }');
    const found = [
      object({ __typename: { type: 'string', const: 'Book' }, pages: INT }),
      object({ __typename: { type: 'string', const: 'Song' }, seconds: INT }),
    ];
    expect(answer).toEqual(object({ found: { anyOf: [...found, { type: 'null' }] } }));
  });

  test('is one object where the same is selected of all of them', () => {
    const name = { type: ['string', 'null'] };
    expect(described('{ things { ... on Thing { id } name } }').answer).toEqual(
      object({ things: { type: ['array', 'null'], items: object({ id: ID, name }) } }),
    );
  });

  test('may be an empty object where nothing is selected of a type', () => {
    expect(described('{ found { ... on Thing { id } } }').answer).toEqual(
      object({ found: { anyOf: [object({ id: ID }), object({}, []), { type: 'null' }] } }),
    );
  });

  test('refers to enums and scalars of the service, and knows those whose names say what they are', () => {
    const { answer, components } = described('{ book { binding colours extra bound old } }');
    expect(answer.properties).toMatchObject({
      book: {
        properties: {
          binding: { anyOf: [{ $ref: '#/components/schemas/Binding' }, { type: 'null' }] },
          colours: { type: 'array', items: { $ref: '#/components/schemas/Colour' } },
          extra: {},
          bound: { type: 'string', format: 'date-time' },
          old: { type: ['boolean', 'null'], deprecated: true },
        },
      },
    });
    expect(components).toEqual({
      Binding: { type: 'string', enum: ['HARD', 'SOFT'], description: 'How it is bound.' },
      Colour: { description: 'A value of the scalar Colour' },
    });
  });

  test('can be of the schema itself', () => {
    const { answer } = described('{ __schema { queryType { name } } __type(name: "Book") { kind } }');
    expect(answer).toMatchObject({ required: ['__schema', '__type'], properties: { __schema: { type: 'object' } } });
  });
});
