import { GraphQLError } from 'graphql';
import {
  type GatewayOptions,
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

const FOR_EVERYBODY = /* GraphQL */ `
  type Mutation {
    "Lets somebody in."
    enter(name: String!, options: EnterOptions): Entry!
  }
  input EnterOptions {
    long: Boolean
  }
  type Entry {
    success: Boolean!
    ticket: String
  }
`;

const CATALOGUE = /* GraphQL */ `
  scalar JSON
  scalar numeric
  scalar bigint
  scalar uuid
  scalar Colour
  type Query {
    echo(
      text: String
      must: String
      flag: Boolean
      count: Int
      price: Float
      id: ID
      kind: Kind
      amount: numeric
      big: bigint
      filter: Filter
      texts: [String!]
      ids: [ID!]
      counts: [Int!]
      flags: [Boolean!]
      kinds: [Kind!]
      uuids: [uuid!]
      amounts: [numeric!]
      matrix: [[Int!]!]
      filters: [Filter!]
    ): JSON
    "Everything on offer."
    things(first: Int, kind: Kind): [Thing!]!
    found(text: String!): [Found]
    fail(how: String!): String
    stock: Int!
  }
  type Mutation {
    enter(name: String!, options: EnterOptions): Entry!
    put(id: ID!, filter: Filter!, note: String): Book
    drop(id: ID!): Boolean!
  }
  enum Kind {
    BOOK
    GAME
  }
  "What to look for."
  input Filter {
    name: String
    kind: Kind = BOOK
    price: numeric
    either: [Filter!]
  }
  input EnterOptions {
    long: Boolean
    secret: String
  }
  type Entry {
    success: Boolean!
    ticket: String
  }
  interface Thing {
    id: ID!
    kind: Kind!
    name: String
  }
  type Book implements Thing {
    id: ID!
    kind: Kind!
    name: String
    pages: Int!
    colour: Colour
    sequel: Book
    tags: [String]
  }
  type Game implements Thing {
    id: ID!
    kind: Kind!
    name: String
    "How many play."
    players: Int!
    price: numeric
    old: String @deprecated(reason: "Use name.")
  }
  union Found = Book | Game
`;

const BOOK = {
  __typename: 'Book',
  id: 'b1',
  kind: 'BOOK',
  name: 'Walls',
  pages: 90,
  colour: { r: 1 },
  tags: ['a', null],
};
const GAME = { __typename: 'Game', id: 'g1', kind: 'GAME', name: null, players: 2, price: 9.5, old: null };

const QUERIES: Readonly<Record<string, string>> = {
  echo: `query echo(
    $text: String $must: String! = "given" $flag: Boolean $count: Int $price: Float $id: ID $kind: Kind $amount: numeric
    $big: bigint $filter: Filter $texts: [String!] $ids: [ID!] $counts: [Int!] $flags: [Boolean!] $kinds: [Kind!]
    $uuids: [uuid!] $amounts: [numeric!] $matrix: [[Int!]!] $filters: [Filter!]
  ) {
    echo(
      text: $text must: $must flag: $flag count: $count price: $price id: $id kind: $kind amount: $amount big: $big
      filter: $filter texts: $texts ids: $ids counts: $counts flags: $flags kinds: $kinds uuids: $uuids
      amounts: $amounts matrix: $matrix filters: $filters
    )
  }`,
  needy: 'query needy($text: String!, $counts: [Int!]!) { echo(text: $text, counts: $counts) }',
  things: `query things($first: Int = 10, $kind: Kind, $long: Boolean!) {
    stock things(first: $first, kind: $kind) { __typename ...base ... on Book { pages @include(if: $long) colour } }
  }
  fragment base on Thing { key: id kind name }`,
  found: `query found($text: String!) {
    found(text: $text) { ... on Book { id sequel { pages } tags } ... on Game { id price old players } }
  }`,
  thing: 'query thing($text: String!) { found(text: $text) { ... on Thing { id } } }',
  stock: 'query stock { stock }',
  fail: 'query fail($how: String!) { fail(how: $how) stock }',
  put: 'mutation put($id: ID!, $filter: Filter!, $note: String = "-") { put(id: $id, filter: $filter, note: $note) { id name } }',
  drop: 'mutation drop($id: ID!) { drop(id: $id) }',
  enter:
    'mutation enter($name: String!, $options: EnterOptions) { ...entering } fragment entering on Mutation { enter(name: $name, options: $options) { success ticket } }',
  shred: 'mutation shred($id: ID!) { shred(id: $id) { done } }',
};

const endpoint = (query: string, url: string, methods: readonly string[], name = query) => ({
  name,
  url,
  methods,
  comment: `About ${name}.`,
  definition: { query: { collection_name: 'saved', query_name: query } },
});

const ENDPOINTS = [
  endpoint('echo', 'echo', ['GET', 'POST', 'DELETE']),
  endpoint('echo', 'echo/counts/:counts', ['GET'], 'counts in the path'),
  endpoint('echo', 'echo/texts/:texts', ['GET'], 'texts in the path'),
  endpoint('echo', 'echo/:text', ['GET'], 'echo by text'),
  endpoint('echo', 'echo/literal', ['POST'], 'echo, literally'),
  endpoint('echo', ':text/:id', ['GET'], 'echo by both'),
  endpoint('needy', 'needy', ['GET', 'PUT']),
  endpoint('things', 'things', ['GET']),
  endpoint('found', 'found', ['GET']),
  endpoint('thing', 'thing', ['GET']),
  endpoint('stock', 'stock', ['GET']),
  endpoint('fail', 'fail', ['GET']),
  endpoint('put', 'things/:id', ['PUT', 'PATCH']),
  endpoint('drop', 'things/:id', ['DELETE'], 'drop (for good)'),
  endpoint('enter', 'enter', ['POST']),
  endpoint('shred', 'shred', ['POST']),
];

/** The metadata of the catalogue; its addresses come from the environment. */
export const CATALOGUE_METADATA = {
  'remote_schemas.yaml': [
    {
      name: 'catalogue',
      definition: { url: '{{CATALOGUE_URL}}', timeout_seconds: 5, authentication_fields: ['enter'] },
      permissions: [
        { role: 'anonymous', definition: { schema: FOR_EVERYBODY } },
        { role: 'user', definition: { schema: CATALOGUE } },
        { role: 'manager', definition: { schema: CATALOGUE.replace('    stock: Int!\n', '') } },
      ],
    },
  ],
  'actions.yaml': {
    actions: [
      {
        name: 'shred',
        definition: { kind: 'synchronous', handler: '{{SHREDDER_URL}}/shred' },
        permissions: [{ role: 'manager' }],
      },
    ],
    custom_types: { objects: [{ name: 'Shredded' }] },
  },
  'actions.graphql': 'type Mutation { shred(id: ID!): Shredded } type Shredded { done: Boolean! }',
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: { queries: Object.entries(QUERIES).map(([name, query]) => ({ name, query })) },
    },
  ],
  'rest_endpoints.yaml': ENDPOINTS,
};

