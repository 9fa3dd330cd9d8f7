import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const SDL = `${stitchingDirectives().allStitchingDirectivesTypeDefs}
  type Query { part: Part count: Int! _parts(ids: [ID!]!): [Part] @merge(keyField: "id") _sdl: String! }
  type Part @key(selectionSet: "{ id }") { id: ID! name: String weight: Int @computed(selectionSet: "{ size }") }`;
const shop = await keep(graphqlUpstream(SDL, { Query: { _sdl: () => SDL } }));
const definition = { url: shop.graphqlUrl, composition: 'stitching' };
const gateway = await keep(
  openGateway({ issuer, metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition }] } }),
);
afterEach(() => {
  shop.instead = undefined;
});

/** What the gateway makes of an answer of the service. */
async function relayed(query: string, answer: string): Promise<string> {
  shop.instead = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  return (await gateway.graphql(query, { token: issuer.token() })).text;
}

test('what a stitched service answers alone is relayed as it comes', async () => {
  const answer = '{"data":{"p":  {"name":"bolt"},"count":1}}';
  expect(await relayed('{ p: part { name } count }', answer)).toBe(answer);
});

test('errors beside it are reported at their places', async () => {
  const answer = '{"data":{"part":{"name":null}},"errors":[{"message":"no name","path":["part","name"]}]}';
  expect(JSON.parse(await relayed('{ part { name } }', answer))).toMatchObject({
    data: { part: { name: null } },
    errors: [{ message: 'no name', path: ['part', 'name'], extensions: { service: 'shop' } }],
  });
});

test('what it fails as a whole is null at each field', async () => {
  expect(JSON.parse(await relayed('{ part { name } count }', '{"errors":[{"message":"down"}]}'))).toMatchObject({
    data: null,
    errors: [{ message: 'down' }, { message: 'down' }],
  });
});
