import { GraphQLError } from 'graphql';
import { type GraphqlUpstream, graphqlUpstream, type UpstreamContext } from '../harness/index.ts';

const TYPES = /* GraphQL */ `
  type Query {
    item(id: ID!): Item
    items(count: Int!): [Item!]!
    caller: Caller!
    secret: String
  }
  type Mutation {
    reserve(item: ID!, note: String): Reservation
    release(id: ID!): Boolean
    charge(amount: Int!, key: String): Charge
    refund(id: ID!): Boolean
    ship(id: ID!): Boolean
  }
  type Item {
    id: ID!
    name: String
    price: Int
    text: String
  }
  type Reservation {
    id: ID!
    owner: String
  }
  type Charge {
    id: ID!
    amount: Int
    broken: String
  }
  type Caller {
    role: String
    user: String
    tenant: String
    authorization: String
  }
`;

/** What the role `user` may see of the shop: neither the secret nor mutations. */
export const USER_SCHEMA = /* GraphQL */ `
  type Query {
    item(id: ID!): Item
    caller: Caller!
  }
  type Item {
    id: ID!
    name: String
    price: Int
  }
  type Caller {
    role: String
    user: String
    tenant: String
  }
`;

/** The role `clerk` sees everything. Its reservations have the caller's id as their note. */
export const CLERK_SCHEMA = TYPES.replace('note: String', 'note: String @preset(value: "x-hasura-user-id")');

export interface Shop extends GraphqlUpstream {
  /** The mutations in their order, with the tenant that they were sent for. */
  readonly done: string[];
  /** Called before a field responds. It may throw or wait. */
  before: ((field: string, args: Readonly<Record<string, unknown>>) => unknown) | undefined;
}

/** A service that reserves, charges and ships, and keeps a list of what it did. */
export async function openShop(): Promise<Shop> {
  const done: string[] = [];
  const resolver =
    (field: string, value: (args: Record<string, never>, context: UpstreamContext) => unknown) =>
    async (_: unknown, args: Record<string, never>, context: UpstreamContext) => {
      await shop.before?.(field, args);
      return value(args, context);
    };
  const did = (field: string, key: string, value: (args: Record<string, never>) => unknown) =>
    resolver(field, (args, { headers }) => {
      done.push(`${field} ${args[key]} of tenant ${headers['x-hasura-tenant-id']}`);
      return value(args);
    });
  const upstream = await graphqlUpstream(TYPES, {
    Query: {
      item: resolver('item', ({ id }) => (id === 'none' ? null : { id, name: `item ${id}`, price: 12 })),
      items: resolver('items', ({ count = 0 }: { count?: number }) =>
        Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(1_000) })),
      ),
      caller: resolver('caller', (_, { headers }) => ({
        role: headers['x-hasura-role'],
        user: headers['x-hasura-user-id'],
        tenant: headers['x-hasura-tenant-id'],
        authorization: headers.authorization ?? null,
      })),
      secret: resolver('secret', () => 'swordfish'),
    },
    Mutation: {
      reserve: did('reserve', 'item', ({ item, note }) => ({ id: `r-${item}`, owner: note ?? null })),
      release: did('release', 'id', () => true),
      charge: did('charge', 'amount', ({ amount }) => ({ id: `c-${amount}`, amount })),
      refund: did('refund', 'id', () => true),
      ship: did('ship', 'id', () => true),
    },
    Charge: {
      broken: () => {
        throw new GraphQLError('the receipt is broken', { extensions: { code: 'RECEIPT', table: 'receipts' } });
      },
    },
  });
  const shop: Shop = Object.assign(upstream, { done, before: undefined });
  return shop;
}

/** The saved operations of the shop. */
export const OPERATIONS = {
  Item: 'query Item($id: ID!) { item(id: $id) { id name price } }',
  Items: 'query ($count: Int!) { items(count: $count) { id text } }',
  Caller: '{ caller { role user tenant } }',
  Both: 'query ($id: ID!) { item(id: $id) { id } caller { user } }',
  Secret: '{ secret }',
  Reserve: 'mutation ($item: ID!) { reserve(item: $item) { id owner } }',
  Release: 'mutation ($id: ID!) { release(id: $id) }',
  Charge: 'mutation ($amount: Int!, $key: String) { charge(amount: $amount, key: $key) { id amount } }',
  ChargeBroken: 'mutation ($amount: Int!) { charge(amount: $amount) { id broken } }',
  Refund: 'mutation ($id: ID!) { refund(id: $id) }',
  Ship: 'mutation ($id: ID!) { ship(id: $id) }',
};

export const run = (operation: keyof typeof OPERATIONS | (string & {}), more: object = {}) => ({
  operation,
  collection: 'shop',
  ...more,
});

export const step = (name: string, operation: string, more: object = {}) => ({ name, ...run(operation, more) });

/** The metadata of the shop with these actions. */
export function shopMetadata(
  sdl: string,
  actions: readonly unknown[],
  operations: Readonly<Record<string, string>> = OPERATIONS,
) {
  return {
    'remote_schemas.yaml': [
      {
        name: 'shop',
        definition: { url: '{{SHOP_URL}}', forward_client_headers: true },
        permissions: [
          { role: 'user', definition: { schema: USER_SCHEMA } },
          { role: 'clerk', definition: { schema: CLERK_SCHEMA } },
        ],
      },
    ],
    'actions.graphql': sdl,
    'actions.yaml': { actions },
    'query_collections.yaml': [
      {
        name: 'shop',
        definition: { queries: Object.entries(operations).map(([name, query]) => ({ name, query })) },
      },
    ],
  };
}

export const action = (
  name: string,
  handler: unknown,
  definition: object = {},
  roles: readonly string[] = ['user'],
) => ({
  name,
  definition: { handler, timeout: 5, ...definition },
  permissions: roles.map((role) => ({ role })),
});

/** Reserve, charge and ship, with a compensation for the first two. */
export const CHECKOUT = {
  role: 'clerk',
  steps: [
    step('item', 'Item', { variables: '{ "id": {{$body.input.item}} }' }),
    { fail: { if: '{{ $steps.item == null }}', message: 'there is no such item', code: 'no-item' } },
    step('reserved', 'Reserve', {
      variables: '{ "item": {{$steps.item.id}} }',
      compensate: run('Release', { variables: '{ "id": {{$steps.reserved.id}} }' }),
    }),
    step('charged', 'Charge', {
      variables: '{ "amount": {{$steps.item.price}}, "key": {{$idempotency_key}} }',
      compensate: run('Refund', { variables: '{ "id": {{$steps.charged.id}} }' }),
    }),
    step('shipped', 'Ship', {
      variables: '{ "id": {{$steps.reserved.id}} }',
      when: '{{ not($body.input.pickup) }}',
    }),
  ],
  response:
    '{ "id": {{$steps.reserved.id}}, "paid": {{$steps.charged.amount}}, "shipped": {{$steps.shipped ?? false}}, "user": {{$session_variables["x-hasura-user-id"]}} }',
};
