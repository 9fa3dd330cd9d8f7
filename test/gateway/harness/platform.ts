import { GraphQLError } from 'graphql';
import { type GatewayOptions, openGateway, type TestGateway } from './gateway.ts';
import { type Issuer, openIssuer } from './issuer.ts';
import { keeper } from './keep.ts';
import { serve, type TestServer } from './serve.ts';
import { type GraphqlUpstream, graphqlUpstream, webhook } from './upstream.ts';

const ACCOUNTS = /* GraphQL */ `
  type Query {
    account_count: Int!
    whoami: String
  }
  type Mutation {
    auth_user_login(data: AuthUserLoginInput!): AuthUserLoginResult!
    auth_token_refresh(refresh_token: String): AuthUserLoginResult!
    account_close(reason: String): Boolean!
  }
  input AuthUserLoginInput {
    username: String
    password: String
    tenant_id: Int
  }
  type AuthUserLoginResult {
    success: Boolean!
    error_message: String
    data: AuthTokens
  }
  type AuthTokens {
    access_token: String!
    expires_in: Int!
    refresh_token: String!
  }
`;

/** What needs no token. */
const ACCOUNTS_FOR_ANONYMOUS = ACCOUNTS.replace(/type Query \{[^}]*\}/, '').replace(/\n.*account_close.*/, '');

const ORDERS = /* GraphQL */ `
  type Query {
    orders(status: OrderStatus, first: Int): [Order!]!
    order(id: ID!): Order
    headers: [Header!]!
    search(filter: OrderFilter!): [Order!]!
  }
  type Mutation {
    placeOrder(item: String!, quantity: Int!): Order!
  }
  type Order {
    id: ID!
    item: String!
    quantity: Int!
    status: OrderStatus!
    tenant: String
    margin: Float
  }
  enum OrderStatus {
    OPEN
    SHIPPED
  }
  input OrderFilter {
    item: String
    quantity: Int
    status: OrderStatus
  }
  type Header {
    name: String!
    value: String!
  }
`;

export const LOGIN = /* GraphQL */ `
  mutation auth_user_login($username: String, $password: String, $tenant_id: Int) {
    auth_user_login(data: { username: $username, password: $password, tenant_id: $tenant_id }) {
      data {
        access_token
        expires_in
        refresh_token
      }
    }
  }
`;

const LOGIN_WITH_ALL = LOGIN.replace('data {\n', 'success error_message data {\n');

export const GOOD_LOGIN = { username: 'alice', password: 'right', tenant_id: 1 };

const TOKENS = { access_token: 'a.b.c', expires_in: 900, refresh_token: '00000000-0000-4000-8000-000000000000' };

/** The accounts service: who has the password `right` is let in; `late` is told to come back in 30 seconds. */
export function accountsUpstream(): Promise<GraphqlUpstream> {
  return graphqlUpstream(ACCOUNTS, {
    Query: { account_count: () => 2, whoami: (_, __, { headers }) => headers['x-hasura-user-id'] ?? null },
    Mutation: {
      auth_user_login: (_, { data }: { data: { password?: string } }, { extensions }) => {
        if (data.password === 'right') return { success: true, error_message: null, data: TOKENS };
        extensions.http =
          data.password === 'late'
            ? { status: 429, headers: { 'Retry-After': '30', 'X-Internal': 'not for the client' } }
            : { status: 401 };
        return { success: false, error_message: 'refused', data: null };
      },
      auth_token_refresh: () => ({ success: true, error_message: null, data: TOKENS }),
      account_close: () => true,
    },
  });
}

const ROWS = [
  { id: '1', item: 'bolt', quantity: 3, status: 'OPEN', margin: 0.5 },
  { id: '2', item: 'nut', quantity: 5, status: 'SHIPPED', margin: 0.25 },
];

/** The orders service. Each order tells the tenant that it was asked for. */
export function ordersUpstream(): Promise<GraphqlUpstream> {
  return graphqlUpstream(ORDERS, {
    Query: {
      orders: (_, { status }) => ROWS.filter((row) => !status || row.status === status),
      order: (_, { id }) => {
        if (id === 'broken') throw new GraphQLError('the order is broken', { extensions: { code: 'BROKEN', hint: 1 } });
        return ROWS.find((row) => row.id === id) ?? null;
      },
      search: () => ROWS,
      headers: (_, __, { headers }) => Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
    },
    Mutation: { placeOrder: (_, input) => ({ id: '3', status: 'OPEN', ...input }) },
    Order: { tenant: (_, __, { headers }) => headers['x-hasura-tenant-id'] ?? null },
  });
}

