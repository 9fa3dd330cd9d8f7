import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExecutionResult, GraphQLError, parse, validate } from 'graphql';
import { createSession } from '../../../gateway/access/session/index.ts';
import type { RoleGraph } from '../../../gateway/graph/generation/role-graph.ts';
import { LiveGraph } from '../../../gateway/graph/index.ts';
import { fragmentsOf } from '../../../gateway/graphql/syntax/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { DocumentCache } from '../../../gateway/pipeline/document/documents.ts';
import { withFragments } from '../../../gateway/pipeline/document/sub-operation.ts';
import type { Plan } from '../../../gateway/pipeline/plan/operation-plan.ts';
import { joinedPlan, planOf } from '../../../gateway/pipeline/plan/plan.ts';
import { executionErrors } from '../../../gateway/pipeline/response/errors.ts';
import type { OperationContext } from '../../../gateway/sources/index.ts';
import { openUpstreamHttp, PassthroughBody } from '../../../gateway/upstream/index.ts';
import { Cancellation, createLogger } from '../../../platform/index.ts';
import { operations } from '../generated/operations.ts';
import { keeper, reply, until, webhook, writeMetadata } from '../harness/index.ts';
import { graphqlUpstream } from '../harness/upstream.ts';

const SHOP = /* GraphQL */ `
  type Query {
    order(id: ID!): Order
    orders(first: Int, status: Status, filter: Filter): [Order!]!
    strict(id: ID!): Order!
    found(id: ID!): Found
    all: [Found]
  }
  type Mutation { place(id: ID!): Order placeStrictly(id: ID!): Order! }
  interface Named { id: ID! name: String }
  type Order implements Named { id: ID! name: String status: Status! amount: Float next: Order lines: [[Line!]] }
  type Line implements Named { id: ID! name: String order: Order! }
  union Found = Order | Line
  enum Status { OPEN SHIPPED }
  input Filter { item: String atLeast: Int = 1 }
`;
const USERS = /* GraphQL */ `
  type Query { me: User user(id: ID!): User users(first: Int): [User]! }
  type Mutation { rename(id: ID!): User }
  type User { id: ID! email: String friends: [User!] }
`;
const ACTIONS =
  'type Query { quote(id: ID!): Quote } type Mutation { accept(id: ID!): Quote } type Quote { id: ID! price: Float note: String }';

/** Some that sources answer, some that they fail for. */
const VALUES = {
  id: ['1', '2', 'nobody', 'broken'],
  first: [0, 1, 3, null],
  status: ['OPEN', 'SHIPPED'],
  filter: [{}, { item: 'bolt' }, { item: null, atLeast: 2 }],
};

const { keep, close } = keeper();
const graphs = new Map<string, RoleGraph>();

const AS_THEY_ARE = 'the names that services have';
const RENAMED = 'names of our own';
const OTHER_ROOTS = 'root types with names of their own';
const OTHER_NAMES = {
  type_names: { prefix: 'Shop', mapping: { Line: 'OrderLine' } },
  field_names: [
    { parent_type: 'Order', mapping: { next: 'following', amount: 'total' } },
    { parent_type: 'Line', mapping: { order: 'of' } },
  ],
};
const log = createLogger('test', 'silent', { write: () => {} });

function order(id: string): object | null {
  if (id === 'broken') throw new GraphQLError('the order is broken', { extensions: { code: 'BROKEN' } });
  if (id === 'nobody') return null;
  const line = () => ({ __typename: 'Line', id: `l${id}`, name: null, order: () => order(id) });
  return {
    __typename: 'Order',
    id,
    name: `order ${id} "quoted" \\ }}`,
    status: id === '1' ? 'OPEN' : 'SHIPPED',
    amount: 1.5,
    next: () => order(id === '1' ? 'broken' : '1'),
    lines: () => [[line()], null],
  };
}

function user(id: string): object | null {
  if (id === 'broken') throw new GraphQLError('the user is broken');
  return id === 'nobody' ? null : { id, email: `${id}@portico.test`, friends: () => [user('2')] };
}

