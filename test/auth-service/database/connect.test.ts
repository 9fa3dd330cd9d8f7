import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { carriesCredentials, connectToDatabase, isDatabaseUrl, migrate } from '../../../auth-service/database/index.ts';
import { freePort } from '../../../bench/machine/free-port.ts';
import { StartError, withPassword } from '../../../platform/index.ts';
import { availableEngines, createDatabaseOn, createTestDatabase, POSTGRES_URL } from '../../database/index.ts';
import { errorMessage } from '../failing-proxy.ts';

const engines = await availableEngines();

async function reasonOf(url: string): Promise<string> {
  const error = await migrate(url).catch((caught: unknown) => caught);
  if (!(error instanceof StartError)) throw new Error('expected a StartError', { cause: error });
  return error.message;
}

describe('a wrong DATABASE_URL is reported in one line, without its password', () => {
  test.each([
    ['a port where nothing listens', 'postgresql://me:s3cret@127.0.0.1:1/shop', 'nothing listens there'],
    [
      'an unknown host',
      'postgresql://me:s3cret@no-such-host.invalid/shop',
      'the host does not exist|cannot be looked up',
    ],
    [
      'a socket that is not there',
      'postgresql://me:s3cret@localhost/shop?host=/no/such/folder',
      'the socket does not exist',
    ],
  ])('%s', async (_what, url, reason) => {
    const message = await reasonOf(url);

    expect(message).toMatch(new RegExp(`^DATABASE_URL: cannot use database "shop" at .* as user "me": .*(${reason})`));
    expect(message).not.toContain('\n');
    expect(message).not.toContain('s3cret');
  });

  test.each(['', 'shop', 'mysql://me:s3cret@localhost/shop', 'postgresql://me:s3cret@localhost:port/shop'])(
    'what is no PostgreSQL URL: %j',
    async (url) => {
      expect(await reasonOf(url)).toBe('DATABASE_URL: expected a URL like postgresql://user@host:5432/name');
    },
  );

  if (engines.includes('postgres')) {
    test('an unknown database', async () => {
      expect(await reasonOf(createDatabaseOn(POSTGRES_URL, 'no_such_database'))).toMatch(
        /^DATABASE_URL: cannot use database "no_such_database" at .*: the database does not exist \(3D000\)$/,
      );
    });

    test('an unknown user', async () => {
      const url = new URL(POSTGRES_URL);
      url.username = 'no_such_user';
      url.password = 's3cret';
      const message = await reasonOf(url.href);

      expect(message).toMatch(/^DATABASE_URL: cannot use database .* as user "no_such_user": [^\n]+ \(28\w+\)$/);
      expect(message).not.toContain('s3cret');
    });
  }
});

describe('a server that answers as PostgreSQL does', () => {
  let answer: Buffer;
  let url: string;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `postgresql://me:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('that the password is wrong', async () => {
    answer = errorMessage('28P01');

    expect(await reasonOf(url)).toMatch(/: wrong user or password \(28P01\)$/);
  });

  test('that it has no connection left', async () => {
    answer = errorMessage('53300');

    expect(await reasonOf(url)).toMatch(/: it has no connection left \(53300\)$/);
  });

  test('by hanging up', async () => {
    answer = Buffer.alloc(0);
    const message = await reasonOf(url);

    expect(message).toMatch(/^DATABASE_URL: cannot use database "shop" at 127\.0\.0\.1:\d+ as user "me": \S/);
    expect(message).not.toContain('\n');
  });
});

describe('waiting for the database', () => {
  test('one that comes up in time is used', async () => {
    const port = await freePort();
    const connecting = connectToDatabase(`postgresql://me@127.0.0.1:${port}/shop`, { waitSeconds: 30 });
    const failed = connecting.catch((error: Error) => error.message);
    // It listens after a while, then has no connection left, and what it answers to the next one is final.
    const answers = ['53300', '28P01'];
    const server = createServer((socket) => socket.once('data', () => socket.end(errorMessage(answers.shift() ?? ''))));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

    expect(await failed).toMatch(/wrong user or password/);
    await new Promise((resolve) => server.close(resolve));
  });

  test('a wrong password is not waited for', async () => {
    const startedAt = Date.now();
    await expect(connectToDatabase('shop', { waitSeconds: 30 })).rejects.toThrow(StartError);

    // It would be 30 s.
    expect(Date.now() - startedAt).toBeLessThan(25_000);
  });

  test('after the wait, the error is the one without waiting', async () => {
    await expect(connectToDatabase('postgresql://me@127.0.0.1:1/shop', { waitSeconds: 1 })).rejects.toThrow(
      /^DATABASE_URL: cannot use .*nothing listens there/,
    );
  });
});

describe('a password that comes apart from the URL', () => {
  test.each([
    'postgresql://me@localhost/shop',
    'postgresql://me:old@localhost/shop',
    'postgresql://me@localhost/shop?host=/run/postgresql',
    'postgresql://me@/shop?host=/run/postgresql',
  ])('is put into %s', async (url) => {
    const password = 'p@ss/w?rd&50%41+ü';
    const { default: pg } = await import('pg');
    const changed = withPassword(url, password);

    expect(isDatabaseUrl(changed)).toBe(true);
    expect(new pg.Client({ connectionString: changed }).password).toBe(password);
    expect(new pg.Client({ connectionString: changed }).database).toBe('shop');
  });

  test('is not needed where the URL has one, or for a socket', () => {
    expect(carriesCredentials('postgresql://me:old@localhost/shop')).toBe(true);
    expect(carriesCredentials('postgresql://me@localhost/shop?host=/run/postgresql')).toBe(true);
    expect(carriesCredentials('postgresql://me@localhost/shop')).toBe(false);
  });
});

test.each(engines)('a database on %s is reached', async (engine) => {
  const database = await createTestDatabase({ engine });
  const client = await connectToDatabase(database.url);

  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  await database.drop();
});
