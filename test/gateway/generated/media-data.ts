import { GraphQLError } from 'graphql';

/** One thing that is lent: a book, a film or a song. */
export interface Item {
  readonly __typename: 'Book' | 'Film' | 'Song';
  readonly id: string;
}

const TYPES = ['Book', 'Film', 'Song'] as const;
const COUNT = 7;

const numberOf = ({ id }: { readonly id: string }): number => Number(id.slice(1));
const item = (at: number): Item => ({ __typename: TYPES[(at % COUNT) % 3] ?? 'Book', id: `i${at % COUNT}` });
const byId = (id: unknown): Item | null => {
  const at = /^i(\d+)$/.exec(String(id))?.[1];
  return at !== undefined && Number(at) < COUNT ? item(Number(at)) : null;
};
const byCode = (code: string): Item | null => byId(`i${code.slice(1)}`);
const person = (at: number) => ({ __typename: 'Person', id: `p${at % 5}` });
const personById = (id: unknown) => (/^p[0-4]$/.test(String(id)) ? { __typename: 'Person', id: String(id) } : null);
const place = (at: number) => ({ __typename: 'Place', id: `s${at % 3}` });
const team = (at: number) => ({ __typename: 'Team', id: `t${at}` });

const loan = (at: number) => ({ __typename: 'Loan', id: `l${at}` });
const box = (at: number) => ({ __typename: 'Box', id: `i${at}` });

type Entity = { readonly __typename: string; readonly id: string };
type Given = Readonly<Record<string, unknown>>;
type Resolver = (of: Entity, given: Given) => unknown;

const authorOf = (of: Entity) => (numberOf(of) % 4 === 0 ? null : `p${numberOf(of) % 5}`);
const placeOf = (of: Entity) => (numberOf(of) === 3 ? null : `s${numberOf(of) % 3}`);
const readersOf = (of: Entity) => (numberOf(of) === 5 ? null : [`p${numberOf(of) % 5}`, `p${(numberOf(of) + 2) % 5}`]);
const favouriteOf = (of: Entity) => (numberOf(of) === 2 ? null : `i${(numberOf(of) * 2) % COUNT}`);
const bookOf = (of: Entity) => `i${numberOf(of) - 1}`;
const keeperOf = (of: Entity) => `p${numberOf(of) + 1}`;
const stub = (id: string | null) => (id === null ? null : personById(id));
/** In grams. What things cost to send depends on it. */
const weightOf = (of: Entity) => 100 * (numberOf(of) + 1);

const MEDIA: Readonly<Record<string, Resolver>> = {
  title: (of, { upper }) => (upper ? `TITLE ${numberOf(of)}` : `Title ${numberOf(of)}`),
  code: (of) => `c${numberOf(of)}`,
  similar: (of, { first }) =>
    [item(numberOf(of) + 1), item(numberOf(of) + 3), item(numberOf(of) + 5)].slice(0, (first as number) ?? 2),
  price: (of, { currency }) => (numberOf(of) === 1 ? null : numberOf(of) * (currency === 'cent' ? 100 : 1)),
  rating: (of) => numberOf(of) + 0.5,
  readers: (of) => readersOf(of)?.map(personById) ?? null,
  reader_ids: readersOf,
};

/** Values of arguments, by the names of these or of types. */
export const VALUES = {
  id: ['i0', 'i1', 'i2', 'p1', 's2', 'nobody'],
  ids: [['p0', 'p1'], ['p3', 'nobody'], []],
  first: [0, 1, 3, null],
  person: ['p0', 'p4'],
  text: ['x', null],
  currency: ['cent', 'euro'],
  Boolean: [true, false, null],
};

