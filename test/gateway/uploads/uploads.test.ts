import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSchema, createYoga } from 'graphql-yoga';
import { type GraphqlBody, graphqlUpstream, keeper, openGateway, openIssuer, send, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const TYPES = /* GraphQL */ `
  scalar Upload
  type Query {
    size(file: Upload!): Int
    drawers: Int
  }
  type Mutation {
    store(file: Upload!, title: String): Stored
    storeAll(input: Bundle!): [Stored!]!
  }
  input Bundle {
    files: [Upload!]!
  }
  type Stored {
    name: String!
    type: String!
    size: Int!
    digest: String!
    title: String
  }
`;

interface Sent {
  readonly name: string;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A service that takes files, of any size, and says what it got. */
async function openDrawers() {
  let begun = 0;
  let aborted = 0;
  let finished = 0;
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  const stored = async (file: Sent, title?: string) => {
    const bytes = Buffer.from(await file.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { name: file.name, type: file.type, size: bytes.length, digest, title };
  };
  const yoga = createYoga({
    schema: createSchema({
      typeDefs: TYPES,
      resolvers: {
        Query: { size: async (_, { file }) => (await stored(file)).size, drawers: () => 3 },
        Mutation: {
          store: (_, { file, title }) => stored(file, title),
          storeAll: (_, { input }) => Promise.all(input.files.map((file: Sent) => stored(file))),
        },
      },
    }),
    logging: false,
  });
  const count = (incoming: IncomingMessage, response: ServerResponse) => {
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    incoming.on('end', () => response.end(JSON.stringify({ data: { size } })));
  };
  const server = createServer((incoming, response) => {
    if (incoming.headers['content-type']?.startsWith('multipart/')) {
      begun++;
      incoming.on('close', () => (incoming.complete ? finished++ : aborted++));
    }
    if (held && incoming.headers['content-type']?.startsWith('multipart/')) held.then(() => count(incoming, response));
    else void yoga(incoming, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    counts: () => ({ begun, aborted, finished }),
    forget: () => {
      begun = aborted = finished = 0;
    },
    /** From now on it reads nothing of files until it is released, and then says how much it was. */
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release?.(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const issuer = await keep(openIssuer());
const drawers = await keep(openDrawers());
const plain = await keep(graphqlUpstream('scalar JSON type Query { echo(value: JSON): Int, hello: String }'));
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'drawers', definition: { url: drawers.url } },
        { name: 'plain', definition: { url: plain.graphqlUrl } },
      ],
    },
    environment: { PORTICO_UPLOAD_MAX_FILES: '3', PORTICO_UPLOAD_MAX_FILE_BYTES: '1000000' },
  }),
);
beforeEach(() => drawers.forget());

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
}

const BOUNDARY = 'between-the-parts';

function multipart(parts: readonly Part[], isWhole = true): Buffer {
  const written = parts.flatMap(({ name, filename, type, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const all = isWhole ? [...written, `--${BOUNDARY}--\r\n`] : written.slice(0, -1);
  return Buffer.concat(all.map((one) => Buffer.from(one)));
}

const operations = (query: string, variables: object): Part => ({
  name: 'operations',
  content: JSON.stringify({ query, variables }),
});
const map = (places: object): Part => ({ name: 'map', content: JSON.stringify(places) });
const file = (name: string, content: string | Buffer, filename = 'a.txt', type = 'text/plain'): Part => ({
  name,
  filename,
  type,
  content,
});

const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const authorized = () => ({ ...HEADERS, authorization: `Bearer ${issuer.token()}` });
const upload = (parts: readonly Part[], headers: Record<string, string> = authorized()) =>
  send<GraphqlBody>(`${gateway.url}/v1/graphql`, { method: 'POST', headers, body: multipart(parts) });

const STORE =
  'mutation Store($file: Upload!, $title: String) { store(file: $file, title: $title) { name type size digest title } }';
const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

describe('files are sent on to the service', () => {
  test('as they are, with what else the operation has', async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    const { status, body } = await upload([
      operations(STORE, { file: null, title: 'holiday' }),
      map({ photo: ['variables.file'] }),
      file('photo', content, 'sea “side”.png', 'image/png'),
    ]);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        store: {
          name: 'sea “side”.png',
          type: 'image/png',
          size: 300_000,
          digest: digestOf(content),
          title: 'holiday',
        },
      },
    });
  });

  test('also one without a name, by what the client calls it', async () => {
    const { body } = await upload([
      operations(STORE, { file: null }),
      map({ photo: ['variables.file'] }),
      { name: 'photo', type: 'application/octet-stream', content: 'bytes' },
    ]);
    expect(body.data).toMatchObject({ store: { name: 'photo', size: 5, digest: digestOf('bytes') } });
  });

  test('several, within an input object, in whatever order they come', async () => {
    const { body } = await upload([
      operations('mutation ($input: Bundle!) { storeAll(input: $input) { digest } }', {
        input: { files: [null, null] },
      }),
      map({ a: ['variables.input.files.0'], b: ['variables.input.files.1'] }),
      file('b', 'second'),
      file('a', 'first'),
    ]);
    expect(body).toEqual({ data: { storeAll: [{ digest: digestOf('first') }, { digest: digestOf('second') }] } });
  });

  test('with a query', async () => {
    const { body } = await upload([
      operations('query ($f: Upload!) { size(file: $f) }', { f: null }),
      map({ 0: ['variables.f'] }),
      file('0', 'four'),
    ]);
    expect(body).toEqual({ data: { size: 4 } });
  });

  test('while they come: the gateway does not wait for the end of them', async () => {
    const whole = multipart(
      [operations(STORE, { file: null }), map({ 0: ['variables.file'] }), file('0', 'x'.repeat(200_000))],
      false,
    );
    const outgoing = request(`${gateway.url}/v1/graphql`, { method: 'POST', headers: authorized() });
    outgoing.on('error', () => {});
    outgoing.write(whole);
    await until('the service has begun to get it', () => drawers.counts().begun === 1);
    expect(drawers.counts()).toEqual({ begun: 1, aborted: 0, finished: 0 });
    // The client goes away in the middle of it.
    outgoing.destroy();
    await until('the service is told', () => drawers.counts().aborted === 1);
  });
});

