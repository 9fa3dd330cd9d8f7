import { afterAll, describe, expect, test } from '@jest/globals';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const hours = await keep(graphqlUpstream('type Query { hour: Int }', { Query: { hour: () => 3 } }));
const days = await keep(
  graphqlUpstream('type Query { day: Int } type Mutation { wait: Int }', {
    Query: { day: () => 4 },
    Mutation: { wait: () => 6 },
  }),
);
const SHELVES = `
  type Query {
    book: Int
    kept: Int @requiresScopes(scopes: [["keeper"]])
    shelf: Shelf
  }
  interface Shelf { size: Int }
  type Wood implements Shelf { size: Int }
  type Iron implements Shelf { size: Int }
`;
const RACKS = `
  type Query { word: String rack: Rack }
  interface Rack { size: Int }
  type Steel implements Rack { size: Int }
  type Tin implements Rack { size: Int }
`;
const rack = () => ({ __typename: 'Steel', size: 2 });
const words = await keep(graphqlUpstream(RACKS, { Query: { word: () => 'so', rack } }));
const books = await keep(
  apolloSubgraph(linked(SHELVES), {
    Query: { book: () => 5, shelf: () => ({ __typename: 'Wood', size: 2 }) },
  }),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'hours', definition: { url: hours.graphqlUrl } },
        { name: 'days', definition: { url: days.graphqlUrl } },
        { name: 'words', definition: { url: words.graphqlUrl, customization: { root_fields_namespace: 'words' } } },
        federated('books', books),
      ],
    },
  }),
);

/** With as many, whoever goes through a fragment each time that it is spread is never done. */
const LEVELS = 40;
/** No more directives may be in a document. */
const CONDITIONS = 24;

/** Fragments of which each spreads the next one twice, the last with `selections`. */
function spreading(type: string, selections: string, condition: string): string {
  const fragments = Array.from({ length: LEVELS }, (_, level) => {
    const next = `...${type}${level + 1}`;
    return `fragment ${type}${level} on ${type} { ${next} ${level < CONDITIONS ? condition : ''} ${next} }`;
  });
  return [...fragments, `fragment ${type}${LEVELS} on ${type} { ${selections} }`].join(' ');
}

describe.each([
  ['without conditions', ''],
  ['under conditions', '@include(if: true)'],
])('fragments that spread each other %s cost no more than their text', (_, condition) => {
  test.each([
    ['one service', '{ ...Query0 }', 'Query', 'hour', { hour: 3 }],
    ['two services', '{ ...Query0 }', 'Query', 'hour day', { hour: 3, day: 4 }],
    ['a mutation', 'mutation { ...Mutation0 }', 'Mutation', 'wait __typename', { wait: 6, __typename: 'Mutation' }],
    ['a namespace', '{ words { ...words_query0 } }', 'words_query', 'word', { words: { word: 'so' } }],
    ['a federation', '{ ...Query0 }', 'Query', 'book', { book: 5 }],
    ['a federation that refuses a field', '{ ...Query0 }', 'Query', 'book kept', { book: 5, kept: null }],
    [
      'an interface of a federation',
      '{ shelf { ...Shelf0 } }',
      'Shelf',
      'size ... on Wood { __typename }',
      { shelf: { size: 2, __typename: 'Wood' } },
    ],
  ])('of %s', async (_name, operation, type, selections, data) => {
    const query = `${operation} ${spreading(type, selections, condition)}`;
    const { body } = await gateway.graphql(query, { token: issuer.token() });
    expect(body.data).toEqual(data);
  });
});

/** Fragments of which each spreads two others, which both spread the next one; all are of `type` and its `member`. */
function meeting(type: string, member: string): string {
  const fragments = Array.from(
    { length: LEVELS },
    (_, level) => `fragment f${level} on ${type} { ...a${level} ...b${level} }
      fragment a${level} on ${member} { ...f${level + 1} }
      fragment b${level} on ${member} { ...f${level + 1} }`,
  );
  return [...fragments, `fragment f${LEVELS} on ${type} { size }`].join(' ');
}

test('fragments that two others of another type spread cost no more than their text', async () => {
  const query = `{ words { rack { ...f0 } } } ${meeting('Rack', 'Steel')}`;
  const { body } = await gateway.graphql(query, { token: issuer.token() });
  expect(body).toEqual({ data: { words: { rack: { size: 2 } } } });
});
