import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import {
  type GraphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type TestGateway,
} from '../harness/index.ts';
import { shopUpstream } from './shop-upstream.ts';

export interface ShopWorld {
  readonly issuer: Issuer;
  /** Of the role `user`. */
  readonly token: string;
  readonly shop: GraphqlUpstream;
  /** A gateway before the shop with this customization, with more in its description, and before others. */
  open(customization: object, more?: object, others?: readonly object[]): Promise<TestGateway>;
  /** What the shop was asked, in one line each. */
  asked(): readonly string[];
  close(): Promise<void>;
}

/** A shop with types of every kind, to be customized. */
export async function openShopWorld(): Promise<ShopWorld> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const shop = await keep(shopUpstream());
  return {
    issuer,
    token: issuer.token(),
    shop,
    open: (customization, more = {}, others = []) => {
      const remote = { name: 'shop', definition: { url: shop.graphqlUrl, customization }, ...more };
      return keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote, ...others] } }));
    },
    asked: () => shop.operations().map(({ body }) => body.query.replace(/\s+/g, ' ')),
    close,
  };
}

/** The schema that a caller is shown, in one line. */
export async function schemaSeenBy(gateway: TestGateway, token: string): Promise<string> {
  const { body } = await gateway.graphql(getIntrospectionQuery(), { token });
  return printSchema(buildClientSchema(body.data as unknown as IntrospectionQuery)).replace(/\s+/g, ' ');
}
