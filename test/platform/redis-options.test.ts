import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors } from '../../platform/index.ts';
import { freePort } from '../gateway/harness/index.ts';

let close: () => void = () => {};
afterEach(() => close());

/** A client whose commands are rejected with the cause. */
function open(port: number) {
  const redis = new Redis(`redis://127.0.0.1:${port}`, COUNTING_REDIS);
  close = () => redis.disconnect();
  return { redis, run: connectionErrors(redis) };
}

describe('a command that Redis cannot answer names the cause', () => {
  test('nothing listens at its address', async () => {
    const port = await freePort();
    const { redis, run } = open(port);
    await expect(run(redis.get('a'))).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  test('its connection is closed', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { redis, run } = open((server.address() as AddressInfo).port);
    await expect(run(redis.get('a'))).rejects.toThrow('the connection was lost');
    server.close();
  });
});

test('an error that Redis answers is passed on', async () => {
  const { run } = open(await freePort());
  await expect(run(Promise.reject(new Error('WRONGTYPE not a text')))).rejects.toThrow('WRONGTYPE not a text');
});
