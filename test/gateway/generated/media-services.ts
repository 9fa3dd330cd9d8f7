import { makeExecutableSchema } from '@graphql-tools/schema';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { buildSchema, type GraphQLSchema, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { graphqlUpstream, type keeper } from '../harness/index.ts';
import { joins } from '../relationships/world.ts';
import { byCode, byId, type Faults, personById, RESOLVERS } from './media-data.ts';

const CORE_FIELDS = 'id: ID! title(upper: Boolean): String! code: String! similar(first: Int): [Media!]!';
const PRICE_FIELD = 'price(currency: String): Int';
const OF_EACH = `${CORE_FIELDS} ${PRICE_FIELD} rating: Float! reader_ids: [ID!] readers: [Person]`;

/** What clients see, whatever services it is made of. */
const WHOLE = /* GraphQL */ `
  type Query {
    items(first: Int): [Media!]!
    search(text: String): [Found]
    item(id: ID!): Media
    book(id: ID!): Book
    films: [Film]
    worksOf(person: ID!): [Media!]
    people: [Person!]!
    person(id: ID!): Person
    peopleByIds(ids: [ID!]!): [Person]
    me: Person!
    someone: [Named]
    places: [Place!]
    place(id: ID!): Place
    stocked: [Thing!]!
    cheapest: Book
  }
  interface Thing { id: ID! }
  interface Media { ${CORE_FIELDS} ${PRICE_FIELD} }
  interface Named { id: ID! name: String }
  union Found = Book | Film | Song
  type Book implements Media & Thing {
    ${OF_EACH} pages: Int! author_id: ID author: Person sequel: Book weight: Int!
    shipping(express: Boolean): String place_id: ID place: Place
  }
  type Film implements Media & Thing { ${OF_EACH} minutes: Int cover: Cover! director_id: ID director: Person }
  type Song implements Media & Thing { ${OF_EACH} writer_id: ID writer: Person }
  type Cover { url: String! size: Int }
  type Person implements Named {
    id: ID! name: String email: String! friends: [Person!]! spouse: Person favourite_id: ID favourite: Media
    works: [Media!]
  }
  type Team implements Named { id: ID! name: String members: [Person!]! }
  type Place implements Thing { id: ID! shelf: String! keeper_id: ID keeper: Person }
`;

const whole = buildSchema(WHOLE);

type Keep = ReturnType<typeof keeper>['keep'];
type Resolvers = NonNullable<Parameters<typeof graphqlUpstream>[1]>;

/** One schema with all of it, to compare with. */
export function mediaSchema(faults: Faults): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: WHOLE, resolvers: resolversOf(whole, faults) });
}

/** The same where the interface has no field that none but another service has: stitched services have the same ones. */
export function stitchedMediaSchema(faults: Faults): GraphQLSchema {
  const typeDefs = WHOLE.replace(`${CORE_FIELDS} ${PRICE_FIELD} }`, `${CORE_FIELDS} }`);
  return makeExecutableSchema({ typeDefs, resolvers: resolversOf(whole, faults) });
}

/** What a service has of each type: names of fields, an empty text for unions. */
type Share = Readonly<Record<string, string>>;
/** What is written behind types (`Book`) and fields (`Book.shipping`). */
type Marks = Readonly<Record<string, string>>;

/** A part of the whole as SDL. @param more what is in no type of the whole. */
function sdlOf(share: Share, marks: Marks = {}, more: Share = {}): string {
  const has = (name: string) => share[name] !== undefined;
  const types = Object.entries(share).map(([name, names]) => {
    const type = whole.getType(name);
    if (isUnionType(type)) return `union ${name} = ${type.getTypes().join(' | ')}`;
    if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`no type ${name}`);
    const fields = names.split(' ').map((field) => {
      const found = type.getFields()[field];
      if (!found) throw new Error(`no field ${name}.${field}`);
      const args = found.args.map((argument) => `${argument.name}: ${String(argument.type)}`).join(', ');
      return `${field}${args && `(${args})`}: ${String(found.type)} ${marks[`${name}.${field}`] ?? ''}`;
    });
    const interfaces = type.getInterfaces().filter((one) => has(one.name));
    const implemented = interfaces.length > 0 ? ` implements ${interfaces.join(' & ')}` : '';
    const kind = isInterfaceType(type) ? 'interface' : 'type';
    return `${kind} ${name}${implemented} ${marks[name] ?? ''} { ${fields.join(' ')} ${more[name] ?? ''} }`;
  });
  const own = Object.keys(more).filter((name) => !has(name));
  return [...types, ...own.map((name) => `${name} { ${more[name]} }`)].join('\n');
}

