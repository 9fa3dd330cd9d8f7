import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { JobsDatabase } from '../../../gateway/jobs/engine/database/index.ts';
import { Notifications } from '../../../gateway/jobs/engine/notifications.ts';

test('a connection that the server has not answered yet is ended', async () => {
  const server = createServer((socket) => socket.resume().on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const database = { url: `postgresql://someone@127.0.0.1:${port}/jobs` } as JobsDatabase;
  // Without the timer of the driver, which would end the connection after some seconds.
  const { setTimeout: original } = globalThis;
  globalThis.setTimeout = ((action: () => void) => original(action, 86_400_000).unref()) as typeof setTimeout;
  const notifications = new Notifications(database, { onJobs: () => {}, onSettled: () => {} });
  globalThis.setTimeout = original;
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, 'close');
  await notifications.close();
  await closed;
  server.close();
  expect(socket.destroyed).toBe(true);
});

test('a certificate that is not there for a moment is waited for', async () => {
  const url = 'postgresql://someone@127.0.0.1:1/jobs?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
  const notifications = new Notifications({ url } as JobsDatabase, { onJobs: () => {}, onSettled: () => {} });
  // A rejection that is not handled would fail the test.
  await new Promise(setImmediate);
  expect(notifications.areArriving).toBe(false);
  await notifications.close();
});
