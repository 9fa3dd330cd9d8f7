import { afterAll, expect, test } from '@jest/globals';
import { start } from '../cli/portico.ts';
import { freePort, graphqlUpstream, keeper, send, until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const ADMIN_SECRET = 'correct-horse-battery-staple';
const { keep, close } = keeper();
afterAll(close);

interface Sources {
  readonly workers: number;
  readonly items: readonly { readonly name: string; readonly calls: number }[];
}

test('figures of sources are those of all workers together', async () => {
  const shop = await keep(graphqlUpstream('type Query { item: String }', { Query: { item: () => 'bolt' } }));
  const metadata = metadataDirectory({
    'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl } }],
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const gateway = start(['serve', metadata.path, '--workers', '2'], {
    environment: {
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
      HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
    },
  });
  const post = <T>(path: string, body: object) =>
    send<T>(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify(body),
    });
  const sources = async () => (await post<Sources>('/v1/metadata', { type: 'portico_get_sources' })).body;
  try {
    await until('both workers are ready', async () =>
      send(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    expect((await sources()).workers).toBe(2);
    for (let asked = 0; asked < 10; asked++) await post('/v1/graphql', { query: '{ item }' });
    // Whichever worker answers, it is all ten.
    for (let asked = 0; asked < 6; asked++)
      expect((await sources()).items).toMatchObject([{ name: 'shop', calls: 10 }]);
  } finally {
    await gateway.close();
    metadata.close();
  }
});
