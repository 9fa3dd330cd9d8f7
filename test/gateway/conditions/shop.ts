import { openEditedGateway } from '../harness/edited-gateway.ts';
import { type GraphqlOptions, graphqlUpstream, keeper, openIssuer, type TokenContent } from '../harness/index.ts';

export const SHOP = /* GraphQL */ `
  type Query {
    orders: [Order!]!
    report: Report
    node(id: ID!): Node
    things: [Thing!]!
    user(id: ID!): User
  }
  type Mutation {
    refund(id: ID!): Order
    note(text: String): String
  }
  interface Node {
    id: ID!
    margin: Int
  }
  type Order implements Node {
    id: ID!
    margin: Int
    item: String
    owner_id: Int
  }
  type Item implements Node {
    id: ID!
    margin: Int
  }
  union Thing = Order | Item
  type Report {
    total: Int
    costs: Int
  }
  type User {
    id: ID!
    name: String
    salary: Int
  }
`;

const ORDERS = [1, 2].map((id) => ({ __typename: 'Order', id, margin: 3, item: 'bolt', owner_id: 7 }));
const ITEM = { __typename: 'Item', id: 9, margin: 4 };

export const IS_PRO = { 'x-hasura-plan': { _in: ['pro', 'team'] } };

/** The services and the gateway of suites about session conditions. */
export async function openConditionedShop() {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const shop = await keep(
    graphqlUpstream(SHOP, {
      Query: {
        orders: () => ORDERS,
        report: () => ({ total: 10, costs: 4 }),
        node: (_: unknown, { id }: { id: string }) => (id === '9' ? ITEM : ORDERS[0]),
        things: () => [...ORDERS, ITEM],
        user: (_: unknown, { id }: { id: string }) => ({ id, name: `user ${id}`, salary: 1000 }),
      },
      Mutation: { refund: () => ORDERS[0], note: (_: unknown, { text }: { text: string }) => text },
      Node: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
      Thing: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
    }),
  );
  const remote = {
    name: 'shop',
    definition: { url: shop.graphqlUrl },
    permissions: ['user', 'peer', 'free'].map((role) => ({
      role,
      definition: { schema: SHOP },
      ...(role !== 'free' && {
        session_conditions: [
          { fields: ['Query.report', 'Order.margin', 'Mutation.refund'], condition: { ...IS_PRO } },
          { fields: ['User.salary', 'Report.costs'], condition: { 'x-hasura-level': { _gte: 5 } } },
        ],
      }),
    })),
    remote_relationships: [
      {
        type_name: 'Order',
        relationships: [
          {
            name: 'owner',
            definition: {
              to_remote_schema: {
                remote_schema: 'shop',
                lhs_fields: ['owner_id'],
                remote_field: { user: { arguments: { id: '$owner_id' } } },
              },
            },
          },
          {
            name: 'summary',
            definition: {
              to_remote_schema: {
                remote_schema: 'shop',
                lhs_fields: ['id'],
                remote_field: { report: { arguments: {} } },
              },
            },
          },
        ],
      },
    ],
  };
  const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': [remote] }, { issuer }));
  await gateway.ready();
  const tokenOf = (hasura: TokenContent['hasura'] = {}, role = 'user') => issuer.token({ role, roles: [role], hasura });
  const ask = async (query: string, hasura?: TokenContent['hasura'], options: GraphqlOptions = {}) => {
    shop.forget();
    return (await gateway.graphql(query, { token: tokenOf(hasura), ...options })).body;
  };
  return { issuer, shop, remote, gateway, tokenOf, ask, close };
}

export const PRO = { 'x-hasura-plan': 'pro' };
export const FREE = { 'x-hasura-plan': 'free' };
