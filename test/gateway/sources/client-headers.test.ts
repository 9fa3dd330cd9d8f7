import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { headOf, keeper, openPlatform, sendBytes, serve } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const webhook = await keep(
  serve((received, response) => {
    const all = Object.entries(received.headers).map(([name, value]) => ({ name, value: String(value) }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ all }));
  }),
);
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { WEBHOOK: webhook.url },
    metadata: {
      'remote_schemas.yaml': [
        {
          name: 'orders',
          definition: {
            url_from_env: 'ORDERS_URL',
            forward_client_headers: true,
            headers: [{ name: 'x-api-key', value: 'ours' }],
          },
        },
      ],
      'actions.yaml': {
        actions: [
          {
            name: 'asked',
            definition: {
              kind: 'synchronous',
              handler: '{{WEBHOOK}}',
              forward_client_headers: true,
              headers: [{ name: 'x-api-key', value: 'ours' }],
            },
            permissions: [{ role: 'user' }],
          },
        ],
        custom_types: { objects: [{ name: 'Asked' }, { name: 'Pair' }] },
      },
      'actions.graphql':
        'type Query { asked: Asked } type Asked { all: [Pair!] } type Pair { name: String! value: String! }',
      'query_collections.yaml': [],
      'rest_endpoints.yaml': [],
    },
  }),
);

/** What a source that has the client's headers gets of a header line. */
async function receivedOf(
  query: string,
  ...lines: readonly string[]
): Promise<readonly { name: string; value: string }[]> {
  const body = JSON.stringify({ query });
  const fixed = ['Host: portico.test', `Authorization: Bearer ${issuer.token()}`, 'Content-Type: application/json'];
  const connection = lines.some((line) => line.startsWith('Connection')) ? [] : ['Connection: close'];
  const head = headOf('POST /v1/graphql HTTP/1.1', ...fixed, ...lines, ...connection, `Content-Length: ${body.length}`);
  const answer = await sendBytes(gateway.port, head + body);
  const { data } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  return data.headers ?? data.asked.all;
}

describe.each([
  ['a remote schema', '{ headers { name value } }'],
  ['an action', '{ asked { all { name value } } }'],
])('%s that gets the client’s headers', (_, query) => {
  test.each([
    'x-hasura-tenant-id',
    'X_Hasura_Tenant_Id',
    'X.Hasura.Tenant.Id',
    'X_Api_Key',
    'X_Request_Id',
    'X.Forwarded.For',
    'X_Portico_Signature',
    'X_Portico_Assertion',
    'Content_Type',
    'Content_Length',
    'Proxy',
    'Via',
    'X-Original-URL',
    'HTTP2-Settings',
    'Sec-WebSocket-Extensions',
  ])('does not get %s', async (name) => {
    const received = await receivedOf(query, `${name}: forged`);
    expect(received.length).toBeGreaterThan(5);
    expect(received.filter(({ value }) => value.includes('forged'))).toEqual([]);
  });

  test('gets no Content-Encoding for a body that the gateway has decompressed', async () => {
    const body = gzipSync(JSON.stringify({ query })).toString('latin1');
    const head = headOf(
      'POST /v1/graphql HTTP/1.1',
      'Host: portico.test',
      `Authorization: Bearer ${issuer.token()}`,
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      'Connection: close',
      `Content-Length: ${body.length}`,
    );
    const answer = await sendBytes(gateway.port, head + body);
    const { data } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    const received: readonly { name: string }[] = data.headers ?? data.asked.all;
    expect(received.length).toBeGreaterThan(5);
    expect(received.map(({ name }) => name)).not.toContain('content-encoding');
  });

  test('does not get what Connection names, and gets the rest', async () => {
    const received = await receivedOf(query, 'Connection: close, X-Hop, x-hasura-role', 'X-Hop: 1', 'my_own: 2');
    const names = received.map(({ name }) => name);
    expect(names).not.toContain('x-hop');
    expect(names).toContain('my_own');
  });
});
