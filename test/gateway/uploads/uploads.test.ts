import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, until } from '../harness/index.ts';
import { STORE } from './drawers.ts';
import { file, map, multipart, operations } from './multipart.ts';
import { openWorld } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const { issuer, drawers, url, authorized, upload } = await keep(openWorld());
beforeEach(() => drawers.forget());

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

  test('with what is preset for a role', async () => {
    const { body: one } = await upload(
      [
        operations('mutation ($file: Upload!) { store(file: $file) { size title } }', { file: null }),
        map({ a: ['variables.file'] }),
        file('a', 'four'),
      ],
      authorized('labelled'),
    );
    expect(one).toEqual({ data: { store: { size: 4, title: '7' } } });
    const { body: all } = await upload(
      [
        operations('mutation ($input: Bundle!) { storeAll(input: $input) { size title } }', {
          input: { files: [null] },
        }),
        map({ a: ['variables.input.files.0'] }),
        file('a', 'first'),
      ],
      authorized('labelled'),
    );
    expect(all).toEqual({ data: { storeAll: [{ size: 5, title: '7' }] } });
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
    const outgoing = request(`${url}/v1/graphql`, { method: 'POST', headers: authorized() });
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