test('a service that reads slowly is waited for: the gateway does not keep what comes', async () => {
  const size = 100_000_000;
  const patient = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'drawers', definition: { url: drawers.url } }] },
      environment: { PORTICO_UPLOAD_MAX_FILE_BYTES: String(size) },
    }),
  );
  drawers.hold();
  const body = multipart([
    operations('query ($f: Upload!) { size(file: $f) }', { f: null }),
    map({ 0: ['variables.f'] }),
    file('0', Buffer.alloc(size)),
  ]);
  const outgoing = request(`${patient.url}/v1/graphql`, { method: 'POST', headers: authorized() });
  const answer = new Promise<string>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
    });
  });
  outgoing.end(body);
  let written = 0;
  let unchanged = 0;
  await until('nothing more is taken', () => {
    const now = outgoing.socket?.bytesWritten ?? 0;
    unchanged = now > 0 && now === written ? unchanged + 1 : 0;
    written = now;
    return unchanged > 20 && drawers.counts().begun === 1;
  });
  expect(outgoing.socket?.writableLength).toBeGreaterThan(size / 2);
  drawers.release();
  const { data } = JSON.parse(await answer);
  expect(data.size).toBeGreaterThan(size);
  expect(data.size).toBeLessThan(size + 1_000);
});

describe('files are refused', () => {
  const SENT = [operations(STORE, { file: null }), map({ 0: ['variables.file'] })];
  const noFile = { begun: 0, aborted: 0, finished: 0 };

  test('that are too large, and the service does not get a whole one', async () => {
    const { status, body } = await upload([...SENT, file('0', 'x'.repeat(1_000_001))]);
    expect(status).toBe(413);
    expect(body.errors).toMatchObject([
      {
        message: 'a file of more than 1000000 bytes: this is more than can be taken',
        extensions: { code: 'payload-too-large' },
      },
    ]);
    await until('the service is told', () => drawers.counts().aborted === 1);
    expect(drawers.counts().finished).toBe(0);
  });

  test('that are too many', async () => {
    const places = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, ['variables.file']]));
    const { status, body } = await upload([SENT[0] as Part, map({ ...places, a: ['variables.file'] })]);
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'bad-request']);
    const input = { files: [null, null, null, null] };
    const each = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((key, index) => [key, [`variables.input.files.${index}`]]),
    );
    const many = await upload([
      operations('mutation ($input: Bundle!) { storeAll(input: $input) { digest } }', { input }),
      map(each),
    ]);
    expect([many.status, many.body.errors?.[0]?.message]).toEqual([
      413,
      'more than 3 files: this is more than can be taken',
    ]);
  });

  test('that are announced and do not come', async () => {
    const { status, body } = await upload(SENT);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ message: '1 of the files that "map" names did not come' }]);
    await until('the service is told', () => drawers.counts().aborted === 1);
  });

  test.each<[string, readonly Part[], string]>([
    ['before the operation', [file('0', 'x'), ...SENT], 'expected "operations", then "map", then the files'],
    ['without a map', [SENT[0] as Part, file('0', 'x')], 'expected "operations", then "map", then the files'],
    [
      'for a place that there is not',
      [SENT[0] as Part, map({ 0: ['variables.photo'] }), file('0', 'x')],
      'every path of "map" must lead to a null in the variables of one operation',
    ],
    [
      'for a place in the prototype of things',
      [SENT[0] as Part, map({ 0: ['variables.__proto__.file'] }), file('0', 'x')],
      'every path of "map" must lead to a null in the variables of one operation',
    ],
    [
      'with a map of another shape',
      [SENT[0] as Part, map({ 0: 'variables.file' })],
      '"map" must be an object of lists of paths, such as {"0":["variables.file"]}',
    ],
    ['with broken JSON', [{ name: 'operations', content: '{' }, SENT[1] as Part], '"operations" is not valid JSON'],
  ])('%s', async (_, parts, message) => {
    const { status, body } = await upload(parts);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ message }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('by operations that other services have a part in', async () => {
    const { status, body } = await upload([
      operations('query ($f: Upload!) { size(file: $f) hello }', { f: null }),
      map({ 0: ['variables.f'] }),
      file('0', 'four'),
    ]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'not-supported' } }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('by services that have no scalar for them', async () => {
    const { body } = await upload([
      operations('query ($f: JSON) { echo(value: $f) }', { f: null }),
      map({ 0: ['variables.f'] }),
      file('0', 'four'),
    ]);
    expect(body.errors).toMatchObject([{ extensions: { code: 'not-supported' } }]);
    expect(plain.operations()).toHaveLength(0);
  });

  test('where the variable is no file', async () => {
    const { body } = await upload([
      operations(STORE, { file: null, title: null }),
      map({ 0: ['variables.file'], 1: ['variables.title'] }),
      file('0', 'four'),
      file('1', 'title'),
    ]);
    expect(body.errors).toMatchObject([{ message: 'Variable "$title" got an invalid value: Expected type "String".' }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('that any web page could have made a browser send', async () => {
    const parts = [...SENT, file('0', 'x')];
    const foreign = await upload(parts, { ...HEADERS, origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.errors?.[0]?.extensions.code]).toEqual([403, 'access-denied']);
    const asked = await upload(parts, { ...HEADERS, 'apollo-require-preflight': 'true' });
    expect(asked.status).toBe(401);
    expect(drawers.counts()).toEqual(noFile);
  });
});
