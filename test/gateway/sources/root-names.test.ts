import { afterAll, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { shopUpstream } from './shop-upstream.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(shopUpstream());
const PART =
  'type Query { node(id: ID!): Node } type Mutation { cancel(id: ID!): Status } interface Node { id: ID! } type Order implements Node { id: ID! } type Page implements Node { id: ID! } enum Status { OPEN SHIPPED }';
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        {
          name: 'shop',
          definition: { url: shop.graphqlUrl },
          permissions: [{ role: 'user', definition: { schema: PART } }],
        },
      ],
    },
  }),
);

test.each(['user', 'admin'])(
  'root types have GraphQL’s usual names in the graph, whatever the service calls them: %s',
  async (role) => {
    const token = issuer.token({ role, roles: [role] });
    const query =
      'query ($id: ID!) { ...root ... on Query { b: node(id: 2) { id } } } fragment root on Query { a: node(id: $id) { id } }';
    expect((await gateway.graphql(query, { token, variables: { id: '1' } })).body).toEqual({
      data: { a: { id: '1' }, b: { id: '2' } },
    });
    const mutation = 'mutation { ... on Mutation { __typename cancel(id: 1) } }';
    expect((await gateway.graphql(mutation, { token })).body).toEqual({
      data: { __typename: 'Mutation', cancel: 'SHIPPED' },
    });
    expect((await gateway.graphql('{ __typename node(id: 1) { id } }', { token })).body).toEqual({
      data: { __typename: 'Query', node: { id: '1' } },
    });
  },
);
