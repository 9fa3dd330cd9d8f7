import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { graphqlUpstream, type keeper } from '../harness/index.ts';
import { joins } from '../relationships/world.ts';
import { byCode, byId, type Faults, personById } from './media-data.ts';
import {
  type Marks,
  plainResolvers,
  type Resolvers,
  resolversOf,
  type Share,
  sdlOf,
  WHOLE,
  whole,
} from './media-schema.ts';

export type Keep = ReturnType<typeof keeper>['keep'];
export const CATALOGUE_ROOTS = 'items search item book films worksOf';
export const STOCK_ROOTS = 'stocked cheapest';
export const PEOPLE_ROOTS = 'people person peopleByIds me someone';
const PLACE_ROOTS = 'places place';
export const CORE = 'id title code similar';
const PEOPLE: Share = {
  Named: 'id name',
  Person: 'id name email friends spouse favourite_id',
  Team: 'id name members',
};

/** `remote_schemas.yaml` of one service that has all of it. */
export async function plainRemotes(faults: Faults, keep: Keep): Promise<readonly object[]> {
  const { graphqlUrl: url } = await keep(graphqlUpstream(WHOLE, resolversOf(whole, faults)));
  return [{ name: 'media', definition: { url } }];
}

/** A relationship to a root field that takes one value. */
export function to(remote: string, name: string, field: string, root: string, argument: string): object {
  return {
    name,
    definition: {
      to_remote_schema: {
        remote_schema: remote,
        lhs_fields: [field],
        remote_field: { [root]: { arguments: { [argument]: `$${field}` } } },
      },
    },
  };
}

/** The same of services that have whole types, with relationships between them. */
export async function relatedRemotes(faults: Faults, keep: Keep): Promise<readonly object[]> {
  const each = `${CORE} price rating reader_ids`;
  const service = async (name: string, share: Share, ...relationships: readonly object[]) => {
    const sdl = sdlOf(share);
    const { graphqlUrl: url } = await keep(graphqlUpstream(sdl, plainResolvers(sdl, faults)));
    return { name, definition: { url }, remote_relationships: relationships };
  };
  const readers = to('people', 'readers', 'reader_ids', 'peopleByIds', 'ids');
  return [
    await service(
      'catalogue',
      {
        Query: `${CATALOGUE_ROOTS} ${STOCK_ROOTS}`,
        Media: `${CORE} price`,
        Thing: 'id',
        Found: '',
        Book: `${each} pages author_id sequel weight shipping place_id`,
        Film: `${each} minutes cover director_id`,
        Song: `${each} writer_id`,
        Cover: 'url size',
      },
      joins(
        'Book',
        to('people', 'author', 'author_id', 'person', 'id'),
        to('places', 'place', 'place_id', 'place', 'id'),
        readers,
      ),
      joins('Film', to('people', 'director', 'director_id', 'person', 'id'), readers),
      joins('Song', to('people', 'writer', 'writer_id', 'person', 'id'), readers),
    ),
    await service(
      'people',
      { Query: PEOPLE_ROOTS, ...PEOPLE },
      joins(
        'Person',
        to('catalogue', 'favourite', 'favourite_id', 'item', 'id'),
        to('catalogue', 'works', 'id', 'worksOf', 'person'),
      ),
    ),
    await service(
      'places',
      { Query: PLACE_ROOTS, Thing: 'id', Place: 'id shelf keeper_id' },
      joins('Place', to('people', 'keeper', 'keeper_id', 'person', 'id')),
    ),
  ];
}

/** What each of the services has whose types are joined. From stock to reviews the way is through the catalogue. */
const JOINED: Readonly<Record<string, Share>> = {
  catalogue: {
    Query: CATALOGUE_ROOTS,
    Media: CORE,
    Thing: 'id',
    Found: '',
    Book: `${CORE} pages author_id author sequel weight`,
    Film: `${CORE} minutes cover director_id director`,
    Song: `${CORE} writer_id writer`,
    Cover: 'url size',
    Person: 'id favourite works',
  },
  people: { Query: PEOPLE_ROOTS, ...PEOPLE },
  stock: {
    Query: `${STOCK_ROOTS} ${PLACE_ROOTS}`,
    Media: 'id price',
    Thing: 'id',
    Book: 'id price shipping place_id place',
    Film: 'id price',
    Song: 'id price',
    Place: 'id shelf keeper_id keeper',
    Person: 'id',
  },
  reviews: {
    Book: 'code rating reader_ids readers',
    Film: 'code rating reader_ids readers',
    Song: 'code rating reader_ids readers',
    Person: 'id',
  },
};

