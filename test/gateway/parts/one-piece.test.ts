import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, type TestGateway } from '../harness/index.ts';
import { ask, DEFERRED, openWorld, partsShop, SHOP, type World } from './world.ts';

let world: World;
const { keep, close } = keeper();

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
afterEach(close);
afterEach(() => world.forget());

describe('what is answered in one piece', () => {
  const piece = { data: { product: { id: '1', reviews: ['good'] } } };

  const answered = async (of: TestGateway, query = DEFERRED, path?: string) => {
    const answer = await ask(of, world.issuer, query, path === undefined ? {} : { path });
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(world.shop.operations().map(({ headers }) => headers.accept)).toEqual(['application/json']);
    return JSON.parse(answer.text());
  };

  test('is what a customized source answers', async () => {
    const renamed = await world.gatewayWith({ customization: { type_names: { prefix: 'Shop_' } } });
    expect(await answered(renamed)).toEqual(piece);
  });

  test('and what saved operations answer', async () => {
    const rest = await world.gatewayWith(
      {},
      {},
      {
        'query_collections.yaml': [{ name: 'allowed', definition: { queries: [{ name: 'q', query: DEFERRED }] } }],
        'rest_endpoints.yaml': [
          {
            name: 'q',
            url: 'q',
            methods: ['POST'],
            definition: { query: { collection_name: 'allowed', query_name: 'q' } },
            comment: '',
          },
        ],
      },
    );
    expect(await answered(rest, DEFERRED, '/api/rest/q')).toEqual(piece.data);
  });

  test('and what a service answers that does not declare the directives, or not as they are used', async () => {
    const plain = await keep(partsShop(SHOP));
    const bare = await keep(partsShop(`directive @defer(if: Boolean) on INLINE_FRAGMENT ${SHOP}`));
    const both = await keep(
      openGateway({
        issuer: world.issuer,
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'plain',
              definition: { url: plain.graphqlUrl, customization: { root_fields_namespace: 'plain' } },
            },
            { name: 'bare', definition: { url: bare.graphqlUrl } },
          ],
        },
      }),
    );
    const answer = await ask(both, world.issuer, DEFERRED);
    await answer.end();
    expect(JSON.parse(answer.text())).toEqual(piece);
    expect(bare.operations().map(({ body }) => body.query)).toEqual(['{product{id ...{reviews}}}']);
    const known = '{ product { ... @defer { id } } products @stream { id } }';
    await (await ask(both, world.issuer, known)).end();
    expect(bare.operations()[1]?.body.query).toBe('{product{...@defer{id}}products{id}}');
  });
});