/** How every field is answered, by types and names: of an object only its type and `id` are looked at. */
export const RESOLVERS: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: {
    items: (_, { first }) => Array.from({ length: (first as number) ?? 5 }, (_, at) => item(at)),
    search: () => [item(0), null, item(1), item(2)],
    item: (_, { id }) => byId(id),
    book: (_, { id }) => (byId(id)?.__typename === 'Book' ? byId(id) : null),
    films: () => [item(1), null, item(4)],
    worksOf: (_, { person: id }) => [item(Number(String(id).slice(1))), item(Number(String(id).slice(1)) + 1)],
    people: () => [person(0), person(1), person(2)],
    person: (_, { id }) => personById(id),
    peopleByIds: (_, { ids }) => (ids as string[]).map(personById),
    me: () => person(3),
    someone: () => [team(1), person(1), null],
    places: () => [place(0), place(1)],
    place: (_, { id }) => (/^s[0-2]$/.test(String(id)) ? { __typename: 'Place', id: String(id) } : null),
    stocked: () => [item(0), item(1), item(2), item(3)],
    cheapest: () => item(6),
    loans: () => [loan(0), loan(1), loan(2)],
    loan: (_, { id }) => (/\d$/.test(String(id)) ? loan(Number(String(id).slice(1))) : null),
    archive: () => ({ __typename: 'archive_query', id: 'archive' }),
  },
  Mutation: {
    tag: (_, { id }) => byId(id),
    restock: (_, { id }) => (byId(id)?.__typename === 'Book' ? byId(id) : null),
    greet: (_, { id }) => personById(id),
    dust: () => [place(0), place(2)],
    lend: (_, { id }) => (/\d$/.test(String(id)) ? loan(Number(String(id).slice(1))) : null),
    archive: () => ({ __typename: 'archive_mutation', id: 'archive' }),
  },
  archive_mutation: { relabel: (_, { id }) => (byId(id) ? box(numberOf({ id: String(id) })) : null) },
  Book: {
    ...MEDIA,
    pages: (of) => numberOf(of) * 10,
    box: (of) => box(numberOf(of)),
    author: (of) => stub(authorOf(of)),
    author_id: authorOf,
    sequel: (of) => (numberOf(of) === 0 ? item(3) : null),
    weight: weightOf,
    shipping: (of, { express }) => `${weightOf(of)} g${express ? ', express' : ''}`,
    place: (of) => (placeOf(of) === null ? null : { __typename: 'Place', id: placeOf(of) }),
    place_id: placeOf,
  },
  Film: {
    ...MEDIA,
    minutes: (of) => 90 + numberOf(of),
    cover: (of) => ({ __typename: 'Cover', id: `v${numberOf(of)}` }),
    director: (of) => stub(authorOf(of)),
    director_id: authorOf,
    book: (of) => byId(bookOf(of)),
    book_id: bookOf,
  },
  Song: { ...MEDIA, writer: (of) => stub(authorOf(of)), writer_id: authorOf },
  Cover: { url: (of) => `/covers/${of.id}`, size: numberOf },
  Person: {
    name: (of) => (numberOf(of) === 4 ? null : `Person ${numberOf(of)}`),
    email: (of) => `p${numberOf(of)}@portico.test`,
    friends: (of) => [person(numberOf(of) + 1), person(numberOf(of) + 2)],
    spouse: (of) => (numberOf(of) === 0 ? null : person(numberOf(of) + 3)),
    favourite_id: favouriteOf,
    favourite: (of) => (favouriteOf(of) === null ? null : byId(favouriteOf(of))),
    works: (of) => [item(numberOf(of)), item(numberOf(of) + 1)],
    hint: (of) => `likes ${favouriteOf(of)}`,
    home_id: placeOf,
    home: (of) => (placeOf(of) === null ? null : { __typename: 'Place', id: placeOf(of) }),
  },
  Team: { name: (of) => `Team ${numberOf(of)}`, members: () => [person(0), person(2)] },
  Place: {
    shelf: (of) => `shelf ${numberOf(of)}`,
    keeper_id: keeperOf,
    keeper: (of) => personById(keeperOf(of)),
  },
  Loan: {
    note: (of) => (numberOf(of) === 1 ? null : `note ${numberOf(of)}`),
    item_id: (of) => favouriteOf(of),
    item: (of) => byId(favouriteOf(of)),
    reader_id: authorOf,
    reader: (of) => stub(authorOf(of)),
    renewals: (of) => [0, 1, 2].slice(numberOf(of)).map((at) => ({ __typename: 'Renewal', id: `r${at}` })),
  },
  Renewal: { days: numberOf, by_id: keeperOf, by: (of) => personById(keeperOf(of)) },
  archive_query: {
    boxes: () => [box(0), box(1), box(3)],
    box: (_, { id }) => (byId(id) ? box(numberOf({ id: String(id) })) : null),
  },
  Box: {
    label: (of) => `box ${numberOf(of)}`,
    holds_id: (of) => favouriteOf(of),
    holds: (of) => byId(favouriteOf(of)),
    next: (of) => (numberOf(of) > 3 ? null : box(numberOf(of) + 1)),
  },
};

/** What makes fields fail: the same ones of the same objects in every service that has them. */
export class Faults {
  /** 0 is no faults. */
  seed = 0;
  /** The mutations that services have run since this was emptied. */
  readonly mutations: string[] = [];

  /** Wraps the resolver of a field. */
  in(typeName: string, field: string, resolve: Resolver): Resolver {
    if (MUTATIONS.has(typeName) && field !== 'archive')
      return (of, given) => {
        this.mutations.push(`${field} ${given.id}`);
        return resolve(of, given);
      };
    if (UNFAILING.has(field) || UNFAILING_TYPES.has(typeName)) return resolve;
    return (of, given) => {
      const at = this.seed === 0 ? 99 : spread(`${this.seed} ${typeName} ${field} ${of.id}`) % 100;
      if (at < 6) throw new GraphQLError(`${typeName}.${field} of ${of.id} failed`, { extensions: { code: 'FAULT' } });
      return at < 9 ? null : resolve(of, given);
    };
  }
}

/** What objects are joined by. */
const UNFAILING = new Set(
  'id code weight author_id director_id writer_id place_id reader_ids favourite_id keeper_id author director writer place readers favourite keeper works home_id home book_id book box holds_id holds'.split(
    ' ',
  ),
);

const MUTATIONS = new Set(['Mutation', 'archive_mutation']);
/** Root fields, and what an action answers: it has no errors of fields. */
const UNFAILING_TYPES = new Set(['Query', 'archive_query', ...MUTATIONS, 'Loan', 'Renewal']);

/** A number that looks like chance (FNV-1a). */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash >>> 7;
}

export { byCode, byId, personById };
