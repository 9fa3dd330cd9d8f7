import { makeExecutableSchema } from '@graphql-tools/schema';
import { buildSchema, type GraphQLSchema, graphql } from 'graphql';
import { type GraphqlUpstream, graphqlUpstream, webhook } from '../harness/index.ts';
import { joins } from '../relationships/world.ts';
import { type Faults, RESOLVERS } from './media-data.ts';
import { plainResolvers, resolversOf, stitchedSdl } from './media-schema.ts';
import {
  CATALOGUE_ROOTS,
  CORE,
  federatedServices,
  type Keep,
  PEOPLE_ROOTS,
  type RemoteOf,
  STOCK_ROOTS,
  stitchedServices,
  to,
} from './media-services.ts';

/** Media, people and places as clients see them, with loans of an action and boxes in a namespace. */
const MIXED = /* GraphQL */ `
  ${stitchedSdl()}
  extend type Query {
    loans: [Loan!]
    loan(id: ID!): Loan
    archive: archive_query
  }
  type Mutation {
    tag(id: ID!): Media
    restock(id: ID!): Book!
    greet(id: ID!): Person
    dust: [Place!]
    lend(id: ID!): Loan
    archive: archive_mutation
  }
  type archive_mutation { relabel(id: ID!): Box }
  type archive_query { boxes: [Box!]! box(id: ID!): Box }
  type Box { id: ID! label: String! holds_id: ID holds: Media next: Box }
  type Loan {
    id: ID! note: String item_id: ID item: Media reader_id: ID reader: Person renewals: [Renewal!]!
  }
  type Renewal { days: Int by_id: ID by: Person }
  extend type Book { box: Box }
  extend type Film { book_id: ID book: Book }
  extend type Person { hint: String home_id: ID home: Place }
`;
const mixed = buildSchema(MIXED);

/** One schema with all of it, to compare with. */
export function mixedSchema(faults: Faults): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: MIXED, resolvers: resolversOf(mixed, faults) });
}

/** Subgraphs of a federation. */
const FEDERATED = {
  people: {
    Query: PEOPLE_ROOTS,
    Mutation: 'greet',
    Named: 'id name',
    Person: 'id name friends favourite_id',
    Team: 'id name members',
  },
  contacts: { Person: 'id email spouse hint home_id' },
};

/** Services with the directives of stitching. */
const STITCHED = {
  catalogue: {
    Query: CATALOGUE_ROOTS,
    Mutation: 'tag',
    Media: CORE,
    Thing: 'id',
    Found: '',
    Book: `${CORE} pages author_id sequel weight`,
    Film: `${CORE} minutes cover director_id book_id`,
    Song: `${CORE} writer_id`,
    Cover: 'url size',
  },
  stock: {
    Query: STOCK_ROOTS,
    Mutation: 'restock',
    Thing: 'id',
    Book: 'id price rating shipping place_id reader_ids',
    Film: 'id price rating reader_ids',
    Song: 'id price rating reader_ids',
  },
};

/** Places by other names than the graph's. */
const PLACES = /* GraphQL */ `
  type Query { spots: [Spot!] spot(id: ID!): Spot }
  type Mutation { sweep: [Spot!] }
  interface Thing { id: ID! }
  type Spot implements Thing { id: ID! rack: String! keeper_id: ID }
`;
const PLACES_NAMES = {
  type_names: { mapping: { Spot: 'Place' } },
  field_names: [
    { parent_type: 'Query', mapping: { spots: 'places', spot: 'place' } },
    { parent_type: 'Mutation', mapping: { sweep: 'dust' } },
    { parent_type: 'Spot', mapping: { rack: 'shelf' } },
  ],
};

/** A service in a namespace. */
const ARCHIVE = /* GraphQL */ `
  type Query { boxes: [Box!]! box(id: ID!): Box }
  type Mutation { relabel(id: ID!): Box }
  type Box { id: ID! label: String! holds_id: ID next: Box }
`;

const ACTIONS = /* GraphQL */ `
  type Query { loans: [Loan!] loan(id: ID!): Loan }
  type Mutation { lend(id: ID!): Loan }
  type Loan { id: ID! note: String item_id: ID reader_id: ID renewals: [Renewal!]! }
  type Renewal { days: Int by_id: ID }
`;

const READERS = to('people', 'readers', 'reader_ids', 'peopleByIds', 'ids');
const RELATIONSHIPS: Readonly<Record<string, readonly object[]>> = {
  // From types of a federation to a stitched service and to one with other names.
  people: [
    joins(
      'Person',
      to('catalogue', 'favourite', 'favourite_id', 'item', 'id'),
      to('catalogue', 'works', 'id', 'worksOf', 'person'),
    ),
  ],
  contacts: [joins('Person', to('places', 'home', 'home_id', 'spot', 'id'))],
  // From stitched types to a federation, to a namespace, and to another stitched type.
  catalogue: [
    joins('Book', to('people', 'author', 'author_id', 'person', 'id'), to('archive', 'box', 'id', 'box', 'id')),
    joins(
      'Film',
      to('people', 'director', 'director_id', 'person', 'id'),
      to('catalogue', 'book', 'book_id', 'book', 'id'),
    ),
    joins('Song', to('people', 'writer', 'writer_id', 'person', 'id')),
  ],
  stock: [
    joins('Book', to('places', 'place', 'place_id', 'spot', 'id'), READERS),
    joins('Film', READERS),
    joins('Song', READERS),
  ],
};

