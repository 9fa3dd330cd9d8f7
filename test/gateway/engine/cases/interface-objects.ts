import type { DataObject, FieldScope } from '../strict-services.ts';
import type { Case } from './case.ts';

const books: DataObject[] = [1, 2, 3].map((at) => ({
  __typename: 'Book',
  id: `b${at}`,
  weight: at * 100,
  pages: at * 10,
  near: () => books.filter(({ id }) => id !== `b${at}`),
  label: (_: unknown, { required }: FieldScope) => `${required.weight} grams`,
}));

/** Objects that only their interface is known of, one below the other, and what is required of them. */
export const interfaceObjectsBelowEachOther: Case = {
  name: 'requirements of interface objects below interface objects',
  subgraphs: {
    shop: `type Query { book: Book } type Mutation { make: Book } interface Item @key(fields: "id") { id: ID! weight: Int }
      type Book implements Item @key(fields: "id") { id: ID! weight: Int }`,
    pages: `interface Item @key(fields: "id") { id: ID! } type Book implements Item @key(fields: "id") { id: ID! pages: Int }`,
    tags: `type Query { items: [Item!]! } type Item @interfaceObject @key(fields: "id") { id: ID! near: [Item!]
      weight: Int @external label: String @requires(fields: "weight") }`,
  },
  roots: { Query: { book: books[0], items: books }, Mutation: { make: books[0] } },
  entities: books,
  operations: [
    {
      text: 'mutation { make { near { label } } }',
      expected: { data: { make: { near: [{ label: '200 grams' }, { label: '300 grams' }] } } },
    },
    {
      text: '{ book { label near { label ... on Book { pages } } } }',
      expected: {
        data: {
          book: {
            label: '100 grams',
            near: [
              { label: '200 grams', pages: 20 },
              { label: '300 grams', pages: 30 },
            ],
          },
        },
      },
    },
    {
      text: '{ items { __typename label weight } }',
      expected: {
        data: { items: [1, 2, 3].map((at) => ({ __typename: 'Book', label: `${at}00 grams`, weight: at * 100 })) },
      },
    },
    {
      text: '{ items { near { near { label } } } }',
      expected: {
        data: {
          items: [1, 2, 3].map((at) => ({
            near: [1, 2, 3]
              .filter((one) => one !== at)
              .map((one) => ({
                near: [1, 2, 3].filter((other) => other !== one).map((other) => ({ label: `${other}00 grams` })),
              })),
          })),
        },
      },
    },
  ],
};
