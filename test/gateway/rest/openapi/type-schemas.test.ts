import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLInputType, type GraphQLSchema } from 'graphql';
import { createTypeSchemas, type TypeSchemas } from '../../../../gateway/transports/rest/openapi/type-schemas.ts';

const SDL = /* GraphQL */ `
  scalar Colour
  scalar bigint
  enum Kind { BOOK "Played." GAME }
  "What to look for."
  input Filter {
    "A piece of it."
    name: String
    kind: Kind! = BOOK
    page: Page!
    either: [Filter!]
    size: bigint
    old: Int @deprecated(reason: "Gone.")
  }
  input Page { first: Int = 10 colour: Colour after: [ID!]! = ["a"] }
  type Query { f(filter: Filter, page: Page!, list: [Kind]): Int }
`;

function argument(schema: GraphQLSchema, name: string): GraphQLInputType {
  const found = schema
    .getQueryType()
    ?.getFields()
    .f?.args.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no argument ${name}`);
  return found.type;
}

function input(sdl: string, name: string, types: TypeSchemas) {
  return types.input(argument(buildSchema(sdl), name));
}

describe('an input', () => {
  test('object is a component of its own, with everything that it holds', () => {
    const types = createTypeSchemas();
    expect(input(SDL, 'filter', types)).toEqual({ anyOf: [{ $ref: '#/components/schemas/Filter' }, { type: 'null' }] });
    expect(types.components).toEqual({
      Filter: {
        description: 'What to look for.',
        type: 'object',
        properties: {
          name: { type: ['string', 'null'], description: 'A piece of it.' },
          kind: { $ref: '#/components/schemas/Kind', default: 'BOOK' },
          page: { $ref: '#/components/schemas/Page' },
          either: { type: ['array', 'null'], items: { $ref: '#/components/schemas/Filter' } },
          size: { type: ['integer', 'string', 'null'] },
          old: { type: ['integer', 'null'], format: 'int32', deprecated: true },
        },
        required: ['page'],
        additionalProperties: false,
      },
      Kind: { type: 'string', enum: ['BOOK', 'GAME'] },
      Page: {
        type: 'object',
        properties: {
          first: { type: ['integer', 'null'], format: 'int32', default: 10 },
          colour: { anyOf: [{ $ref: '#/components/schemas/Colour' }, { type: 'null' }] },
          after: { type: 'array', items: { type: 'string' }, default: ['a'] },
        },
        additionalProperties: false,
      },
      Colour: { description: 'A value of the scalar Colour' },
    });
  });

  test('list may hold null where the type lets it', () => {
    const items = { anyOf: [{ $ref: '#/components/schemas/Kind' }, { type: 'null' }] };
    expect(input(SDL, 'list', createTypeSchemas())).toEqual({ type: ['array', 'null'], items });
  });

  test('object of which exactly one field is taken says so', () => {
    const types = createTypeSchemas();
    input('input By @oneOf { id: ID name: String } type Query { f(by: By!): Int }', 'by', types);
    expect(types.components.By).toMatchObject({ minProperties: 1, maxProperties: 1 });
  });

  test('type of which two graphs show different parts is two components', () => {
    const types = createTypeSchemas();
    const part = SDL.replace('colour: Colour ', '');
    expect(input(SDL, 'page', types)).toEqual({ $ref: '#/components/schemas/Page' });
    expect(input(SDL, 'page', types)).toEqual({ $ref: '#/components/schemas/Page' });
    expect(input(part, 'page', types)).toEqual({ $ref: '#/components/schemas/Page.2' });
    expect(input(part, 'page', types)).toEqual({ $ref: '#/components/schemas/Page.2' });
    // A filter holds a page, so its two parts differ as well, although they read the same.
    input(SDL, 'filter', types);
    expect(input(part, 'filter', types)).toMatchObject({ anyOf: [{ $ref: '#/components/schemas/Filter.2' }, {}] });
    expect(types.components['Filter.2']).toMatchObject({
      properties: {
        page: { $ref: '#/components/schemas/Page.2' },
        either: { items: { $ref: '#/components/schemas/Filter.2' } },
      },
    });
  });
});
