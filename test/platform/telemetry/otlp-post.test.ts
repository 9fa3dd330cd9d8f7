import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { type OtlpPostOptions, openOtlpPost } from '../../../platform/telemetry/otlp-post.ts';
import { until } from '../../gateway/harness/keep.ts';

/** Answers when the test lets it. */
const received: { readonly body: string; readonly headers: IncomingHttpHeaders; readonly response: ServerResponse }[] =
  [];
const collector = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => {
    body += text;
  });
  request.on('end', () => received.push({ body, headers: request.headers, response }));
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(collector.address() as AddressInfo).port}`;
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

function open(options: Partial<OtlpPostOptions> = {}) {
  received.length = 0;
  return openOtlpPost({
    url: `http://${host}/v1/traces`,
    headers: {},
    compression: 'none',
    longestTimeoutMs: 60_000,
    connections: 1,
    ...options,
  });
}

test('an export whose time is over before it has a connection is not sent later, and the connection stays usable', async () => {
  const post = await open();
  const first = post.send(Buffer.from('first'), 60_000);
  await until('the first has arrived', () => received.length === 1);
  expect(await post.send(Buffer.from('late'), 1)).toMatchObject({ status: 'retryable', error: { message: 'timeout' } });
  received[0]?.response.end();
  expect(await first).toMatchObject({ status: 'success' });
  const next = post.send(Buffer.from('next'), 60_000);
  await until('the next has arrived', () => received.length === 2);
  received[1]?.response.end();

  expect(await next).toMatchObject({ status: 'success' });
  expect(received.map(({ body }) => body)).toEqual(['first', 'next']);
  post.close(new Error('closed'));
});

test.each<[string, string, string | undefined]>([
  ['as they are written', 'user:pass@', 'user:pass'],
  ['percent-encoded, in UTF-8', 'zo%C3%AB:p%40ss%3A@', 'zoë:p@ss:'],
  ['a name alone', 'user@', 'user:'],
  ['a password alone', ':pass@', ':pass'],
  ['a percent sign alone', 'user:100%@', 'user:100%'],
  ['none', '', undefined],
])('credentials of the address are sent: %s', async (_what, credentials, expected) => {
  const post = await open({ url: `http://${credentials}${host}/v1/traces` });
  const sent = post.send(Buffer.from('x'), 60_000);
  await until('it has arrived', () => received.length === 1);
  received[0]?.response.end();
  await sent;
  post.close(new Error('closed'));

  const authorization = received[0]?.headers.authorization;
  expect(authorization).toBe(expected && `Basic ${Buffer.from(expected, 'utf8').toString('base64')}`);
});

test('a configured authorization is sent in place of the credentials of the address', async () => {
  const post = await open({ url: `http://user:pass@${host}/v1/traces`, headers: { Authorization: 'Bearer key' } });
  const sent = post.send(Buffer.from('x'), 60_000);
  await until('it has arrived', () => received.length === 1);
  received[0]?.response.end();
  await sent;
  post.close(new Error('closed'));

  expect(received[0]?.headers.authorization).toBe('Bearer key');
});
