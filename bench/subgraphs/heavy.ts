import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, graphqlSync } from 'graphql';
import { PACKAGE_DIR } from '../package-dir.ts';
import { type GraphName, publicSdl } from './graph.ts';

const HEAVY_DIR = join(PACKAGE_DIR, 'bench/heavy');

const DEFAULT_TOP = 5;

/** The number of copies of the published objects in each graph. */
const COPIES: Readonly<Partial<Record<GraphName, number>>> = { heavy: 1, 'heavy-10': 10 };

/** The published objects. See bench/heavy/README.md. */
interface PublishedData {
  readonly users: readonly { readonly id: string; readonly username: string }[];
  readonly products: readonly { readonly upc: string }[];
  readonly inventory: readonly { readonly upc: string; readonly inStock: boolean }[];
  readonly reviews: readonly { readonly id: string; readonly body: string; readonly upc: string }[];
}

interface HeavyReview {
  readonly id: string;
  readonly body: string;
  readonly author: () => HeavyUser | undefined;
  readonly product: () => HeavyProduct | undefined;
}

interface HeavyUser {
  readonly id: string;
  readonly reviews: () => readonly HeavyReview[];
}

interface HeavyProduct {
  readonly upc: string;
  readonly reviews: () => readonly HeavyReview[];
}

type Representation = { readonly __typename: string; readonly id?: string; readonly upc?: string };

/** Returns the query of the rows G and G10. */
export function heavyQuery(): string {
  return readFileSync(join(HEAVY_DIR, 'query.graphql'), 'utf8');
}

/** Returns the published response. */
export function publishedAnswer(): unknown {
  return JSON.parse(readFileSync(join(HEAVY_DIR, 'expected-answer.json'), 'utf8'));
}

/** Returns the response to the heavy query, computed by graphql-js over one schema of all objects. */
export function heavyAnswer(graph: GraphName): unknown {
  const schema = buildSchema(publicSdl(graph));
  // graphql-js creates objects without a prototype, but parsed responses have one.
  return JSON.parse(JSON.stringify(graphqlSync({ schema, source: heavyQuery(), rootValue: heavyRoot(graph) })));
}

/**
 * Returns the root value of all subgraphs of a heavy graph. A subgraph's schema determines which fields it uses. Undefined for
 * other graphs.
 */
export function heavyRoot(graph: GraphName): object | undefined {
  const count = COPIES[graph];
  if (count === undefined) return undefined;
  const data: PublishedData = JSON.parse(readFileSync(join(HEAVY_DIR, 'data.json'), 'utf8'));
  const copies = Array.from({ length: count }, (_, number) => copyOf(data, number));
  const users = copies.flatMap((copy) => copy.users);
  const products = copies.flatMap((copy) => copy.products);
  const byKey = new Map<string, object>([
    ...users.map((user) => [`User ${user.id}`, user] as const),
    ...products.map((product) => [`Product ${product.upc}`, product] as const),
    ...copies.flatMap(({ reviews }) => reviews).map((review) => [`Review ${review.id}`, review] as const),
  ]);
  return {
    users,
    me: users[0],
    user: ({ id }: { id: string }) => byKey.get(`User ${id}`),
    topProducts: ({ first }: { first: number | null }) =>
      copies.flatMap((copy) => copy.products.slice(0, first ?? DEFAULT_TOP)),
    _entities: ({ representations }: { representations: readonly Representation[] }) =>
      representations.map(({ __typename, id, upc }) => byKey.get(`${__typename} ${id ?? upc}`) ?? null),
  };
}

/** Returns the published objects with their own ids. Copy 0 has the published ids. */
function copyOf(data: PublishedData, number: number) {
  const own = (id: string) => (number === 0 ? id : `${id}-${number}`);
  const inStock = new Map(data.inventory.map((entry) => [entry.upc, entry.inStock]));
  const users: HeavyUser[] = data.users.map((user) => ({
    __typename: 'User',
    ...user,
    id: own(user.id),
    reviews: () => reviews.slice(0, 2),
  }));
  const products: HeavyProduct[] = data.products.map((product) => ({
    __typename: 'Product',
    ...product,
    upc: own(product.upc),
    inStock: inStock.get(product.upc),
    shippingEstimate: null,
    reviews: () => reviews.filter((_, index) => data.reviews[index]?.upc === product.upc),
  }));
  const reviews: HeavyReview[] = data.reviews.map(({ id, body, upc }) => ({
    __typename: 'Review',
    id: own(id),
    body,
    author: () => users[0],
    product: () => products.find((product) => product.upc === own(upc)),
  }));
  return { users, products, reviews };
}