/** Metadata of a graph that services of every kind are plugged into, with an action, and relationships between all of them. */
export async function mixedMetadata(faults: Faults, keep: Keep): Promise<Record<string, unknown>> {
  const related = (remotes: readonly RemoteOf[]) =>
    remotes.map((remote) => ({ ...remote, remote_relationships: RELATIONSHIPS[remote.name] ?? [] }));
  const { places, place } = RESOLVERS.Query ?? {};
  const { dust } = RESOLVERS.Mutation ?? {};
  const { shelf, keeper_id } = RESOLVERS.Place ?? {};
  if (!places || !place || !dust || !shelf || !keeper_id) throw new TypeError('no resolvers of places');
  const spots = await keep(
    graphqlUpstream(PLACES, {
      Query: { spots: places, spot: place },
      Mutation: { sweep: faults.in('Mutation', 'dust', dust) },
      Spot: { rack: faults.in('Place', 'shelf', shelf), keeper_id },
    } as never),
  );
  const { relabel } = RESOLVERS.archive_mutation ?? {};
  if (!relabel) throw new TypeError('no resolvers of boxes');
  const mutation = { relabel: faults.in('archive_mutation', 'relabel', relabel) };
  const boxes = { Query: RESOLVERS.archive_query, Mutation: mutation } as never;
  const archive = await keep(graphqlUpstream(ARCHIVE, plainResolvers(ARCHIVE, faults, boxes)));
  const remotes = [
    ...related(await federatedServices(FEDERATED, mixed, faults, keep)),
    ...related(await stitchedServices(STITCHED, mixed, faults, keep)),
    {
      name: 'places',
      definition: { url: spots.graphqlUrl, customization: PLACES_NAMES },
      remote_relationships: [joins('Spot', to('people', 'keeper', 'keeper_id', 'person', 'id'))],
    },
    {
      name: 'archive',
      definition: { url: archive.graphqlUrl, customization: { root_fields_namespace: 'archive' } },
      remote_relationships: [joins('Box', to('catalogue', 'holds', 'holds_id', 'item', 'id'))],
    },
  ];
  return { 'remote_schemas.yaml': remotes, ...(await actionsMetadata(faults, keep)) };
}

/** The same with what answers. */
export async function openMixedServices(faults: Faults, keep: Keep): Promise<MixedServices> {
  const servers: GraphqlUpstream[] = [];
  const metadata = await mixedMetadata(faults, async (opening) => {
    const server = await keep(opening);
    servers.push(server as unknown as GraphqlUpstream);
    return server;
  });
  const remotes = metadata['remote_schemas.yaml'] as readonly RemoteOf[];
  const nameOf = ({ graphqlUrl }: GraphqlUpstream) =>
    remotes.find(({ definition }) => definition.url === graphqlUrl)?.name;
  // A webhook has no such address.
  return { metadata, services: new Map(servers.map((server) => [nameOf(server) ?? 'action', server])) };
}

export interface MixedServices {
  readonly metadata: Record<string, unknown>;
  /** The services by their names, and the webhook of the actions as `action`. */
  readonly services: ReadonlyMap<string, Pick<GraphqlUpstream, 'requests' | 'instead'>>;
}

async function actionsMetadata(faults: Faults, keep: Keep): Promise<Record<string, unknown>> {
  const loans = makeExecutableSchema({
    typeDefs: ACTIONS,
    resolvers: resolversOf(buildSchema(ACTIONS), faults),
  });
  const fields = '{ id note item_id reader_id renewals { days by_id } }';
  const hook = await keep(
    webhook(async ({ body }) => {
      const { action, input } = body as { action: { name: string }; input: { id?: string } };
      const kind = action.name === 'lend' ? 'mutation' : 'query';
      const source =
        action.name === 'loans' ? `{ loans ${fields} }` : `${kind} ($id: ID!) { ${action.name}(id: $id) ${fields} }`;
      const { data } = await graphql({ schema: loans, source, variableValues: input });
      return data?.[action.name];
    }),
  );
  const action = (name: string) => ({
    name,
    definition: { kind: 'synchronous', handler: hook.url },
    permissions: [{ role: 'user' }],
  });
  const objects = [
    {
      name: 'Loan',
      relationships: [
        to('catalogue', 'item', 'item_id', 'item', 'id'),
        to('people', 'reader', 'reader_id', 'person', 'id'),
      ],
    },
    { name: 'Renewal', relationships: [to('people', 'by', 'by_id', 'person', 'id')] },
  ];
  return {
    'actions.graphql': ACTIONS,
    'actions.yaml': { actions: [action('loans'), action('loan'), action('lend')], custom_types: { objects } },
  };
}
