import { COUNTER } from './loads/index.ts';
import {
  ARTICLES_OF_8_MIB,
  ARTICLES_OF_87_KB,
  articles,
  type GraphName,
  heavyAnswer,
  heavyQuery,
  products,
  publishedAnswer,
  rates,
} from './subgraphs/index.ts';

/** A kind of work that the targets are measured with. */
export interface Row {
  readonly id: RowId;
  readonly title: string;
  /** A GraphQL request, or for R the path of the REST endpoint. */
  readonly request: GraphqlRequest | RestRequest;
  /** The complete correct response. */
  readonly answer: unknown;
  /** How many upstream calls one request needs. A target with fewer calls shares responses between requests. */
  readonly calls: number;
  /** The federation that the row is sent to. Defaults to `small`. */
  readonly graph?: GraphName;
  /** The most connections that the row is measured with. */
  readonly mostConnections?: number;
}

/** Returns the federation that a row is sent to. */
export function graphOf(id: RowId): GraphName {
  return ROWS[id].graph ?? 'small';
}

/** Returns with how many connections a row is measured if `wanted` are requested. */
export function connectionsOf({ mostConnections }: Row, wanted: number): number {
  return Math.min(wanted, mostConnections ?? wanted);
}

export interface GraphqlRequest {
  readonly kind: 'graphql';
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface RestRequest {
  readonly kind: 'rest';
  readonly path: string;
}

export const ROW_IDS = [
  'U',
  'H',
  'L',
  'W',
  'P',
  'S',
  'M',
  'A',
  'R',
  'B',
  'G',
  'G10',
  'preset',
  'literal',
  'narrow',
  'namespace',
  'federation-preset',
  'stitched',
  'relationship',
  'action-field',
  'operation-handler',
] as const;

export type RowId = (typeof ROW_IDS)[number];

const namedProducts = products.map(({ id, name }) => ({ id, name }));

const article = '{ id title author words body }';

/** Users, products, the reviews of both, their authors' names, the products' data, and the stock. */
const HEAVY_CALLS = 6;

/** Returns the operation of the rows W and B for a response of any size. */
export function articlesQuery(count: number): string {
  return `query W { articles(first: ${count}) ${article} }`;
}

export const ROWS: Readonly<Record<RowId, Row>> = {
  U: {
    id: 'U',
    title: 'one field, another variable each time',
    request: {
      kind: 'graphql',
      query: 'query U($name: String) { hello(name: $name) }',
      variables: { name: `u${COUNTER}` },
    },
    answer: { data: { hello: 'world' } },
    calls: 1,
  },
  H: {
    id: 'H',
    title: 'the same tiny query each time',
    request: { kind: 'graphql', query: 'query H { hello }' },
    answer: { data: { hello: 'world' } },
    calls: 1,
  },
  L: {
    id: 'L',
    title: 'a list of 20 objects',
    request: { kind: 'graphql', query: 'query L { products { id name } }' },
    answer: { data: { products: namedProducts } },
    calls: 1,
  },
  W: {
    id: 'W',
    title: 'an answer of 87 KB',
    request: { kind: 'graphql', query: articlesQuery(ARTICLES_OF_87_KB) },
    answer: { data: { articles: articles(ARTICLES_OF_87_KB) } },
    calls: 1,
  },
  P: {
    id: 'P',
    title: '20 entities joined from two federation subgraphs',
    request: { kind: 'graphql', query: 'query P { products { id name price inStock } }' },
    answer: {
      data: { products: products.map(({ id, name, price, inStock }) => ({ id, name, price, inStock })) },
    },
    calls: 2,
  },
  S: {
    id: 'S',
    title: 'two independent sources in one operation',
    request: { kind: 'graphql', query: 'query S { hello rates { currency value } }' },
    answer: { data: { hello: 'world', rates } },
    calls: 2,
  },
  M: {
    id: 'M',
    title: 'a mutation',
    request: {
      kind: 'graphql',
      query: 'mutation M($name: String!) { renameProduct(id: "1", name: $name) { id name } }',
      variables: { name: `m${COUNTER}` },
    },
    answer: { data: { renameProduct: { id: '1', name: 'Product 1' } } },
    calls: 1,
  },
  A: {
    id: 'A',
    title: 'an action with its webhook',
    request: {
      kind: 'graphql',
      query: 'mutation A($item: String!) { placeOrder(item: $item) { id status } }',
      variables: { item: `i${COUNTER}` },
    },
    answer: { data: { placeOrder: { id: '1', status: 'placed' } } },
    calls: 1,
  },
  R: {
    id: 'R',
    title: 'a REST endpoint with a variable in its path',
    request: { kind: 'rest', path: `/api/rest/hello/r${COUNTER}` },
    answer: { hello: 'world' },
    calls: 1,
  },
  B: {
    id: 'B',
    title: 'an answer of 8 MiB, forwarded to 10 connections',
    request: { kind: 'graphql', query: articlesQuery(ARTICLES_OF_8_MIB) },
    get answer() {
      return { data: { articles: articles(ARTICLES_OF_8_MIB) } };
    },
    calls: 1,
    mostConnections: 10,
  },
  G: {
    id: 'G',
    title: "the field's heavy query, an answer of 87.6 KB",
    request: { kind: 'graphql', query: heavyQuery() },
    get answer() {
      return publishedAnswer();
    },
    calls: HEAVY_CALLS,
    graph: 'heavy',
  },
  G10: {
    id: 'G10',
    title: 'the same with ten times the objects',
    request: { kind: 'graphql', query: heavyQuery() },
    get answer() {
      return heavyAnswer('heavy-10');
    },
    calls: HEAVY_CALLS,
    graph: 'heavy-10',
  },
  preset: {
    id: 'preset',
    title: 'the list, with a preset of the session',
    request: { kind: 'graphql', query: 'query Preset { itemsOfTenant { id name } }' },
    answer: { data: { itemsOfTenant: namedProducts } },
    calls: 1,
  },
  literal: {
    id: 'literal',
    title: 'the list, with a constant preset',
    request: { kind: 'graphql', query: 'query Literal { itemsOfKind { id name } }' },
    answer: { data: { itemsOfKind: namedProducts } },
    calls: 1,
  },
  narrow: {
    id: 'narrow',
    title: 'the list, with an enum of which the role sees a part',
    request: { kind: 'graphql', query: 'query Narrow { items { id state } }' },
    answer: { data: { items: products.map(({ id }) => ({ id, state: 'OPEN' })) } },
    calls: 1,
  },
  namespace: {
    id: 'namespace',
    title: 'the list, in a namespace',
    request: { kind: 'graphql', query: 'query Namespace { shop { products { id name } } }' },
    answer: { data: { shop: { products: namedProducts } } },
    calls: 1,
  },
  'federation-preset': {
    id: 'federation-preset',
    title: 'the list, federated, with a preset of the session',
    request: { kind: 'graphql', query: 'query FederationPreset { itemsOfTenant { id name } }' },
    answer: { data: { itemsOfTenant: namedProducts } },
    calls: 1,
  },
  stitched: {
    id: 'stitched',
    title: '20 objects joined from two stitched services',
    request: { kind: 'graphql', query: 'query Stitched { products { id name price inStock } }' },
    answer: {
      data: { products: products.map(({ id, name, price, inStock }) => ({ id, name, price, inStock })) },
    },
    calls: 2,
  },
  relationship: {
    id: 'relationship',
    title: '20 objects with a relationship each to another service',
    request: { kind: 'graphql', query: 'query Relationship { products { id name stock { price inStock } } }' },
    answer: {
      data: {
        products: products.map(({ id, name, price, inStock }) => ({ id, name, stock: { price, inStock } })),
      },
    },
    calls: 2,
  },
  'action-field': {
    id: 'action-field',
    title: '20 objects with a field each by one action',
    request: { kind: 'graphql', query: 'query ActionField { products { id name stock { price inStock } } }' },
    answer: {
      data: {
        products: products.map(({ id, name, price, inStock }) => ({ id, name, stock: { price, inStock } })),
      },
    },
    calls: 2,
  },
  'operation-handler': {
    id: 'operation-handler',
    title: 'an action whose handler is a saved operation',
    request: {
      kind: 'graphql',
      query: 'mutation OperationHandler($name: String!) { renamed(name: $name) { id name } }',
      variables: { name: `h${COUNTER}` },
    },
    answer: { data: { renamed: { id: '1', name: 'Product 1' } } },
    calls: 1,
  },
};
