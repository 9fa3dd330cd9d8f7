import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, endpoint, graphqlUpstream, keeper, openGateway, openIssuer } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const service = await keep(
  graphqlUpstream(/* GraphQL */ `
    scalar Upload
    input Box {
      inner: Box
      boxes: [Box!]
      size: Int
    }
    type Query {
      hello: String
      pack(sizes: [Int!], box: Box): String
    }
    type Mutation {
      store(files: [Upload]): String
    }
  `),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [{ name: 'boxes', definition: { url: service.graphqlUrl } }],
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: {
            queries: [
              {
                name: 'pack',
                query: 'query pack($sizes: [Int!], $box: Box) { pack(sizes: $sizes, box: $box) }',
              },
            ],
          },
        },
      ],
      'rest_endpoints.yaml': [endpoint('pack', 'pack', ['GET', 'POST'])],
    },
  }),
);
const token = issuer.token();
beforeEach(() => service.forget());

/** Sends a head and a body as they are, and returns what comes back first: its status line and its body. */
function sendBytes(head: readonly string[], body: string | Buffer = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(`${head.join('\r\n')}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`);
      socket.write(`Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
      socket.write(body);
    });
    let received = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      received += piece;
    });
    socket.on('close', () => resolve(received));
    // The gateway may end the connection of a body that it does not want before all of it was sent.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
}

const JSON_POST = ['POST /v1/graphql HTTP/1.1', 'Content-Type: application/json'];
const HELLO = '{"query":"{ hello }"}';
const levels = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;

describe('the header Accept', () => {
  test.each([
    ['30 KB of commas', ','.repeat(30_000)],
    ['30 KB of parameters', `text/event-stream${';'.repeat(30_000)}`],
    ['30 KB of media ranges', 'multipart/mixed,'.repeat(1_875)],
  ])('is refused when it is %s', async (_, accept) => {
    const answer = await sendBytes([...JSON_POST, `Accept: ${accept}`], HELLO);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers-too-large"');
    expect(service.operations()).toHaveLength(0);
  });

  test('is looked at as far as its 64th media range', async () => {
    const others = (count: number) => 'text/csv,'.repeat(count);
    expect(await sendBytes([...JSON_POST, `Accept: ${others(63)}application/json`], HELLO)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await sendBytes([...JSON_POST, `Accept: ${others(64)}application/json`], HELLO)).toMatch(/^HTTP\/1\.1 406 /);
  });
});

describe('JSON that is nested too deeply', () => {
  const deep = `{"query":"query($box: Box) { pack(box: $box) }","variables":{"box":${'{"inner":'.repeat(600)}{}${'}'.repeat(602)}`;

  test.each([
    ['as brackets that are closed', levels(500_000)],
    ['as brackets that are not', '['.repeat(1_000_000)],
    ['in a variable that the operation declares', deep],
    ['in one that it does not', `{"query":"{ hello }","variables":{"x":${levels(501)}}}`],
    ['in a batch', `[${deep}]`],
  ])('is refused %s', async (_, body) => {
    const answer = await sendBytes(JSON_POST, body);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"parse-failed"');
    expect(answer).toContain('nested more than 500 levels deep');
    expect(service.operations()).toHaveLength(0);
  });

  test('is refused at REST endpoints, in the body and in the URL', async () => {
    const box = `${'{"inner":'.repeat(600)}{}${'}'.repeat(600)}`;
    const posted = await gateway.send('/api/rest/pack', {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: `{"box":${box}}`,
    });
    expect([posted.status, posted.body]).toMatchObject([400, { code: 'parse-failed' }]);
    const asked = await gateway.send(`/api/rest/pack?box=${encodeURIComponent(box)}`, { headers: bearer(token) });
    expect([asked.status, asked.body]).toMatchObject([400, { code: 'parse-failed' }]);
  });

  test('is refused in the variables of a GET', async () => {
    const query = `query=${encodeURIComponent('{ hello }')}&variables=${encodeURIComponent(`{"x":${levels(600)}}`)}`;
    const answer = await gateway.send(`/v1/graphql?${query}`, { headers: bearer(token) });
    expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ extensions: { code: 'parse-failed' } }] }]);
  });

  test('is taken as far as 500 levels, and brackets in texts are none', async () => {
    const near = `{"query":"{ hello }","variables":{"x":${levels(498)}}}`;
    expect(await sendBytes(JSON_POST, near)).toMatch(/^HTTP\/1\.1 200 /);
    const texts = `{"query":"{ hello }","variables":{"x":${JSON.stringify(`\\"${'[{'.repeat(2_000)}\\`)}}}`;
    expect(await sendBytes(JSON_POST, texts)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('variables that do not fit', () => {
  test.each([
    ['items', 'query($sizes: [Int!]) { pack(sizes: $sizes) }', { sizes: Array(20_000).fill('large') }],
    [
      'unknown fields',
      'query($box: Box) { pack(box: $box) }',
      { box: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`siz${index}`, 1])) },
    ],
    [
      'values of several variables',
      'query($sizes: [Int!], $box: Box) { pack(sizes: $sizes, box: $box) }',
      { sizes: ['large', 'small'], box: { boxes: Array(20_000).fill({ size: 'large' }) } },
    ],
  ])('are limited to 20 errors, whatever the number of %s', async (_, query, variables) => {
    const { status, body } = await gateway.graphql(query, { token, variables });
    expect(status).toBe(200);
    expect(body.errors).toHaveLength(20);
    expect(body.errors?.every(({ extensions }) => extensions.code === 'validation-failed')).toBe(true);
  });

  test('are refused in the URL of a REST endpoint, however many they are', async () => {
    const answer = await gateway.send(`/api/rest/pack?sizes=${'a,'.repeat(15_000)}`, { headers: bearer(token) });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'validation-failed' }]);
  });
});

describe('an upload', () => {
  const HEAD = [
    'POST /v1/graphql HTTP/1.1',
    'Content-Type: multipart/form-data; boundary=b',
    'Apollo-Require-Preflight: 1',
  ];

  test('of nothing but empty parts is refused after the first few', async () => {
    const answer = await sendBytes(HEAD, `${'--b\r\n\r\n\r\n'.repeat(20_000)}--b--`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('expected \\"operations\\", \\"map\\" and files, and nothing else');
  });

  test('whose map names more files than may come is refused', async () => {
    const count = 5_000;
    const operations = {
      query: 'mutation($files: [Upload]) { store(files: $files) }',
      variables: { files: Array(count).fill(null) },
    };
    const map = Object.fromEntries(Array.from({ length: count }, (_, index) => [index, [`variables.files.${index}`]]));
    const part = (name: string, value: unknown) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}\r\n`;
    const answer = await sendBytes(HEAD, `${part('operations', operations)}${part('map', map)}--b--\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});