export interface Catalogue {
  readonly issuer: Issuer;
  readonly upstream: GraphqlUpstream;
  /** The webhook of the action `shred`, which managers may call. */
  readonly shredder: TestServer;
  /** What the webhook answers. */
  shredded: { status: number; body: unknown };
  readonly gateway: TestGateway;
  close(): Promise<void>;
}

/** A service with all kinds of types and a REST endpoint for everything; `enter` needs no token. */
export async function openCatalogue(options: Partial<GatewayOptions> = {}): Promise<Catalogue> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const upstream = await keep(
    graphqlUpstream(CATALOGUE, {
      Query: {
        echo: (_, given) => given,
        things: () => [BOOK, GAME],
        found: () => [BOOK, null, GAME],
        stock: () => 2,
        fail: (_, { how }, { extensions }) => {
          if (/^\d+$/.test(how)) extensions.http = { status: Number(how) };
          throw new GraphQLError(`failed: ${how}`, /^[\w-]+$/.test(how) ? { extensions: { code: how } } : {});
        },
      },
      Mutation: {
        enter: (_, { name }, { extensions }) => {
          if (name === 'alice') return { success: true, ticket: 't' };
          extensions.http = { status: 401 };
          return { success: false, ticket: null };
        },
        put: (_, { id, filter }) => ({ id, kind: 'BOOK', pages: 1, name: filter.name }),
        drop: () => true,
      },
      Book: { sequel: () => null },
    }),
  );
  const shredder = await keep(
    webhook((_, response) => {
      const { status, body } = catalogue.shredded;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }),
  );
  const metadata = { ...CATALOGUE_METADATA, ...options.metadata };
  const environment = { CATALOGUE_URL: upstream.graphqlUrl, SHREDDER_URL: shredder.url, ...options.environment };
  const gateway = await keep(openGateway({ ...options, issuer, metadata, environment })).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  const catalogue: Catalogue = {
    issuer,
    upstream,
    shredder,
    shredded: { status: 200, body: { done: true } },
    gateway,
    close,
  };
  upstream.forget();
  return catalogue;
}
