import { Agent, request } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, graphqlUpstream, keeper, openIssuer, reply, serve, until } from '../harness/index.ts';

const EDITS = 100;

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

interface Said {
  readonly status: number;
  readonly text: string;
}

/** Sends one request after the other on a connection that is kept alive, until it is told to stop. */
async function insist(url: string, path: string, body: string | undefined, isOver: () => boolean): Promise<Said[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const said: Said[] = [];
  const { hostname, port } = new URL(url);
  const headers = { 'content-type': 'application/json', ...bearer(token) };
  while (!isOver())
    said.push(
      await new Promise<Said>((resolve) => {
        const asking = request({ agent, hostname, port, path, method: body ? 'POST' : 'GET', headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          response.on('error', (error) => resolve({ status: 0, text: error.message }));
        });
        asking.on('error', (error) => resolve({ status: 0, text: error.message }));
        asking.end(body);
      }),
    );
  agent.destroy();
  return said;
}

test('one hundred valid and invalid edits under load fail no request', async () => {
  const shop = await keep(
    graphqlUpstream('type Query { item(id: ID!): Item stock: Int } type Item { id: ID! name: String }', {
      Query: { item: (_, { id }) => ({ id, name: 'bolt' }), stock: () => 5 },
    }),
  );
  const mail = await keep(graphqlUpstream('type Query { letter: String }', { Query: { letter: () => 'hello' } }));
  const files = await keep(serve((_, response) => reply(response, 200, 'a file')));

  /** Always the same for the clients, never the same for the gateway. */
  const metadata = (edit: number) => ({
    'remote_schemas.yaml': [
      { name: 'shop', definition: { url: shop.graphqlUrl, timeout_seconds: 5 + edit }, comment: `edit ${edit}` },
      ...(edit % 2 === 1 ? [{ name: 'mail', definition: { url: mail.graphqlUrl } }] : []),
    ],
    'query_collections.yaml': [
      {
        name: 'saved',
        definition: { queries: [{ name: 'item', query: 'query ($id: ID!) { item(id: $id) { name } }' }] },
      },
    ],
    'rest_endpoints.yaml': [
      {
        name: `item ${edit}`,
        url: 'items/:id',
        methods: ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'item' } },
      },
    ],
    'services.yaml': [{ name: `files ${Math.floor(edit / 25)}`, path: '/files', url: files.url }],
  });
  const gateway = await keep(
    openEditedGateway(metadata(0), { issuer, environment: { HASURA_GRAPHQL_LOG_LEVEL: 'error' } }),
  );

  let isOver = false;
  const query = JSON.stringify({
    query: 'query ($id: ID!) { item(id: $id) { id name } stock }',
    variables: { id: '1' },
  });
  const insisting = ([['/v1/graphql', query], ['/api/rest/items/1'], ['/files/x']] as const).map(
    async ([path, body]) => ({
      path,
      said: await insist(gateway.url, path, body, () => isOver),
    }),
  );

  let refused = 0;
  for (let edit = 1; edit <= EDITS; edit++) {
    const isWrong = edit % 10 === 0;
    const { status } = await gateway.edit(isWrong ? { 'remote_schemas.yaml': '- name: [' } : metadata(edit));
    expect(status).toBe(isWrong ? 400 : 200);
    if (isWrong) refused++;
    else
      await until('the edit is in force', async () => {
        const { body } = await gateway.graphql('{ letter }', { token });
        return (body.data !== undefined) === (edit % 2 === 1);
      });
  }
  isOver = true;

  const answers = await Promise.all(insisting);
  const expected = {
    '/v1/graphql': '{"data":{"item":{"id":"1","name":"bolt"},"stock":5}}',
    '/api/rest/items/1': '{"item":{"name":"bolt"}}',
    '/files/x': '"a file"',
  };
  for (const { path, said } of answers) {
    const wrong = said.filter(({ status, text }) => status !== 200 || text !== expected[path]);
    expect(wrong).toEqual([]);
    expect(said.length).toBeGreaterThan(EDITS);
  }
  expect(refused).toBe(10);
  expect(gateway.logged('metadata.reload_failed')).toHaveLength(10);
});
