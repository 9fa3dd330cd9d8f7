import type { Case } from './case.ts';

const part = { __typename: 'Part', id: 'p1', name: 'bolt', weight: 3 };
const SUBGRAPHS = {
  shop: `schema { query: Root mutation: Change } type Root { part: Part count: Int } type Change { make: Part }
    type Part @key(fields: "id") { id: ID! name: String }`,
  scale: 'type Part @key(fields: "id") { id: ID! weight: Int }',
};

/** The composer calls root types `Query` and `Mutation`; who composes in another way may keep names of their own. */
export const rootTypeNames: Case = {
  name: 'root types with names of their own',
  ways: ['supergraph'],
  subgraphs: SUBGRAPHS,
  edited: {
    subgraphs: SUBGRAPHS,
    edit: (supergraphSdl) =>
      supergraphSdl
        .replace('query: Query', 'query: Root')
        .replace('mutation: Mutation', 'mutation: Change')
        .replace('type Query', 'type Root')
        .replace('type Mutation', 'type Change'),
  },
  roots: { Root: { part, count: 1 }, Change: { make: part } },
  entities: [part],
  operations: [
    { text: '{ part { name weight } }', expected: { data: { part: { name: 'bolt', weight: 3 } } } },
    { text: '{ count part @skip(if: true) { name } }', expected: { data: { count: 1 } } },
    { text: '{ part @skip(if: true) { name } }', expected: { data: {} } },
    // The graph's own name, which its schema has too.
    { text: '{ __typename count }', expected: { data: { __typename: 'Query', count: 1 } } },
    { text: 'mutation { make { weight } }', expected: { data: { make: { weight: 3 } } } },
  ],
};
