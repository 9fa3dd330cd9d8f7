import { afterAll, afterEach, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const shop = await keep(
  graphqlUpstream('type Query { price(of: Int): Int } type Mutation { sell: Int }', {
    Query: { price: (_: unknown, { of }: { of?: number }) => of ?? 7 },
  }),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl } }],
      'query_collections.yaml': [
        { name: 'saved', definition: { queries: [{ name: 'price', query: 'query @cached(ttl: 120) { price }' }] } },
      ],
      'rest_endpoints.yaml': [
        {
          name: 'price',
          url: 'price',
          methods: ['GET'],
          definition: { query: { collection_name: 'saved', query_name: 'price' } },
        },
      ],
    },
  }),
);
const token = issuer.token({ role: 'user', roles: ['user'] });
afterEach(() => shop.forget());

test.each([
  ['as it stands', 'query @cached { price }', {}],
  ['with values', 'query prices @cached(ttl: 5, refresh: true) { price }', {}],
  [
    'with variables',
    'query ($ttl: Int, $again: Boolean!) @cached(ttl: $ttl, refresh: $again) { price }',
    { ttl: 5, again: false },
  ],
])('a query is answered with @cached %s, which the service is not sent', async (_, query, variables) => {
  const { body } = await gateway.graphql(query, { token, variables });
  expect(body).toEqual({ data: { price: 7 } });
  const [sent] = shop.operations();
  expect(sent?.body.query).toContain('price');
  expect(JSON.stringify(sent?.body)).not.toMatch(/cached|ttl|again/);
});

test('a variable that the query needs besides is kept', async () => {
  const { body } = await gateway.graphql('query ($n: Int) @cached(ttl: $n) { price(of: $n) }', {
    token,
    variables: { n: 3 },
  });
  expect(body).toEqual({ data: { price: 3 } });
});

test('a saved query with @cached answers its endpoint', async () => {
  const response = await fetch(`${gateway.url}/api/rest/price`, { headers: { authorization: `Bearer ${token}` } });
  expect([response.status, await response.json()]).toEqual([200, { price: 7 }]);
});

test.each([
  ['a mutation', 'mutation @cached { sell }', 'Directive "@cached" may not be used on MUTATION.'],
  ['an unknown argument', 'query @cached(age: 1) { price }', 'Unknown argument "age" on directive "@cached".'],
])('@cached is refused for %s', async (_, query, message) => {
  const { body } = await gateway.graphql(query, { token });
  expect(body).toMatchObject({ errors: [{ message }] });
});
