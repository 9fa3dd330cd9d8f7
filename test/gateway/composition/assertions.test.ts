import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { keeper, openGateway, openIssuer, serve } from '../harness/index.ts';
import { productsSdl, productsSubgraph, reviewsSdl, reviewsSubgraph } from './subgraphs.ts';

const { keep, close } = keeper();
afterAll(close);

const HEADER = 'x-portico-assertion';

function claimsIn(headers: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(headers?.[HEADER]).split('.')[1] ?? '', 'base64url').toString());
}

test('each subgraph of a supergraph gets its own service assertion, and so does the server of the supergraph SDL', async () => {
  const issuer = await keep(openIssuer());
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const { supergraphSdl = '' } = composeServices([
    { name: 'products', typeDefs: parse(productsSdl), url: products.graphqlUrl },
    { name: 'reviews', typeDefs: parse(reviewsSdl), url: reviews.graphqlUrl },
  ]);
  const store = await keep(serve((_, response) => response.end(supergraphSdl)));
  const definition = {
    composition: 'federation',
    supergraph_url: store.url,
    service_assertion: true,
    subgraphs: { reviews: { service_assertion: { audience: 'the reviews' } } },
  };
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition }] },
      environment: { PORTICO_ASSERTION_KEY: randomBytes(32).toString('hex') },
    }),
  );
  const { body } = await gateway.graphql('{ product(upc: "1") { name reviews { text } } }', { token: issuer.token() });

  expect(body.errors).toBeUndefined();
  expect(claimsIn(products.asked().at(-1)?.headers)).toMatchObject({ aud: 'products', sub: '7' });
  expect(claimsIn(reviews.asked().at(-1)?.headers)).toMatchObject({ aud: 'the reviews', sub: '7' });
  const ofStore = claimsIn(store.requests[0]?.headers);
  expect(ofStore).toMatchObject({ aud: 'shop' });
  expect(ofStore).not.toHaveProperty('sub');
});
