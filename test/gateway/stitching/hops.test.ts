import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const { allStitchingDirectivesTypeDefs } = stitchingDirectives();

type Resolvers = NonNullable<Parameters<typeof graphqlUpstream>[1]>;

/** A service with stitching directives; its entry points take `ids`, and know objects by these alone. */
async function service(name: string, typeDefs: string, resolvers: Resolvers) {
  const sdl = `${allStitchingDirectivesTypeDefs} ${typeDefs}`;
  const given = resolvers as { Query?: object };
  const query = { ...given.Query, _sdl: () => sdl };
  const { graphqlUrl: url } = await keep(graphqlUpstream(sdl, { ...resolvers, Query: query } as Resolvers));
  return { name, definition: { url, composition: 'stitching' } };
}

const byIds = (_: unknown, { ids }: { ids: string[] }) => ids.map((id) => ({ id }));
const typed = { __resolveType: ({ __typename }: { __typename: string }) => __typename };

/** From authors to their media, and from these to reviews, over three services. */
async function openMedia() {
  const remotes = [
    await service('authors', 'type Query { author: Author _sdl: String! } type Author { id: ID! name: String! }', {
      Query: { author: () => ({ id: 'a1', name: 'Ada' }) },
    }),
    await service(
      'media',
      `type Query { _authors(ids: [ID!]!): [Author] @merge(keyField: "id") _sdl: String! }
       type Author { id: ID! first: Book latest: Media works: [Media!]! }
       interface Media { id: ID! title: String! }
       type Book implements Media { id: ID! title: String! }
       type Film implements Media { id: ID! title: String! minutes: Int! }`,
      {
        Query: { _authors: byIds },
        Author: {
          first: () => ({ id: 'b1', title: 'One' }),
          latest: () => ({ __typename: 'Film', id: 'f1', title: 'Two', minutes: 90 }),
          works: () => [
            { __typename: 'Book', id: 'b1', title: 'One' },
            { __typename: 'Film', id: 'f1', title: 'Two', minutes: 90 },
          ],
        },
        Media: typed,
      },
    ),
    await service(
      'reviews',
      `type Query { _books(ids: [ID!]!): [Book] @merge(keyField: "id") _films(ids: [ID!]!): [Film] @merge(keyField: "id")
         _sdl: String! }
       type Book { id: ID! rating: Int broken: String }
       type Film { id: ID! rating: Int strict: String! }`,
      {
        Query: { _books: byIds, _films: byIds },
        Book: {
          rating: () => 5,
          broken: ({ id }: { id: string }) => {
            throw new GraphQLError(`no review of ${id}`);
          },
        },
        Film: {
          rating: () => 4,
          strict: () => {
            throw new GraphQLError('not reviewed');
          },
        },
      },
    ),
  ];
  const gateway = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': remotes } }));
  return async (query: string) => (await gateway.graphql(query, { token })).body;
}
const ask = await openMedia();

describe('over three services', () => {
  test('the second is asked for the keys of the third, whether the client selects them or not', async () => {
    expect(await ask('{ author { first { rating } } }')).toEqual({ data: { author: { first: { rating: 5 } } } });
    expect(await ask('{ author { first { id rating } } }')).toEqual({
      data: { author: { first: { id: 'b1', rating: 5 } } },
    });
  });

  test('an interface may be in the middle', async () => {
    expect(await ask('{ author { latest { ... on Film { rating } ... on Book { rating } } } }')).toEqual({
      data: { author: { latest: { rating: 4 } } },
    });
    expect(await ask('{ author { works { ... on Film { rating minutes } ... on Book { stars: rating } } } }')).toEqual({
      data: { author: { works: [{ stars: 5 }, { rating: 4, minutes: 90 }] } },
    });
  });

  test('names of types may stand under any key', async () => {
    expect(await ask('{ author { latest { __isMedia: __typename id } } }')).toEqual({
      data: { author: { latest: { __isMedia: 'Film', id: 'f1' } } },
    });
    expect(await ask('{ author { works { id: __typename ... on Book { rating } } } }')).toEqual({
      data: { author: { works: [{ id: 'Book', rating: 5 }, { id: 'Film' }] } },
    });
  });

  test('what a client calls as keys are called is not taken for them', async () => {
    expect(await ask('{ author { id: name first { id: title rating } } }')).toEqual({
      data: { author: { id: 'Ada', first: { id: 'One', rating: 5 } } },
    });
  });

  test('nothing is added to an object of which all is skipped', async () => {
    expect(await ask('{ author { works { ... on Film { minutes @include(if: false) } } } }')).toEqual({
      data: { author: { works: [{}, {}] } },
    });
  });

  test('an error has its whole path, through lists and conditions', async () => {
    const { data, errors } = await ask('{ author { works { ... on Book { id sad: broken } } } }');
    expect(data).toEqual({ author: { works: [{ id: 'b1', sad: null }, {}] } });
    expect(errors).toMatchObject([{ message: 'no review of b1', path: ['author', 'works', 0, 'sad'] }]);
  });

  test('a null that must not be is told of where it was', async () => {
    const { data, errors } = await ask('{ author { latest { ... on Film { rating strict } } } }');
    expect(data).toEqual({ author: { latest: null } });
    expect(errors).toMatchObject([{ message: 'not reviewed', path: ['author', 'latest', 'strict'] }]);
  });
});
