import type { ServerResponse } from 'node:http';
import {
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  serve,
  type TestGateway,
  type TestServer,
  until,
} from '../harness/index.ts';

/** The types of the actions: each field is an action of the kind `subscription`, but for `order`. */
export const TYPES = /* GraphQL */ `
  type Query {
    order(id: ID!): Order
  }
  type Subscription {
    orders(status: Status! = OPEN, first: Int): Order
    state: Order
    must: Order!
    list: [Order!]
    text: String
    small: Order
    quick: Order
    slow: Order
    forwarding: Order
    fetched(id: ID!): Order
    secret: Order
  }
  type Order {
    id: ID!
    item: String
    size: Int
  }
  enum Status {
    OPEN
    SHIPPED
  }
`;

const KEY = 'a secret that signs calls, of 32 characters and more';

const action = (name: string, subscription: object = {}, more: object = {}, roles = ['user']) => ({
  name,
  definition: {
    kind: 'subscription',
    handler: `{{HOOK_URL}}/${name}`,
    timeout: 2,
    subscription,
    resilience: { retries: { backoff_milliseconds: 1 } },
    ...more,
  },
  permissions: roles.map((role) => ({ role })),
});

export const ACTIONS = [
  action('orders', { idle_timeout_seconds: 2 }),
  action('state', { events: 'state' }),
  action('must'),
  action('list'),
  action('text'),
  action('small', { max_event_bytes: 1_024 }),
  action('quick', { max_events_per_second: 10 }),
  action('slow', { idle_timeout_seconds: 1 }, { timeout: 1 }),
  action('forwarding', {}, { forward_client_headers: true, webhook_signature: { secret_from_env: 'HOOK_KEY' } }),
  action(
    'fetched',
    {},
    {
      request_transform: {
        version: 2,
        method: 'GET',
        url: '{{$base_url}}/{{$body.input.id}}',
        body: { action: 'remove' },
      },
      response_transform: {
        version: 2,
        body: {
          action: 'transform',
          template: '{ "id": {{$body.order}}, "item": {{$session_variables["x-hasura-role"]}} }',
        },
      },
    },
  ),
  action('secret', {}, {}, ['manager']),
  { name: 'order', definition: { handler: '{{HOOK_URL}}/order' }, permissions: [{ role: 'user' }] },
];

export const RELATIONSHIPS = {
  objects: [
    {
      name: 'Order',
      relationships: [
        {
          name: 'price',
          definition: {
            to_remote_schema: {
              remote_schema: 'shop',
              lhs_fields: ['id'],
              remote_field: { price: { arguments: { order: '$id' } } },
            },
          },
        },
      ],
    },
  ],
};

/** Answers one call of a handler. */
export type Handling = (response: ServerResponse, received: Received) => unknown;

export interface SubscriptionWorld {
  readonly issuer: Issuer;
  readonly token: string;
  readonly hook: TestServer;
  readonly gateway: TestGateway;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly environment: Record<string, string>;
  /** What the handler does with its first, second and further calls; the last one is repeated. */
  handle(...handlings: readonly Handling[]): void;
  /** The calls of the handler whose connection is open. */
  open(): number;
  forget(): void;
  close(): Promise<void>;
}

/** A gateway with actions of the kind `subscription`, all handled by one server. */
export async function openSubscriptionWorld(): Promise<SubscriptionWorld> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  let handlings: readonly Handling[] = [];
  let calls = 0;
  let open = 0;
  const hook = await keep(
    serve(async (received, response, request) => {
      open++;
      request.socket.once('close', () => open--);
      const handling = handlings[Math.min(calls++, handlings.length - 1)];
      await handling?.(response, received);
    }),
  );
  const shop = await keep(
    graphqlUpstream('type Query { price(order: ID!): Int }', {
      Query: { price: (_: unknown, { order }: { order: string }) => Number(order) * 100 },
    }),
  );
  const metadata = {
    'remote_schemas.yaml': [{ name: 'shop', definition: { url: '{{SHOP_URL}}' } }],
    'actions.graphql': TYPES,
    'actions.yaml': { actions: ACTIONS, custom_types: RELATIONSHIPS },
  };
  const environment = { HOOK_URL: hook.url, SHOP_URL: shop.graphqlUrl, HOOK_KEY: KEY };
  const gateway = await keep(openGateway({ issuer, metadata, environment }));
  return {
    issuer,
    token: issuer.token(),
    hook,
    gateway,
    metadata,
    environment,
    handle: (...given) => {
      calls = 0;
      handlings = given;
    },
    open: () => open,
    forget: () => {
      hook.requests.length = 0;
      calls = 0;
      handlings = [];
    },
    close: async () => {
      await until('no calls are open', () => open === 0).catch(() => {});
      await close();
    },
  };
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream' };
export const JSON_LINES = { 'content-type': 'application/x-ndjson' };

/** A server-sent event. */
export const event = (data: unknown, { id, name }: { id?: number | string; name?: string } = {}) =>
  `${name === undefined ? '' : `event: ${name}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${
    typeof data === 'string' ? data : JSON.stringify(data)
  }\n\n`;

/** Sends text and leaves the stream open. */
export const sends =
  (text: string, headers: Record<string, string> = EVENT_STREAM): Handling =>
  (response) => {
    response.writeHead(200, headers);
    response.flushHeaders();
    if (text !== '') response.write(text);
  };

/** Sends text and ends the stream cleanly. */
export const ends =
  (text: string, headers: Record<string, string> = EVENT_STREAM): Handling =>
  (response) =>
    void response.writeHead(200, headers).end(text);

/** Sends text and dies, as a process that is killed. */
export const dies =
  (text: string, headers: Record<string, string> = EVENT_STREAM): Handling =>
  (response) => {
    response.writeHead(200, headers);
    response.write(text, () => response.socket?.destroySoon());
  };
