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

  test('an alias with the name of a key is not taken for the key', async () => {
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

  test('a null in a non-null position is reported at its path', async () => {
    const { data, errors } = await ask('{ author { latest { ... on Film { rating strict } } } }');
    expect(data).toEqual({ author: { latest: null } });
    expect(errors).toMatchObject([{ message: 'not reviewed', path: ['author', 'latest', 'strict'] }]);
  });
});

/** Songs that the second service finds by one key, and that the third finds by a key of the second. */
async function openSongs({ failing }: { readonly failing: string }) {
  const unless = (field: string, value: unknown) => () => {
    if (field === failing) throw new GraphQLError(`no ${field}`);
    return value;
  };
  const remotes = [
    await service('shelves', 'type Query { song: Song _sdl: String! } type Song { id: ID! }', {
      Query: { song: () => ({ id: 's1' }) },
    }),
    await service(
      'catalogue',
      `type Query { _songs(ids: [ID!]!): [Song] @merge(keyField: "id") latest: Media _sdl: String! }
       interface Media { cover: Cover! }
       type Film implements Media { cover: Cover! }
       type Song implements Media { id: ID! code: ID label: ID title: String! cover: Cover! }
       type Cover { url: String! width: Int }`,
      {
        Query: { _songs: byIds, latest: () => ({ __typename: 'Song', id: 's1' }) },
        Media: typed,
        Song: { code: unless('code', 'c1'), label: () => null, title: unless('title', 'One'), cover: () => ({}) },
        Cover: { url: unless('url', '/one') },
      },
    ),
    await service(
      'reviews',
      `type Query { _songs(codes: [ID!]!): [Song] @merge(keyField: "code") _sdl: String! }
       type Song { code: ID! readers: [ID!] }`,
      { Query: { _songs: (_, { codes }: { codes: string[] }) => codes.map((code) => ({ code, readers: ['r1'] })) } },
    ),
    await service(
      'labels',
      `type Query { _songs(labels: [ID!]!): [Song] @merge(keyField: "label") _sdl: String! }
       type Song { label: ID! town: String }`,
      { Query: { _songs: (_, { labels }: { labels: string[] }) => labels.map((label) => ({ label })) } },
    ),
  ];
  const gateway = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': remotes } }));
  return async (query: string) => (await gateway.graphql(query, { token })).body;
}

describe('where the second of three services fails', () => {
  const query = '{ song { readers name: title front: cover { address: url } } }';

  test('a field that the client selects of it is reported at its own path only', async () => {
    const askTitle = await openSongs({ failing: 'title' });
    expect(await askTitle(query)).toMatchObject({
      data: { song: null },
      errors: [{ message: 'no title', path: ['song', 'name'] }],
    });
    const askCover = await openSongs({ failing: 'url' });
    expect(await askCover(query)).toMatchObject({
      data: { song: null },
      errors: [{ message: 'no url', path: ['song', 'front', 'address'] }],
    });
  });

  test('a field of an object that is null is reported at its own path, whatever is selected of other types', async () => {
    const askLatest = await openSongs({ failing: 'url' });
    const media = '{ latest { ... on Film { cover { width } } ... on Song { readers cover { address: url } } } }';
    expect(await askLatest(media)).toMatchObject({
      data: { latest: null },
      errors: [{ message: 'no url', path: ['latest', 'cover', 'address'] }],
    });
  });

  test('a key that the client does not select is reported at the fields that need it, and at no other', async () => {
    const askCode = await openSongs({ failing: 'code' });
    expect(await askCode('{ song { readers town } }')).toMatchObject({
      data: { song: { readers: null, town: null } },
      errors: [{ message: 'no code', path: ['song', 'readers'] }],
    });
  });
});
