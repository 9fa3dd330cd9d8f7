import { expect } from '@jest/globals';
import {
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type TestGateway,
} from '../harness/index.ts';

export const INPUTS = /* GraphQL */ `
  enum Kind {
    NEW
    OLD
  }
  scalar Json
`;

const UPSTREAM = /* GraphQL */ `
  type Query {
    values(int: Int, float: Float, flag: Boolean, id: ID, text: String, kind: Kind, ints: [Int!], texts: [String], json: Json): String
    search(filter: Filter, limit: Int): String
    searches(filters: [Filter!]): String
    at(page: Int!): String
    filtered(filters: [Filter!]!): String
    usual(filter: Filter = { text: "usual", tenant: 0 }, filters: [Filter!]! = [{ text: "one" }]): String
    within(usual: Usual): String
    listed(filters: [Filter] = [{ text: "one" }]): String
    options(options: Options): String
    needy(order: OrderInput): String
    item: Item
    needed(tenant: Int!): String
  }
  type Mutation {
    place(order: OrderInput!): String
  }
  interface Item {
    notes(tenant: Int): String
  }
  type Book implements Item {
    notes(tenant: Int): String
    pages(tenant: Int, from: Int): String
  }
  input Filter {
    tenant: Int
    text: String
    and: [Filter!]
    not: Filter
  }
  input Options {
    page: Int
    filter: Filter
  }
  input Usual {
    page: Int
    filter: Filter = { text: "usual", tenant: 0 }
  }
  input OrderInput {
    item: String!
    tenant: Int!
  }
  ${INPUTS}
`;

export interface PresetWorld {
  readonly issuer: Issuer;
  /** Answers every field with its arguments, as JSON. */
  readonly upstream: GraphqlUpstream;
  readonly gateway: TestGateway;
  /** Sends an operation as user 7 of tenant 1 in a role, with these claims over those. */
  ask(role: string, query: string, variables?: object, hasura?: Record<string, unknown>): ReturnType<typeof asking>;
  /** What the service got as the arguments of the root fields. */
  got(role: string, query: string, variables?: object, hasura?: Record<string, unknown>): Promise<object>;
  close(): Promise<void>;
}

async function asking(gateway: TestGateway, token: string, query: string, variables: object | undefined) {
  return (await gateway.graphql(query, { token, variables })).body;
}

/** A gateway before a service that tells what it is asked. @param parts the SDL that each role is given. */
export async function openPresetWorld(parts: readonly (readonly [role: string, sdl: string])[]): Promise<PresetWorld> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const echo = (_: unknown, given: object) => JSON.stringify(given);
  const upstream = await keep(
    graphqlUpstream(UPSTREAM, {
      Query: {
        values: echo,
        search: echo,
        searches: echo,
        options: echo,
        needy: echo,
        needed: echo,
        usual: echo,
        within: echo,
        listed: echo,
        at: echo,
        filtered: echo,
        item: () => ({ __typename: 'Book' }),
      },
      Mutation: { place: echo },
      Book: { notes: echo, pages: echo },
    }),
  );
  const permissions = parts.map(([role, schema]) => ({ role, definition: { schema } }));
  const remote = { name: 'shop', definition: { url: upstream.graphqlUrl }, permissions };
  const gateway = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] } }));
  const ask: PresetWorld['ask'] = (role, query, variables, hasura = {}) =>
    asking(gateway, issuer.token({ role, roles: [role], hasura }), query, variables);
  return {
    issuer,
    upstream,
    gateway,
    ask,
    got: async (role, query, variables, hasura) => {
      const { data, errors } = await ask(role, query, variables, hasura);
      expect(errors).toBeUndefined();
      return Object.fromEntries(Object.entries(data ?? {}).map(([key, text]) => [key, JSON.parse(String(text))]));
    },
    close,
  };
}
