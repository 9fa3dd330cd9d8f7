import { makeExecutableSchema } from '@graphql-tools/schema';
import { buildSchema, type GraphQLSchema, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import type { graphqlUpstream } from '../harness/index.ts';
import { type Faults, RESOLVERS } from './media-data.ts';

const CORE_FIELDS = 'id: ID! title(upper: Boolean): String! code: String! similar(first: Int): [Media!]!';
const PRICE_FIELD = 'price(currency: String): Int';
const OF_EACH = `${CORE_FIELDS} ${PRICE_FIELD} rating: Float! reader_ids: [ID!] readers: [Person]`;

/** What clients see, whatever services it is made of. */
export const WHOLE = /* GraphQL */ `
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

export const whole = buildSchema(WHOLE);

export type Resolvers = NonNullable<Parameters<typeof graphqlUpstream>[1]>;

/** One schema with all of it, to compare with. */
export function mediaSchema(faults: Faults): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: WHOLE, resolvers: resolversOf(whole, faults) });
}

/** The same where the interface has no field that none but another service has: stitched services have the same ones. */
export function stitchedMediaSchema(faults: Faults): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: stitchedSdl(), resolvers: resolversOf(whole, faults) });
}

export function stitchedSdl(): string {
  return WHOLE.replace(`${CORE_FIELDS} ${PRICE_FIELD} }`, `${CORE_FIELDS} }`);
}

/** What a service has of each type: names of fields, an empty text for unions. */
export type Share = Readonly<Record<string, string>>;
/** What is written behind types (`Book`) and fields (`Book.shipping`). */
export type Marks = Readonly<Record<string, string>>;

/** A part of a schema as SDL. @param more what is in no type of it. */
export function sdlOf(share: Share, marks: Marks = {}, more: Share = {}, of: GraphQLSchema = whole): string {
  const has = (name: string) => share[name] !== undefined;
  const types = Object.entries(share).map(([name, names]) => {
    const type = of.getType(name);
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
export function resolversOf(schema: GraphQLSchema, faults: Faults, more: Resolvers = {}): Resolvers {
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

export const plainResolvers = (sdl: string, faults: Faults, more: Resolvers = {}) =>
  resolversOf(buildSchema(sdl, { assumeValid: true }), faults, more);
