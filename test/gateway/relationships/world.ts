import { GraphQLError } from 'graphql';
import { type GraphqlUpstream, graphqlUpstream } from '../harness/index.ts';

const ORDERS = /* GraphQL */ `
  type Query {
    orders: [Order!]!
    order(id: ID!): Order
  }
  type Mutation {
    place: Order!
    reopen: Order!
  }
  type Order {
    id: ID!
    owner_id: Int
    note: String
    tags: [String!]!
    broken: String
  }
`;

const ROWS = [
  { id: '1', owner_id: 7, note: 'first', tags: ['a'] },
  { id: '2', owner_id: 8, note: 'second', tags: ['a', 'b'] },
  { id: '3', owner_id: 7, note: 'third', tags: [] },
  { id: '4', owner_id: null, note: 'nobody’s', tags: [] },
];

/** Orders, which know their owners by their numbers. */
export function ordersService(): Promise<GraphqlUpstream> {
  return graphqlUpstream(ORDERS, {
    Query: { orders: () => ROWS, order: (_, { id }) => ROWS.find((row) => row.id === id) ?? null },
    Mutation: { place: () => ROWS[0], reopen: () => ROWS[2] },
    Order: {
      broken: () => {
        throw new GraphQLError('no tea today');
      },
    },
  });
}

const USERS = /* GraphQL */ `
  type Query {
    user(id: ID!, locale: String = "en"): User
    users(where: UserFilter!): [User!]!
    directory(region: Region!): Directory
  }
  type Directory {
    list: [User!]!
    entry(id: ID!): User
    size: Int!
  }
  input UserFilter {
    ids: [ID!]
    tags: [String!]
    region: Region
  }
  enum Region {
    EU
    US
  }
  type User {
    id: ID!
    name(upper: Boolean): String!
    friends: [User!]!
    secret: String
    asked: String
  }
`;

/** Users. The one with the number 8 cannot be had; the names of unknown users cannot either. */
export function usersService(): Promise<GraphqlUpstream> {
  const user = (id: string) => ({ id });
  return graphqlUpstream(USERS, {
    Query: {
      user: (_, { id, locale }) => {
        if (id === '8') throw new GraphQLError('she has left', { extensions: { code: 'GONE' } });
        return { ...user(id), asked: locale };
      },
      users: (_, { where }) => (where.ids ?? where.tags ?? []).map(user),
      directory: (_, { region }) => (region === 'US' ? null : { entry: ({ id }: { id: string }) => user(id), size: 2 }),
    },
    User: {
      name: ({ id }, { upper }) => (upper ? `USER ${id}` : `user ${id}`),
      friends: ({ id }) => [user(`${id}0`)],
      secret: () => {
        throw new GraphQLError('not for you');
      },
    },
  });
}

/** An entry of `remote_relationships`. */
export function joins(type: string, ...relationships: readonly object[]): object {
  return { type_name: type, relationships };
}

/** A relationship to the remote schema `users`. */
export function toUsers(name: string, fields: readonly string[], remoteField: object, more: object = {}): object {
  return {
    name,
    definition: {
      to_remote_schema: { remote_schema: 'users', lhs_fields: fields, remote_field: remoteField, ...more },
    },
  };
}

/** The owner of an order. */
export const OWNER = toUsers('owner', ['owner_id'], { user: { arguments: { id: '$owner_id' } } });