beforeAll(async () => {
  const id = (_: unknown, given: { id: string }) => given.id;
  const shopCalled = (query: string, mutation: string) =>
    graphqlUpstream(
      `schema { query: ${query} mutation: ${mutation} } ${SHOP.replace('Query', query).replace('Mutation', mutation)}`,
      {
        [query]: {
          order: (...given: [unknown, { id: string }]) => order(id(...given)),
          orders: (_: unknown, { first }: { first?: number }) => ['1', '2', '3'].slice(0, first ?? 3).map(order),
          strict: (...given: [unknown, { id: string }]) => order(id(...given)),
          found: (...given: [unknown, { id: string }]) => order(id(...given)),
          all: () => [order('1'), null, { __typename: 'Line', id: 'l', name: 'line', order: () => order('2') }],
        },
        [mutation]: {
          place: (...given: [unknown, { id: string }]) => order(id(...given)),
          placeStrictly: (...given: [unknown, { id: string }]) => order(id(...given)),
        },
      },
    );
  const shop = await keep(shopCalled('Query', 'Mutation'));
  const rooted = await keep(shopCalled('query_root', 'mutation_root'));
  const users = await keep(
    graphqlUpstream(USERS, {
      Query: {
        me: () => user('2'),
        user: (...given: [unknown, { id: string }]) => user(id(...given)),
        users: (_: unknown, { first }: { first?: number }) => ['1', '2', 'nobody'].slice(0, first ?? 3).map(user),
      },
      Mutation: { rename: (...given: [unknown, { id: string }]) => user(id(...given)) },
    }),
  );
  const hook = await keep(
    webhook(({ body }, response) => {
      const { input } = body as { input: { id: string } };
      if (input.id === 'nobody') return null;
      if (input.id === 'broken') return reply(response, 400, { message: 'no such quote', code: 'no-quote' });
      return { id: input.id, price: 2, note: null };
    }),
  );
  const handler = { kind: 'synchronous', handler: hook.url };
  const http = await keep(openUpstreamHttp());
  const open = async (customization?: object, url = shop.graphqlUrl): Promise<RoleGraph> => {
    const metadata = writeMetadata({
      'remote_schemas.yaml': [
        { name: 'shop', definition: { url, ...(customization && { customization }) } },
        { name: 'users', definition: { url: users.graphqlUrl } },
      ],
      'actions.yaml': {
        actions: ['quote', 'accept'].map((name) => ({ name, definition: handler, permissions: [{ role: 'user' }] })),
        custom_types: { objects: [{ name: 'Quote' }] },
      },
      'actions.graphql': ACTIONS,
    });
    await keep(metadata);
    const surroundings = { environment: {}, http, publicRole: 'anonymous' };
    const live = new LiveGraph(loadMetadata(metadata.directory), surroundings, log);
    await keep({ close: () => live.stop() });
    live.start();
    await until('the sources are open', () => live.ready);
    return live.current.graphOf('user');
  };
  graphs.set(AS_THEY_ARE, await open());
  graphs.set(RENAMED, await open(OTHER_NAMES));
  graphs.set(OTHER_ROOTS, await open(undefined, rooted.graphqlUrl));
});

afterAll(close);

function answer(plan: Plan, text: string, variables: Readonly<Record<string, unknown>>): Promise<ExecutionResult> {
  const context: OperationContext = {
    session: createSession('user', {}),
    requestId: 'generated',
    clientAddress: '127.0.0.1',
    clientHeaders: {},
    query: text,
    cancellation: new Cancellation(),
    log,
    http: { headers: {}, cookies: [] },
  };
  return new Promise((resolve) =>
    plan.run(variables, context, (given) =>
      resolve(given instanceof PassthroughBody ? (given.toJson() as ExecutionResult) : given),
    ),
  );
}

/** What a client sees of errors, in an order of its own. */
const told = ({ errors = [] }: ExecutionResult) =>
  errors
    .flatMap((error) => executionErrors(error, log))
    .map(({ message, path, extensions }) => JSON.stringify({ path, message, extensions }))
    .sort();

/** @returns the kinds of plans that were tried. */
async function compare(names: string, kind: 'query' | 'mutation', runs: number): Promise<readonly string[]> {
  const kinds = new Set<string>();
  const graph = graphs.get(names);
  if (!graph) throw new Error(`no graph with ${names}`);
  await fc.assert(
    fc.asyncProperty(
      operations({ schema: graph.schema, kind, values: VALUES, depth: 3 }),
      async ({ text, variables }) => {
        expect(validate(graph.schema, parse(text))).toEqual([]);
        const document = new DocumentCache(100_000).get(text);
        const [operation] = document.operations;
        if (!operation) throw new Error('no operation');
        const fragments = fragmentsOf(document.node);
        const plan = planOf(operation, fragments, graph);
        kinds.add(plan.kind);
        const joined = joinedPlan(withFragments(operation, fragments), graph);
        const [one, other] = [await answer(plan, text, variables), await answer(joined, text, variables)];
        // Texts, so that the order of the response keys counts.
        expect([JSON.stringify(one.data), text]).toEqual([JSON.stringify(other.data), text]);
        // Where all of the data is gone, each tells the reasons that it had come across by then.
        if (one.data) expect([told(one), text]).toEqual([told(other), text]);
        else expect([told(one).length > 0, text]).toEqual([told(other).length > 0, text]);
      },
    ),
    { numRuns: runs, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  );
  return [...kinds].sort();
}

test('every plan answers queries as the plan over the whole graph does', async () => {
  expect(await compare(AS_THEY_ARE, 'query', 120)).toEqual(['forward', 'local', 'split']);
});

test('every plan answers mutations as the plan over the whole graph does', async () => {
  await compare(AS_THEY_ARE, 'mutation', 60);
});

test('every plan answers in the names that a service was given as the plan over the whole graph does', async () => {
  expect(await compare(RENAMED, 'query', 120)).toEqual(['forward', 'local', 'split']);
});

test('every plan answers mutations in the names that a service was given as the plan over the whole graph does', async () => {
  await compare(RENAMED, 'mutation', 40);
});

test('every plan answers from root types with names of their own as the plan over the whole graph does', async () => {
  await compare(OTHER_ROOTS, 'query', 80);
  await compare(OTHER_ROOTS, 'mutation', 30);
});
