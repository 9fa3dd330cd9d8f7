import { federate, type World } from './world.ts';

interface Item {
  readonly __typename: string;
  readonly id: string;
  readonly sku: string;
  readonly title: string;
  readonly pages: number | null;
}

const ITEMS: Item[] = Array.from({ length: 7 }, (_, at) => ({
  __typename: ['Book', 'Film', 'Song'][at % 3] ?? 'Book',
  id: `i${at}`,
  sku: `s${at}`,
  title: `Title ${at}`,
  pages: at === 4 ? null : at * 10,
}));

type Key = { readonly id?: string; readonly sku?: string };
const itemOf = ({ id, sku }: Key) => ITEMS.find((one) => one.id === id || (sku !== undefined && one.sku === sku));
const item = (at: number): Item => ITEMS[at % ITEMS.length] as Item;
const numberOf = (id: string) => Number(id.slice(1));
const typeOf = ({ __typename }: { __typename: string }) => __typename;
const key = (reference: object) => reference;
const shown = ({ __typename, id, sku, title }: Item) => ({ __typename, id, sku, title });

/** A graph with something of everything: several keys, requirements, provided fields, abstract types, shared roots. */
export function openLibrary(): Promise<World> {
  const typed = (fields: string, directives = '@key(fields: "id")') =>
    ['Book', 'Film', 'Song'].map((name) => `type ${name} ${directives} { ${fields} }`).join('\n');
  return federate({
    catalogue: {
      sdl: `type Query { items(first: Int): [Item!]! search(text: String): [Found] item(id: ID!): Item
          me: Reader! @shareable }
        interface Item { id: ID! title: String! similar: [Item!]! }
        union Found = Book | Film | Song | Reader
        type Book implements Item @key(fields: "id") @key(fields: "sku") {
          id: ID! sku: String title: String! similar: [Item!]! pages: Int author: Reader }
        type Film implements Item @key(fields: "id") {
          id: ID! title: String! similar: [Item!]! minutes: Int! pages: Int cover: Cover! }
        type Song implements Item @key(fields: "id") { id: ID! title: String! similar: [Item!]! writer: Reader! }
        type Reader @key(fields: "id") { id: ID! wishes: [Item!]! name: String @external
          greeting: String @requires(fields: "name") }
        type Cover @shareable { url: String size: Int }`,
      resolvers: {
        Query: {
          items: (_: unknown, { first }: { first?: number }) => ITEMS.slice(0, first ?? 5),
          search: () => [...ITEMS.slice(0, 4), null, { __typename: 'Reader', id: 'r2' }],
          item: () => item(1),
          me: () => ({ id: 'r1' }),
        },
        Item: { __resolveType: typeOf },
        Found: { __resolveType: typeOf },
        Book: {
          __resolveReference: itemOf,
          similar: ({ id }: Item) => [item(numberOf(id) + 1), item(numberOf(id) + 3)],
          author: ({ id }: Item) => (id === 'i3' ? null : { id: `r${numberOf(id)}` }),
        },
        Film: {
          __resolveReference: itemOf,
          similar: ({ id }: Item) => [item(numberOf(id) + 2)],
          minutes: ({ id }: Item) => 90 + numberOf(id),
          cover: ({ id }: Item) => ({ url: `c/${id}`, size: numberOf(id) }),
        },
        Song: { __resolveReference: itemOf, similar: () => [], writer: () => ({ id: 'r9' }) },
        Reader: {
          __resolveReference: key,
          greeting: ({ name }: { name: string }) => `Hello ${name}`,
          wishes: ({ id }: { id: string }) => [item(numberOf(id)), item(numberOf(id) + 1)],
        },
      },
    },
    stock: {
      sdl: `type Query { cheapest: Book @provides(fields: "title") me: Reader! @shareable }
        type Book @key(fields: "sku") { sku: String title: String! @external price: Int! place: Place
          pages: Int @external postage(unit: Int): Int @requires(fields: "pages") }
        type Film @key(fields: "id") { id: ID! price: Int place: Place
          cover: Cover! @external label(big: Int): String @requires(fields: "cover { url size }") }
        type Song @key(fields: "id") { id: ID! price: Int! place: Place }
        type Reader @key(fields: "id") { id: ID! borrowed(limit: Int): [Film!] }
        type Place @key(fields: "id") { id: ID! shelf: String }
        type Cover @shareable { url: String size: Int }`,
      resolvers: {
        Query: { cheapest: () => shown(item(0)), me: () => ({ id: 'r1' }) },
        Book: {
          __resolveReference: key,
          price: ({ sku }: Item) => Number(sku.slice(1)) * 100,
          place: ({ sku }: Item) => ({ id: `p${sku}` }),
          postage: ({ pages }: Item, { unit }: { unit?: number }) => (pages === null ? null : pages * (unit ?? 1)),
        },
        Film: {
          __resolveReference: key,
          price: ({ id }: Item) => (id === 'i1' ? null : numberOf(id)),
          place: ({ id }: Item) => (id === 'i4' ? null : { id: 'pf' }),
          label: ({ cover }: { cover: { url: string; size: number } }, { big }: { big?: number }) =>
            `${cover.url}:${cover.size * (big ?? 1)}`,
        },
        Song: { __resolveReference: key, price: ({ id }: Item) => numberOf(id), place: () => ({ id: 'ps' }) },
        Reader: {
          __resolveReference: key,
          borrowed: (_: unknown, { limit }: { limit?: number }) =>
            [item(1), item(4)].slice(0, limit ?? 2).map(({ id }) => ({ id })),
        },
        Place: { __resolveReference: key, shelf: ({ id }: { id: string }) => `shelf ${id}` },
      },
    },
    readers: {
      sdl: `type Query { readers: [Reader!]! newest: Thing }
        union Thing = Film | Reader | Place
        type Reader @key(fields: "id") { id: ID! name: String friends: [Reader!]! favourite: Thing }
        type Place @key(fields: "id") { id: ID! visitors: [Reader!]! }
        ${typed('id: ID! rating: Float readBy: [Reader!]!')}`,
      resolvers: {
        Query: {
          readers: () => ['r1', 'r2', 'r3'].map((id) => ({ id })),
          newest: () => ({ __typename: 'Film', id: 'i4' }),
        },
        Thing: { __resolveType: typeOf },
        Reader: {
          __resolveReference: key,
          name: ({ id }: { id: string }) => `Reader ${id}`,
          friends: ({ id }: { id: string }) => [{ id: `r${numberOf(id) + 1}` }, { id: 'r1' }],
          favourite: ({ id }: { id: string }) =>
            id === 'r2' ? { __typename: 'Place', id: 'pf' } : { __typename: 'Reader', id: 'r5' },
        },
        Place: { __resolveReference: key, visitors: () => [{ id: 'r7' }] },
        Book: { __resolveReference: key, rating: () => 4.5, readBy: () => [{ id: 'r1' }] },
        Film: { __resolveReference: key, rating: ({ id }: Item) => numberOf(id) / 2, readBy: () => [] },
        Song: { __resolveReference: key, rating: () => null, readBy: () => [{ id: 'r2' }, { id: 'r3' }] },
      },
    },
  });
}