export interface Platform {
  readonly issuer: Issuer;
  readonly accounts: GraphqlUpstream;
  readonly orders: GraphqlUpstream;
  /** The webhook of the action `cancelOrder`. */
  readonly cancel: TestServer;
  /** The plain HTTP service behind `/files`. */
  readonly files: TestServer;
  readonly gateway: TestGateway;
  /** Everything that any service of the platform was asked to do. */
  asked(): number;
  forget(): void;
  close(): Promise<void>;
}

/**
 * A small platform behind a gateway: accounts (its login and refresh are authentication fields), orders (open to
 * whoever is logged in), an action, a plain HTTP service, and REST endpoints.
 */
export async function openPlatform(options: Partial<GatewayOptions> = {}): Promise<Platform> {
  const { keep, close } = keeper();
  const issuer = await keep(options.issuer ?? openIssuer());
  const accounts = await keep(accountsUpstream());
  const orders = await keep(ordersUpstream());
  const cancel = await keep(webhook(() => ({ id: '1', status: 'CANCELLED' })));
  const files = await keep(
    serve((_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end('id,item\n1,bolt\n')),
  );
  const metadata = {
    'remote_schemas.yaml': [
      {
        name: 'accounts',
        definition: {
          url: '{{ACCOUNTS_URL}}',
          timeout_seconds: 5,
          authentication_fields: ['auth_user_login', 'auth_token_refresh'],
        },
        permissions: [
          { role: 'anonymous', definition: { schema: ACCOUNTS_FOR_ANONYMOUS } },
          { role: 'user', definition: { schema: ACCOUNTS } },
        ],
      },
      { name: 'orders', definition: { url_from_env: 'ORDERS_URL', timeout_seconds: 5 } },
    ],
    'actions.yaml': {
      actions: [
        {
          name: 'cancelOrder',
          definition: { kind: 'synchronous', handler: '{{CANCEL_URL}}/cancel' },
          permissions: [{ role: 'user' }],
        },
      ],
      custom_types: { objects: [{ name: 'CancelOrderResult' }] },
    },
    'actions.graphql':
      'type Mutation { cancelOrder(id: ID!): CancelOrderResult } type CancelOrderResult { id: ID! status: String! }',
    'query_collections.yaml': [
      {
        name: 'saved',
        definition: {
          queries: [
            { name: 'login', query: LOGIN_WITH_ALL },
            {
              name: 'orders',
              query: 'query orders($status: OrderStatus) { orders(status: $status) { id item tenant } }',
            },
            { name: 'order', query: 'query order($id: ID!) { order(id: $id) { id item } }' },
          ],
        },
      },
    ],
    'rest_endpoints.yaml': [
      endpoint('login', 'auth_user_login', ['POST']),
      endpoint('orders', 'orders', ['GET', 'POST']),
      endpoint('order', 'orders/:id', ['GET']),
    ],
    'services.yaml': [{ name: 'files', path: '/files', url: '{{FILES_URL}}/stored' }],
    ...options.metadata,
  };
  const environment = {
    ACCOUNTS_URL: accounts.graphqlUrl,
    ORDERS_URL: orders.graphqlUrl,
    CANCEL_URL: cancel.url,
    FILES_URL: files.url,
    ...options.environment,
  };
  const gateway = await keep(openGateway({ ...options, issuer, metadata, environment })).catch(async (error) => {
    await close();
    throw error;
  });
  const servers = [accounts, orders, cancel, files];
  const forget = () => {
    for (const server of servers) server.requests.length = 0;
  };
  forget();
  const asked = () => servers.reduce((sum, server) => sum + server.requests.length, 0);
  return { issuer, accounts, orders, cancel, files, gateway, asked, forget, close };
}

/** An entry of `rest_endpoints.yaml` for a query of the collection `saved`. */
export function endpoint(query: string, url: string, methods: readonly string[]) {
  return {
    name: `${query} at ${url}`,
    url,
    methods,
    definition: { query: { collection_name: 'saved', query_name: query } },
  };
}
