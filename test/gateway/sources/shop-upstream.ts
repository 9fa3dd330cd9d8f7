import { GraphQLError } from 'graphql';
import { type GraphqlUpstream, graphqlUpstream } from '../harness/index.ts';

const TYPES = /* GraphQL */ `
  schema {
    query: query_root
    mutation: mutation_root
  }
  type query_root {
    orders(filter: Filter, status: Status): [Order!]!
    node(id: ID!): Node
    search: [Result!]!
    broken: Order
    echo(text: String, number: Int, filter: Filter): String
  }
  type mutation_root {
    place(input: Filter!): Order!
    cancel(id: ID!): Status
  }
  interface Node {
    id: ID!
    tag: String
  }
  type Order implements Node {
    id: ID!
    tag: String
    status: Status
    total: Money
    parent: Order
    failing: String
  }
  type Page implements Node {
    id: ID!
    tag: String
    url: String
  }
  union Result = Order | Page
  enum Status {
    OPEN
    SHIPPED
  }
  scalar Money
  input Filter {
    status: Status
    tags: [String!]
    also: Filter
  }
`;

const ORDER = { __typename: 'Order', id: '1', tag: 'a', status: 'OPEN', total: { amount: 5, __typename: 'x' } };
const PAGE = { __typename: 'Page', id: '2', tag: 'b', url: '/b' };

/** A service with a type of every kind, whose root types have names of their own. */
export function shopUpstream(): Promise<GraphqlUpstream> {
  const failing = () => {
    throw new GraphQLError('it fails', { extensions: { code: 'FAILS' } });
  };
  return graphqlUpstream(TYPES, {
    query_root: {
      orders: () => [ORDER],
      node: (_, { id }) => (id === '1' ? ORDER : PAGE),
      search: () => [ORDER, PAGE],
      broken: failing,
      echo: (_, given) => JSON.stringify(given),
    },
    mutation_root: {
      place: (_, { input }) => (input.status === 'SHIPPED' ? failing() : ORDER),
      cancel: () => 'SHIPPED',
    },
    Order: { parent: () => ORDER, failing },
  });
}
