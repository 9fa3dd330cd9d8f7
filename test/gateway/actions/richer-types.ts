import { createTestDatabase } from '../../database/index.ts';
import {
  type Answer,
  endpoint,
  type GraphqlBody,
  type GraphqlOptions,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

const TYPES = /* GraphQL */ `
  type Query {
    pet: Pet
    pets: [Pet]
    sure: [Pet!]!
    home: Home
    plain: Plain
    found(by: PetBy!): Plain
    stock(sku: Sku, skus: [Sku!], score: Score = 5, line: StockLine, unit: String = "piece" @deprecated(reason: "all are pieces")): Stock
    sku: Sku
    album(id: ID): Album
    lookAlbum: Look
  }
  type Mutation {
    adopt(name: String!): Pet
    nest: Nest
  }
  "An animal with a name"
  interface Pet {
    name: String
    friend: Pet
  }
  interface Loud implements Pet {
    name: String
    friend: Pet
    volume: Int
  }
  type Cat implements Pet {
    name: String
    friend: Pet
    owner_id: ID
    lives: Int
  }
  type Dog implements Pet & Loud {
    name: String
    friend: Pet
    volume: Int
  }
  union Guest = Cat | Plain
  type Home {
    guests: [Guest]
    first: Guest!
    rooms: [Home!]
  }
  type Nest {
    nest: Nest
  }
  type Plain {
    name: String
  }
  input PetBy @oneOf {
    id: ID
    name: String
    owner: OwnerBy
  }
  input OwnerBy @oneOf {
    id: ID
    name: String
  }
  "Three letters and a number"
  scalar Sku @check(pattern: "^[A-Z]{3}-\\\\d+$", maxLength: 10)
  scalar Score
  input StockLine {
    sku: Sku = "ABC-1"
    score: Score
    old: String @deprecated
  }
  type Stock {
    sku: Sku
    must: Sku!
    score: Score
    others: [Sku!]
    old: Int @deprecated(reason: "use score")
    state: State
  }
  enum State {
    FULL
    "no longer"
    LOW @deprecated(reason: "use EMPTY")
    EMPTY
  }
  type Album {
    owner_id: ID
    title: String
    photo(size: Int = 1): String
    photos(first: Int = 10, after: ID): [Photo!]
    covers: [Look]
  }
  type Photo {
    url(size: Int): String
    caption: String
  }
  type Sketch {
    url(size: Int): String
  }
  union Look = Photo | Sketch
`;

const NAMES = ['pet', 'pets', 'sure', 'home', 'plain', 'found', 'stock', 'sku', 'album', 'lookAlbum'];

const action = (name: string, more: Record<string, unknown> = {}, roles = ['user']) => ({
  name,
  definition: { handler: '{{HOOK_URL}}', timeout: 5, ...more },
  permissions: roles.map((role) => ({ role })),
});

const OWNERS =
  'type Query { owner(id: ID!): Owner stocked(sku: Sku): String } type Owner { name: String } "Three letters and a number" scalar Sku';

const toOwner = () => ({
  name: 'owner',
  definition: {
    to_remote_schema: {
      remote_schema: 'owners',
      lhs_fields: ['owner_id'],
      remote_field: { owner: { arguments: { id: '$owner_id' } } },
    },
  },
});

const SAVED = [
  { name: 'rated', query: 'query ($score: Score!, $sku: Sku) { stock(score: $score, sku: $sku) { must } }' },
  { name: 'pet', query: '{ pet { name } }' },
];

const RICHER_METADATA = {
  'query_collections.yaml': [{ name: 'saved', definition: { queries: SAVED } }],
  'rest_endpoints.yaml': SAVED.map(({ name }) => endpoint(name, name, ['GET'])),
  'remote_schemas.yaml': [
    {
      name: 'owners',
      definition: { url: '{{OWNERS_URL}}' },
      permissions: [{ role: 'user', definition: { schema: OWNERS } }],
    },
  ],
  'actions.graphql': TYPES,
  'actions.yaml': {
    actions: [
      ...NAMES.map((name) => action(name, {}, name === 'plain' ? ['user', 'plain'] : ['user'])),
      action('adopt', { kind: 'asynchronous' }),
      action('nest', { kind: 'asynchronous' }),
    ],
    custom_types: {
      scalars: [{ name: 'Score', check: { minimum: 1, maximum: 5 } }],
      input_objects: [{ name: 'PetBy', one_of: true }],
      interfaces: [{ name: 'Pet' }],
      unions: [{ name: 'Guest' }],
      objects: ['Cat', 'Album'].map((name) => ({ name, relationships: [toOwner()] })),
    },
  },
};

export interface RicherActions {
  readonly gateway: TestGateway;
  readonly hook: TestServer;
  /** Sends an operation as a user while the handler returns `value`. */
  call(query: string, value?: unknown, options?: GraphqlOptions): Promise<Answer<GraphqlBody>>;
  /** Makes the handler respond with exactly this text. */
  answerText(text: string | undefined): void;
  tokenOf(role: string): string;
  /** The requests of the handler. */
  readonly received: Received[];
  close(): Promise<void>;
}

/** A gateway whose actions use interfaces, unions, `@oneOf`, checked scalars and fields with arguments. */
export async function openRicherActions(): Promise<RicherActions> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  let value: unknown = null;
  let text: string | undefined;
  const hook = await keep(
    webhook((_, response) => {
      if (text === undefined) return value;
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      return undefined;
    }),
  );
  const owners = await keep(
    graphqlUpstream(OWNERS, { Query: { owner: (_: unknown, { id }: { id: string }) => ({ name: `owner ${id}` }) } }),
  );
  const database = await createTestDatabase({ engine: 'pglite', migrated: false });
  const gateway = await openGateway({
    issuer,
    metadata: RICHER_METADATA,
    environment: {
      HOOK_URL: hook.url,
      OWNERS_URL: owners.url,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
    },
  });
  const tokenOf = (role: string) => issuer.token({ role, roles: [role] });
  return {
    gateway,
    hook,
    received: hook.requests,
    tokenOf,
    answerText: (given) => {
      text = given;
    },
    call: (query, returned = null, options = {}) => {
      value = returned;
      hook.requests.length = 0;
      return gateway.graphql(query, { token: tokenOf('user'), ...options });
    },
    close: async () => {
      await gateway.close();
      await database.drop();
      await close();
    },
  };
}