const KEYED = ['Book', 'Film', 'Song', 'Person', 'Place'];
type Key = { readonly __typename?: string; readonly id?: string; readonly code?: string };
const found = ({ id, code }: Key) =>
  code === undefined ? (byId(id) ?? personById(id) ?? { __typename: 'Place', id }) : byCode(code);

const REQUIRED: Marks = {
  'Book.shipping': '@requires(fields: "weight")',
  'Person.hint': '@requires(fields: "favourite_id")',
};
const EXTERNAL: Shares = {
  stock: { Book: 'weight: Int! @external' },
  contacts: { Person: 'favourite_id: ID @external' },
};

/** The same of subgraphs of a federation. */
export function federatedRemotes(faults: Faults, keep: Keep): Promise<readonly RemoteOf[]> {
  return federatedServices(JOINED, whole, faults, keep);
}

/** What services have of a schema, by their names. */
type Shares = Readonly<Record<string, Share>>;

export interface RemoteOf {
  readonly name: string;
  readonly definition: { readonly url: string; readonly composition: string };
}

export async function federatedServices(
  shares: Shares,
  of: GraphQLSchema,
  faults: Faults,
  keep: Keep,
): Promise<readonly RemoteOf[]> {
  const remotes = [];
  for (const [name, share] of Object.entries(shares)) {
    const marks: Record<string, string> = { ...REQUIRED };
    for (const type of KEYED) marks[type] = `@key(fields: "${share[type]?.startsWith('code') ? 'code' : 'id'}")`;
    if (name === 'catalogue')
      for (const type of ['Book', 'Film', 'Song']) marks[type] = '@key(fields: "id") @key(fields: "code")';
    const typeDefs = linked(sdlOf(share, marks, EXTERNAL[name], of));
    const references = Object.fromEntries(KEYED.map((type) => [type, { __resolveReference: found }]));
    const schema = buildSchema(sdlOf(share, {}, {}, of), { assumeValid: true });
    const resolvers = resolversOf(schema, faults, references) as Record<string, object>;
    const { graphqlUrl: url } = await keep(apolloSubgraph(typeDefs, resolvers as never));
    remotes.push({ name, definition: { url, composition: 'federation' } });
  }
  return remotes;
}

/** The same of services with the directives of stitching. */
export function stitchedRemotes(faults: Faults, keep: Keep): Promise<readonly RemoteOf[]> {
  return stitchedServices(JOINED, whole, faults, keep);
}

export async function stitchedServices(
  shares: Shares,
  of: GraphQLSchema,
  faults: Faults,
  keep: Keep,
): Promise<readonly RemoteOf[]> {
  const { allStitchingDirectivesTypeDefs } = stitchingDirectives();
  const remotes = [];
  for (const [name, all] of Object.entries(shares)) {
    const { Media, ...others } = all;
    const share: Share = name === 'catalogue' ? all : others;
    const joined = KEYED.filter((type) => share[type] !== undefined);
    const byKeys = name === 'stock' ? ['Book'] : [];
    const entries = joined.map((type) => {
      const key = share[type]?.startsWith('code') ? 'code' : 'id';
      if (byKeys.includes(type)) return `_${type}(keys: [_${type}Key!]!): [${type}] @merge`;
      return `_${type}(keys: [ID!]!): [${type}] @merge(keyField: "${key}")`;
    });
    const marks = {
      'Book.shipping': '@computed(selectionSet: "{ weight }")',
      Book: byKeys.length > 0 ? '@key(selectionSet: "{ id }")' : '',
    };
    const hasRoots = share.Query !== undefined;
    const query = `${entries.join(' ')} _sdl: String!`;
    const inputs = byKeys.map((type) => `input _${type}Key { id: ID! weight: Int }`);
    const sdl = [
      allStitchingDirectivesTypeDefs,
      sdlOf(share, marks, hasRoots ? { Query: query } : { 'type Query': query }, of),
      ...inputs,
    ].join('\n');
    const byEntries = Object.fromEntries(
      joined.map((type) => {
        const isCode = share[type]?.startsWith('code');
        const one = (key: string | Key) =>
          typeof key === 'object' ? found(key) : found(isCode ? { code: key } : { id: key });
        return [`_${type}`, (_: unknown, { keys }: { keys: readonly (string | Key)[] }) => keys.map(one)];
      }),
    );
    const more = { Query: { ...byEntries, _sdl: () => sdl } } as Resolvers;
    const { graphqlUrl: url } = await keep(graphqlUpstream(sdl, plainResolvers(sdl, faults, more)));
    remotes.push({ name, definition: { url, composition: 'stitching' } });
  }
  return remotes;
}
