import { GraphQLError } from 'graphql';
import type { GraphqlUpstream } from '../harness/index.ts';
import { graphqlUpstream } from '../harness/index.ts';

const SHAPES = /* GraphQL */ `
  interface Node { id: ID! name: String state: State peers(tenant: Int): [Node!] }
  interface Named { name: String next: Node }
  type Person implements Node & Named {
    id: ID! name: String state: State peers(tenant: Int): [Node!] next: Node states: [[State!]] friend: Node!
  }
  type Page implements Node & Named {
    id: ID! name: String state: State peers(tenant: Int): [Node!] next: Node current: State! echo(filter: Filter, tenant: Int): String
  }
  type Note { text: String state: State about: Node current: State! }
`;
const ROOTS = /* GraphQL */ `
  type Query {
    node(id: ID!, tenant: Int): Node
    strict(id: ID!): Node!
    named: [Named]
    feed(first: Int, filter: Filter): [Entry!]!
    loose(filter: Filter = { text: "usual" }): [Entry]
    states: [State!]
    echo(filter: Filter, tenant: Int, tags: [String!], state: State): String
  }
  type Mutation { touch(id: ID!, filter: Filter): Node touchStrictly(id: ID!): Node! }
`;
const FILTER = 'input Filter { tenant: Int text: String state: State and: [Filter!] not: Filter }';

/** What the service has. */
const SERVICE = `${SHAPES} ${ROOTS} ${FILTER}
  type Secret implements Node & Named {
    id: ID! name: String state: State peers(tenant: Int): [Node!] next: Node key: String
  }
  union Entry = Person | Page | Secret | Note
  enum State { OPEN CLOSED LOCKED }`;

const UNION = 'union Entry = Person | Page | Note';
const TENANT = 'tenant: Int @preset(value: "x-hasura-tenant-id")';
/** Without a type, without the value of an enum, and with a type that no longer has one of its interfaces. */
const NARROW = `${SHAPES.replace('type Page implements Node & Named', 'type Page implements Node')} ${ROOTS} ${FILTER}
  ${UNION} enum State { OPEN CLOSED }`;
const preset = (sdl: string) =>
  sdl.replaceAll('tenant: Int', TENANT).replace('tags: [String!]', 'tags: [String!] @preset(value: "x-hasura-tags")');
const WHOLE = `${SHAPES} ${ROOTS} ${FILTER}
  type Secret implements Node & Named {
    id: ID! name: String state: State peers(tenant: Int): [Node!] next: Node key: String
  }
  union Entry = Person | Page | Secret | Note enum State { OPEN CLOSED LOCKED }`;

/** The error of each object that some roles do not see. */
export const NO_NAME = 'no name for this';

/** The SDL of the permission of each role. */
export const ROLES = {
  narrow: NARROW,
  preset: preset(WHOLE),
  both: preset(NARROW),
} as const;

export const CUSTOMIZATION = {
  type_names: { prefix: 'My', mapping: { Entry: 'Thing' } },
  field_names: [
    { parent_type: 'Node', mapping: { name: 'title' } },
    { parent_type: 'Named', mapping: { name: 'title' } },
    { parent_type: 'Person', mapping: { name: 'title', friend: 'mate' } },
    { parent_type: 'Page', mapping: { name: 'title' } },
    { parent_type: 'Secret', mapping: { name: 'title' } },
    { parent_type: 'Query', mapping: { feed: 'all' } },
  ],
};

type Thing = Readonly<Record<string, unknown>>;

/** One that is found by its id: some are failed for. */
function node(id: string): Thing | null {
  if (id === 'broken') throw new GraphQLError('the node is broken', { extensions: { code: 'BROKEN' } });
  if (id === 'nobody') return null;
  const common = {
    id,
    name: `node ${id} "quoted" \\ }}`,
    state: { p: 'OPEN', g: 'CLOSED', s: 'LOCKED' }[id[0] ?? ''] ?? null,
    peers: () => ['p2', 's2', 'g2'].slice(id.endsWith('1') ? 0 : 2).map(node),
    next: () => node({ p: 's2', g: 'p2', s: 'g2' }[id[0] ?? ''] ?? 'nobody'),
  };
  if (id.startsWith('p'))
    return {
      __typename: 'Person',
      ...common,
      states: [['OPEN', 'LOCKED'], null, ['CLOSED']],
      friend: () => node(id === 'p1' ? 's1' : 'g2'),
    };
  if (id.startsWith('g')) return { __typename: 'Page', ...common, current: id === 'g1' ? 'LOCKED' : 'OPEN' };
  return {
    __typename: 'Secret',
    ...common,
    key: 'hidden',
    name: () => {
      throw new GraphQLError(NO_NAME);
    },
  };
}

function entries(): readonly (Thing | null)[] {
  const note = { __typename: 'Note', text: 'a', state: 'LOCKED', current: 'LOCKED', about: () => node('s1') };
  return [node('p1'), note, node('s1'), { ...note, current: 'OPEN', state: 'OPEN' }, node('g2')];
}

/** Values of arguments, some of which the service fails for. */
export const VALUES = {
  id: ['p1', 's1', 'g1', 'p2', 'nobody', 'broken'],
  first: [0, 2, 5, null],
  state: ['OPEN', 'CLOSED'],
  tags: [['a'], [], null],
  filter: [
    {},
    { text: 'a' },
    { text: null, not: { text: 'b' } },
    { and: [{ text: 'c' }, {}] },
    { not: null, state: 'OPEN' },
    null,
  ],
};

/** A service with unions, interfaces and enums, which answers `echo` with what it was given. */
export function roleService(query = 'Query', mutation = 'Mutation'): Promise<GraphqlUpstream> {
  const echo = (_: unknown, given: object) => JSON.stringify(given);
  const byId = (_: unknown, { id }: { id: string }) => node(id);
  const sdl = SERVICE.replace('type Query', `type ${query}`).replace('type Mutation', `type ${mutation}`);
  return graphqlUpstream(`schema { query: ${query} mutation: ${mutation} } ${sdl}`, {
    [query]: {
      node: byId,
      strict: byId,
      named: () => [node('p1'), node('g1'), node('s1'), null],
      feed: (_: unknown, { first }: { first?: number | null }) => entries().slice(0, first ?? 5),
      loose: () => [...entries(), null],
      states: () => ['OPEN', 'CLOSED'],
      echo,
    },
    [mutation]: { touch: byId, touchStrictly: byId },
    Page: { echo },
  });
}
