import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';
import { type Handler, reply, serve, type TestServer } from '../harness/index.ts';
import { answerOperation } from '../harness/repeated-operations.ts';

type Resolvers = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown }>['resolvers']>;

/** What a subgraph was asked. */
export interface Asked {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface TestSubgraph extends TestServer {
  readonly graphqlUrl: string;
  /** Operations, questions for its SDL apart. */
  asked(): readonly Asked[];
  forget(): void;
  /** From now on it has other types, at the same address. */
  become(typeDefs: string, resolvers?: Resolvers): void;
  /** While set, answers everything. */
  instead: Handler | undefined;
}

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.8", import: ["@key", "@shareable", "@override", "@context", "@fromContext",
  "@requires", "@external", "@provides", "@interfaceObject", "@inaccessible", "@authenticated", "@requiresScopes", "@policy"])\n`;

/** The SDL of a Federation 2 subgraph, from the SDL without the link to the specification. */
export function linked(typeDefs: string): string {
  return LINK + typeDefs;
}

function schemaOf(typeDefs: string, resolvers: Resolvers): GraphQLSchema {
  return buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers });
}

/** A subgraph of Apollo's own library behind a real server. */
export async function apolloSubgraph(typeDefs: string, resolvers: Resolvers = {}): Promise<TestSubgraph> {
  let schema = schemaOf(typeDefs, resolvers);
  const server = await serve(async (received, response, request) => {
    if (subgraph.instead) return subgraph.instead(received, response, request);
    const { query, variables } = received.body as Asked;
    const contextValue = { headers: received.headers };
    return reply(response, 200, await answerOperation(schema, { query, variables }, contextValue));
  });
  const subgraph: TestSubgraph = {
    ...server,
    graphqlUrl: `${server.url}/graphql`,
    asked: () =>
      server.requests
        .map(({ body, headers }) => ({ ...(body as Asked), headers }))
        .filter(({ query }) => !query.includes('_service')),
    forget: () => {
      server.requests.length = 0;
    },
    become: (types, changed = {}) => {
      schema = schemaOf(types, changed);
    },
    instead: undefined,
  };
  return subgraph;
}

const PRODUCTS: Record<string, { upc: string; name: string; price: number; cost: number }> = {
  1: { upc: '1', name: 'bolt', price: 5, cost: 2 },
  2: { upc: '2', name: 'nut', price: 3, cost: 1 },
};

/** Products, a Federation 2 subgraph. */
export const productsSdl = linked(`
  type Query { products(first: Int): [Product!]! product(upc: String!): Product }
  type Mutation { rename(upc: String!, name: String!): Product }
  type Product @key(fields: "upc") { upc: String! name: String price: Int cost: Int }
`);

export const productsResolvers: Resolvers = {
  Query: {
    products: (_: unknown, { first }: { first?: number }) => Object.values(PRODUCTS).slice(0, first ?? 9),
    product: (_: unknown, { upc }: { upc: string }) => PRODUCTS[upc],
  },
  Mutation: { rename: (_: unknown, { upc, name }: { upc: string; name: string }) => ({ ...PRODUCTS[upc], name }) },
  Product: { __resolveReference: ({ upc }: { upc: string }) => PRODUCTS[upc] },
};

/** Reviews of them, a Federation 1 subgraph. */
export const reviewsSdl = `
  type Query { reviews: [Review] }
  type Review @key(fields: "id") { id: ID! text: String product: Product }
  extend type Product @key(fields: "upc") { upc: String! @external reviews: [Review] }
`;

const REVIEWS = [
  { id: 'a', text: 'holds', upc: '1' },
  { id: 'b', text: 'rusts', upc: '2' },
];

const reviewsResolvers: Resolvers = {
  Query: { reviews: () => REVIEWS },
  Review: {
    __resolveReference: ({ id }: { id: string }) => REVIEWS.find((review) => review.id === id),
    product: ({ upc }: { upc: string }) => ({ __typename: 'Product', upc }),
  },
  Product: { reviews: ({ upc }: { upc: string }) => REVIEWS.filter((review) => review.upc === upc) },
};

export function productsSubgraph(): Promise<TestSubgraph> {
  return apolloSubgraph(productsSdl, productsResolvers);
}

export function reviewsSubgraph(): Promise<TestSubgraph> {
  return apolloSubgraph(reviewsSdl, reviewsResolvers);
}
