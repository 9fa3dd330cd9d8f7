import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import type { Issuer } from '../harness/index.ts';
import { productsSubgraph, reviewsSubgraph, type TestSubgraph } from './subgraphs.ts';

/** An entry of `remote_schemas.yaml`. */
export interface Remote {
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly permissions?: readonly object[];
}

/** An entry for a subgraph, with a definition put over the usual one, and permissions as SDL by role. */
export function federated(
  name: string,
  { graphqlUrl }: { graphqlUrl: string },
  definition: object = {},
  permissions?: Readonly<Record<string, string>>,
): Remote {
  return {
    name,
    definition: { url: graphqlUrl, composition: 'federation', ...definition },
    ...(permissions && {
      permissions: Object.entries(permissions).map(([role, schema]) => ({ role, definition: { schema } })),
    }),
  };
}

export interface Shop {
  readonly products: TestSubgraph;
  readonly reviews: TestSubgraph;
  readonly gateway: EditedGateway;
  close(): Promise<void>;
}

/** A gateway over products and their reviews, two subgraphs. */
export async function openShop(
  issuer: Issuer,
  describe: (products: TestSubgraph, reviews: TestSubgraph) => readonly object[] = (products, reviews) => [
    federated('products', products),
    federated('reviews', reviews),
  ],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Shop> {
  const products = await productsSubgraph();
  const reviews = await reviewsSubgraph();
  const files = { 'remote_schemas.yaml': describe(products, reviews), ...more };
  const gateway = await openEditedGateway(files, { issuer });
  products.forget();
  reviews.forget();
  const close = async () => {
    await gateway.close();
    await products.close();
    await reviews.close();
  };
  return { products, reviews, gateway, close };
}
