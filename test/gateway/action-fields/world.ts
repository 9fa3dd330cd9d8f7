import {
  type GraphqlBody,
  type GraphqlUpstream,
  graphqlUpstream,
  keeper,
  type MetadataFiles,
  openGateway,
  openIssuer,
  type Received,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

const ORDERS = /* GraphQL */ `
  type Query {
    orders(first: Int = 4): [Order!]!
    order(id: ID!): Order
    cart: Cart
    things: [Thing!]!
    anything: [Anything!]!
  }
  type Mutation {
    place: Order!
  }
  type Order implements Thing {
    id: ID!
    weight: Int
    owner: Owner
    note: String
    parts: [Order!]!
    broken: Int
  }
  type Cart implements Thing {
    id: ID!
    orders: [[Order]]
  }
  interface Thing {
    id: ID!
  }
  union Anything = Order | Cart
  type Owner {
    id: ID!
    name: String
  }
`;

export interface OrderRow {
  readonly id: string;
  readonly weight: unknown;
  readonly owner: unknown;
  readonly note: string;
}

/** Four orders: the first and the third are equal but for their ids, and the last one has no weight. */
export const ROWS: readonly OrderRow[] = [
  { id: '1', weight: 5, owner: { id: '7', name: 'Ada' }, note: 'first' },
  { id: '2', weight: 8, owner: { id: '8', name: null }, note: 'second' },
  { id: '3', weight: 5, owner: { id: '7', name: 'Ada' }, note: 'third' },
  { id: '4', weight: null, owner: null, note: 'fourth' },
];

export function ordersService(rows: readonly OrderRow[] = ROWS): Promise<GraphqlUpstream> {
  return graphqlUpstream(ORDERS, {
    Query: {
      orders: (_, { first }: { first: number }) => rows.slice(0, first),
      order: (_, { id }: { id: string }) => rows.find((row) => row.id === id) ?? null,
      cart: () => ({ id: 'c', orders: [[rows[0], null], null, [rows[1]]] }),
      things: () => [rows[0], { id: 'c' }, rows[1]],
      anything: () => [{ id: 'c' }, rows[1]],
    },
    Mutation: { place: () => rows[1] },
    Order: {
      parts: () => rows.slice(0, 2),
      broken: () => {
        throw new Error('no tea today');
      },
    },
    Thing: { __resolveType: (thing: object) => ('weight' in thing ? 'Order' : 'Cart') },
    Anything: { __resolveType: (thing: object) => ('weight' in thing ? 'Order' : 'Cart') },
  });
}

/** The input of one object, as a handler gets it. */
export type Input = Record<string, never> & { id: string; weight: number; express?: boolean };

/** The body of a call of a handler. */
export interface CallBody {
  readonly action: { readonly name: string };
  readonly input?: Input;
  readonly inputs?: readonly Input[];
  readonly request_query: string;
  readonly session_variables: Readonly<Record<string, string>>;
}

export const ESTIMATE = /* GraphQL */ `
  type Query {
    estimate(id: ID!, weight: Int!, express: Boolean = false): Estimate
  }
  type Estimate {
    price: Int!
    days: Int
    carrier_id: ID
    legs: [Leg!]
  }
  type Leg {
    km: Int!
  }
`;

/** The action `estimate` as a field of orders. */
export function estimate(field: object = { batch: true }, more: object = {}, roles: readonly string[] = ['user']) {
  return {
    name: 'estimate',
    definition: {
      handler: '{{HOOK_URL}}/estimate',
      timeout: 1,
      field: { type: 'Order', name: 'estimate', key: 'id weight', ...field },
      ...more,
    },
    permissions: roles.map((role) => ({ role })),
  };
}

export function priceOf({ weight, express }: Input): object {
  return { price: weight * (express ? 20 : 10), days: express ? 1 : 5, carrier_id: `c${weight}`, legs: [{ km: 1 }] };
}

/** Answers calls for one object and for many, as a handler of `estimate` does. */
export function answerEstimates({ body }: Received): unknown {
  const { input, inputs } = body as CallBody;
  return inputs ? inputs.map((one) => ({ data: priceOf(one) })) : priceOf(input as Input);
}

export interface FieldWorld {
  readonly gateway: TestGateway;
  readonly orders: GraphqlUpstream;
  readonly hook: TestServer;
  /** The bodies of the calls of the handler. */
  calls(): readonly CallBody[];
  ask(query: string, variables?: unknown, role?: string): Promise<GraphqlBody>;
  /** What the handler does from now on. */
  answerBy(answer: Parameters<typeof webhook>[0]): void;
  forget(): void;
  close(): Promise<void>;
}

/** A gateway with orders and the given actions, whose handlers are one webhook. */
export async function openFieldWorld({
  actions = [estimate()],
  types = ESTIMATE,
  orders: more = {},
  definition = {},
  files = {},
  rows = ROWS,
  environment = {},
}: {
  readonly actions?: readonly unknown[];
  readonly types?: string;
  /** More of the remote schema `orders`. */
  readonly orders?: object;
  /** More of its definition. */
  readonly definition?: object;
  readonly files?: MetadataFiles & { readonly remotes?: readonly object[] };
  readonly rows?: readonly OrderRow[];
  readonly environment?: Record<string, string>;
} = {}): Promise<FieldWorld> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const orders = await keep(ordersService(rows));
  let answering: Parameters<typeof webhook>[0] = answerEstimates;
  const hook = await keep(webhook((received, response) => answering(received, response)));
  const { remotes = [], ...others } = files;
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { HOOK_URL: hook.url, ...environment },
      metadata: {
        'remote_schemas.yaml': [
          { name: 'orders', definition: { url: orders.graphqlUrl, ...definition }, ...more },
          ...remotes,
        ],
        'actions.yaml': { actions },
        'actions.graphql': types,
        ...others,
      },
    }).catch(async (error: unknown) => {
      await close();
      throw error;
    }),
  );
  return {
    gateway,
    orders,
    hook,
    calls: () => hook.requests.map(({ body }) => body as CallBody),
    ask: async (query, variables, role = 'user') =>
      (await gateway.graphql(query, { token: issuer.token({ role, roles: [role] }), variables })).body,
    answerBy: (answer) => {
      answering = answer;
    },
    forget: () => {
      hook.requests.length = 0;
      orders.forget();
      answering = answerEstimates;
    },
    close,
  };
}