/** The resolvers of what a schema has of the whole. */
function resolversOf(schema: GraphQLSchema, faults: Faults, more: Resolvers = {}): Resolvers {
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type) || isUnionType(type))
      resolvers[type.name] = { __resolveType: ({ __typename }: { __typename: string }) => __typename };
    if (!isObjectType(type)) continue;
    const known = RESOLVERS[type.name] ?? {};
    const fields = Object.keys(type.getFields()).flatMap((field) => {
      const resolve = known[field];
      return resolve ? [[field, faults.in(type.name, field, resolve)]] : [];
    });
    resolvers[type.name] = { ...Object.fromEntries(fields), ...(more as Record<string, object>)[type.name] };
  }
  return resolvers as Resolvers;
}

const plainResolvers = (sdl: string, faults: Faults, more: Resolvers = {}) =>
  resolversOf(buildSchema(sdl, { assumeValid: true }), faults, more);

const CATALOGUE_ROOTS = 'items search item book films worksOf';
const STOCK_ROOTS = 'stocked cheapest';
const PEOPLE_ROOTS = 'people person peopleByIds me someone';
const PLACE_ROOTS = 'places place';
const CORE = 'id title code similar';
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

/** The same of services that have whole types, with relationships between them. */
export async function relatedRemotes(faults: Faults, keep: Keep): Promise<readonly object[]> {
  const each = `${CORE} price rating reader_ids`;
  const service = async (name: string, share: Share, ...relationships: readonly object[]) => {
    const sdl = sdlOf(share);
    const { graphqlUrl: url } = await keep(graphqlUpstream(sdl, plainResolvers(sdl, faults)));
    return { name, definition: { url }, remote_relationships: relationships };
  };
  const to = (remote: string, name: string, field: string, root: string, argument: string) => ({
    name,
    definition: {
      to_remote_schema: {
        remote_schema: remote,
        lhs_fields: [field],
        remote_field: { [root]: { arguments: { [argument]: `$${field}` } } },
      },
    },
  });
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

/** The same of subgraphs of a federation. */
export async function federatedRemotes(faults: Faults, keep: Keep): Promise<readonly object[]> {
  const remotes = [];
  for (const [name, share] of Object.entries(JOINED)) {
    const marks: Record<string, string> = { 'Book.shipping': '@requires(fields: "weight")' };
    for (const type of KEYED) marks[type] = `@key(fields: "${share[type]?.startsWith('code') ? 'code' : 'id'}")`;
    if (name === 'catalogue')
      for (const type of ['Book', 'Film', 'Song']) marks[type] = '@key(fields: "id") @key(fields: "code")';
    const more: Record<string, string> = name === 'stock' ? { Book: 'weight: Int! @external' } : {};
    const typeDefs = linked(sdlOf(share, marks, more));
    const references = Object.fromEntries(KEYED.map((type) => [type, { __resolveReference: found }]));
    const schema = buildSchema(sdlOf(share), { assumeValid: true });
    const resolvers = resolversOf(schema, faults, references) as Record<string, object>;
    const { graphqlUrl: url } = await keep(apolloSubgraph(typeDefs, resolvers as never));
    remotes.push({ name, definition: { url, composition: 'federation' } });
  }
  return remotes;
}

/** The same of services with the directives of stitching. */
export async function stitchedRemotes(faults: Faults, keep: Keep): Promise<readonly object[]> {
  const { allStitchingDirectivesTypeDefs } = stitchingDirectives();
  const remotes = [];
  for (const [name, all] of Object.entries(JOINED)) {
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
      sdlOf(share, marks, hasRoots ? { Query: query } : { 'type Query': query }),
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
