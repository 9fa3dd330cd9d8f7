import { type GraphqlUpstream, graphqlUpstream } from '../harness/index.ts';

export const FOR_CLERKS =
  'type Query { order(id: ID!): Order orders(tenant: Int! @preset(value: "x-hasura-tenant-id")): [Order] } type Order { id: ID! item: String }';

/** Metadata that has something of everything, for a shop. */
export const FILES = {
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url_from_env: 'SHOP_URL' },
      permissions: [{ role: 'clerk', definition: { schema: FOR_CLERKS } }],
    },
  ],
  'actions.yaml': {
    actions: [{ name: 'ping', definition: { handler: '{{PING_URL}}' }, permissions: [{ role: 'anonymous' }] }],
  },
  'actions.graphql': 'type Mutation { ping: String }',
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [
          { name: 'order', query: 'query ($id: ID!) { order(id: $id) { item } }' },
          { name: 'orders', query: '{ orders { id } }' },
          { name: 'margins', query: 'query ($id: ID!) { order(id: $id) { margin } }' },
        ],
      },
    },
  ],
  'rest_endpoints.yaml': [
    {
      name: 'order',
      url: 'orders/:id',
      methods: ['GET'],
      definition: { query: { collection_name: 'saved', query_name: 'order' } },
    },
  ],
  'services.yaml': [{ name: 'files', path: '/files', url: '{{FILES_URL}}', permissions: [{ role: 'archivist' }] }],
  'cron_triggers.yaml': [{ name: 'nightly', webhook: '{{SHOP_URL}}', schedule: '0 0 * * *' }],
};

/** The shop. */
export function openShop(): Promise<GraphqlUpstream> {
  return graphqlUpstream(
    'type Query { order(id: ID!): Order orders(tenant: Int!): [Order] } type Mutation { cancel(id: ID!): Order } type Order { id: ID! item: String margin: Float }',
  );
}

/** The variables that the metadata refers to. */
export function environmentOf(shop: GraphqlUpstream) {
  return { SHOP_URL: shop.graphqlUrl, FILES_URL: 'http://127.0.0.1:1', PING_URL: 'http://127.0.0.1:1' };
}
