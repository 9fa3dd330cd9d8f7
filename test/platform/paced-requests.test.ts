import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { PacedRequests } from '../../platform/http/paced-requests.ts';
import { listen } from '../../platform/index.ts';
import { until } from '../gateway/harness/keep.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The paths of the requests that have begun, of a server whose connections and turns the test makes. */
function openPaced(now = () => 0) {
  const begun: (string | undefined)[] = [];
  const paced = new PacedRequests((request) => begun.push(request.url), now);
  const send = (url: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url });
    paced.begin(request, new ServerResponse(request));
    return request;
  };
  return { paced, begun, send };
}

/** Clients that connect at once, each of which sends one request after another. */
function connectClients(port: number, count: number): void {
  for (let number = 0; number < count; number++) {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('data', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('error', () => {});
    closing.push(async () => void socket.destroy());
  }
}

test('of clients that connect at once, none waits until the others have had many responses', async () => {
  const CLIENTS = 60;
  let requests = 0;
  const requestsAtConnection: number[] = [];
  const { server, port, stop } = await listen(
    (_, response) => {
      requests++;
      response.end();
    },
    { host: '127.0.0.1', port: 0, portVariable: 'SOME_PORT', stopGraceMs: 0 },
  );
  closing.push(stop);
  server.on('connection', () => requestsAtConnection.push(requests));
  connectClients(port, CLIENTS);
  await until('all are connected', async () => requestsAtConnection.length === CLIENTS);
  // Without turns that are short, each connection would wait for a response to each one before it: 1,770 in all.
  expect(requestsAtConnection.at(-1)).toBeLessThan(3 * CLIENTS);
});

test('requests that are read while connections arrive begin one in a turn, in their order', async () => {
  const { paced, begun, send } = openPaced();
  paced.accepted();
  for (const path of ['/1', '/2', '/3']) send(path);
  expect(begun).toEqual(['/1']);
  await nextTurn();
  send('/4');
  expect(begun).toEqual(['/1', '/2']);
});

test('requests begin as they are read once no connection arrives', async () => {
  const { paced, begun, send } = openPaced();
  paced.accepted();
  const paths = Array.from({ length: 9 }, (_, index) => `/${index}`);
  for (const path of paths) send(path);
  for (let turn = 0; turn < 4; turn++) await nextTurn();
  expect(begun).toEqual(paths);
  send('/later');
  send('/latest');
  expect(begun).toEqual([...paths, '/later', '/latest']);
});

test('a request whose client has gone meanwhile does not begin', async () => {
  const { paced, begun, send } = openPaced();
  paced.accepted();
  send('/1');
  const abandoned = send('/2');
  const unread = send('/3');
  send('/4');
  abandoned.destroy();
  unread.socket.destroy();
  for (let turn = 0; turn < 4; turn++) await nextTurn();
  expect([begun, abandoned.socket.destroyed]).toEqual([['/1', '/4'], true]);
});

test('a flood of connections does not slow requests down for longer than a thousand of them', async () => {
  let now = 0;
  const { paced, begun, send } = openPaced(() => now);
  for (let count = 0; count < 1_000; count++) paced.accepted();
  for (let turn = 0; turn < 3; turn++) {
    send(`/${turn}`);
    await nextTurn();
  }
  paced.accepted();
  begun.length = 0;
  for (const path of ['/a', '/b']) send(path);
  expect(begun).toEqual(['/a', '/b']);
  now = 1_000;
  paced.accepted();
  for (const path of ['/c', '/d']) send(path);
  expect(begun).toEqual(['/a', '/b', '/c']);
});
