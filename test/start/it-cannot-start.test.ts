import { lookup } from 'node:dns/promises';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../bench/machine/free-port.ts';
import { type Ended, launchPortico, makeDataDirWithAccounts, type Portico, startPortico } from '../e2e/portico.ts';

const dataDir = await makeDataDirWithAccounts();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Starts everything, or what is named: fewer processes are quicker. */
function cannotStart(environment: NodeJS.ProcessEnv, args: string[] = []): Promise<Ended> {
  return launchPortico({ dataDir, environment, arguments: args }).ended;
}

/** One line that names what to change; no stack trace, no second explanation. */
function expectOneLine({ code, stderr }: Ended, ...parts: string[]) {
  const lines = stderr.trimEnd().split('\n');
  expect({ code, lines: lines.length }).toEqual({ code: 1, lines: 1 });
  for (const part of parts) expect(stderr).toContain(part);
}

describe('a port is taken', () => {
  let server: Server;
  let taken: string;
  // Where it stays empty, no database was made in vain.
  const nothing = mkdtempSync(join(tmpdir(), 'portico-ports-'));
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    taken = String(typeof address === 'object' && address?.port);
  });
  afterAll(() => {
    server.close();
    rmSync(nothing, { recursive: true, force: true });
  });

  test.each([
    ['AUTH_PORT', 'auth-service'],
    ['AUTH_METRICS_PORT', 'auth-service'],
    ['ORDERS_PORT', 'orders'],
    ['HASURA_GRAPHQL_SERVER_PORT', 'gateway'],
    ['PORTICO_METRICS_PORT', 'gateway'],
  ])('%s is named before a database is made', async (variable, service) => {
    const ended = await cannotStart({ [variable]: taken, PORTICO_DATA_DIR: nothing });
    expectOneLine(ended, `portico: ${service}: port ${taken} `, `set ${variable} to a free one`);
    expect(ended.stdout).toBe('');
    expect(readdirSync(nothing)).toEqual([]);
  });

  test('all are named at once, and one that two services shall have', async () => {
    const { code, stderr } = await cannotStart({
      AUTH_PORT: taken,
      ORDERS_PORT: taken,
      HASURA_GRAPHQL_SERVER_PORT: taken,
      HASURA_GRAPHQL_SERVER_HOST: '127.0.0.2',
      PORTICO_METRICS_HOST: 'nowhere.invalid',
      PORTICO_METRICS_PORT: taken,
    });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `portico: auth-service: port ${taken} on 127.0.0.1 is already in use: set AUTH_PORT to a free one`,
      `portico: orders: port ${taken} on 127.0.0.1 is also used by AUTH_PORT: set ORDERS_PORT to another port`,
      expect.stringMatching(/^portico: gateway: cannot listen on the address nowhere\.invalid/),
    ]);
  });

  test.each(['0.0.0.0', '::', 'localhost'])(
    'one that two services shall have is named, where one is on %s',
    async (host) => {
      const free = String(await freePort());
      const ended = await cannotStart({
        // What a name stands for is the system's to say.
        AUTH_HOST: host === 'localhost' ? (await lookup(host)).address : '127.0.0.1',
        AUTH_PORT: free,
        HASURA_GRAPHQL_SERVER_HOST: host,
        HASURA_GRAPHQL_SERVER_PORT: free,
        PORTICO_DATA_DIR: nothing,
      });
      expectOneLine(ended, `portico: gateway: port ${free} on ${host} is also used by AUTH_PORT`);
      expect(ended.stdout).toBe('');
      expect(readdirSync(nothing)).toEqual([]);
    },
  );

  test('one of a service that is not started may be', async () => {
    const launched = launchPortico({ dataDir, environment: { AUTH_PORT: taken }, arguments: ['orders'] });
    await launched.wrote(/^orders is ready: /m);
    launched.process.kill();
    expect((await launched.ended).code).toBe(0);
  });
});

describe('the data directory', () => {
  test.each([
    ['a file', ''],
    ['within a file', 'data'],
  ])('one that is %s is named', async (_, name) => {
    const file = join(dataDir, 'a-file');
    // A file that may be executed is as accessible as a directory.
    writeFileSync(file, '', { mode: 0o700 });
    const path = join(file, name);
    expectOneLine(
      await cannotStart({ PORTICO_DATA_DIR: path }),
      `PORTICO_DATA_DIR: ${path} is a file, or is within one`,
    );
  });

  test('one in a place where nothing can be made is named', async () => {
    // Root may write nearly everywhere, but not here. (Where there is no /proc, it cannot be made either.)
    expectOneLine(await cannotStart({ PORTICO_DATA_DIR: '/proc/portico' }), 'PORTICO_DATA_DIR', '/proc/portico');
  });

  test('one that contains something other than a database is named', async () => {
    const broken = join(dataDir, 'broken');
    mkdirSync(join(broken, 'postgres'), { recursive: true });
    writeFileSync(join(broken, 'postgres/PG_VERSION'), 'not a version');
    expectOneLine(await cannotStart({ PORTICO_DATA_DIR: broken }, ['auth-service']), 'PORTICO_DATA_DIR', broken);
  });

  test('lost secrets are not replaced', async () => {
    const file = join(dataDir, 'secrets.json');
    const secrets = readFileSync(file);
    writeFileSync(file, '{}');
    try {
      expectOneLine(await cannotStart({}, ['auth-service']), 'PORTICO_DATA_DIR', 'secrets.json');
      expect(readFileSync(file, 'utf8')).toBe('{}');
    } finally {
      writeFileSync(file, secrets);
    }
  });
});

describe('the data directory of a running Portico', () => {
  let portico: Portico;
  beforeAll(async () => {
    portico = await startPortico({ dataDir, arguments: ['auth-service'] });
  });
  afterAll(() => portico.stop());

  test('is not used by a second one, and the first goes on', async () => {
    expectOneLine(await cannotStart({}, ['auth-service']), 'PORTICO_DATA_DIR', dataDir, 'in use');
    expect((await fetch(`${portico.authServiceUrl}/readyz`)).status).toBe(200);
  });
});

describe('DATABASE_URL', () => {
  test('at which no server answers is named, without its password', async () => {
    const url = 'postgresql://someone:very-secret@127.0.0.1:1/nothing';
    const ended = await cannotStart({ DATABASE_URL: url }, ['auth-service']);
    expectOneLine(ended, 'DATABASE_URL', '127.0.0.1:1');
    expect(ended.stderr).not.toContain('very-secret');
  });

  test('that is no URL is named', async () => {
    expectOneLine(await cannotStart({ DATABASE_URL: 'here' }, ['auth-service']), 'DATABASE_URL');
  });
});

describe('in production', () => {
  test('no secret and no database is generated: missing ones are named', async () => {
    const { code, stdout, stderr } = await cannotStart({ NODE_ENV: 'production' }, ['auth-service']);
    expect(code).toBe(1);
    for (const name of ['DATABASE_URL', 'AUTH_PASSWORD_PEPPER', 'AUTH_KEY_ENCRYPTION_KEY'])
      expect(stderr).toMatch(new RegExp(`^auth-service: ${name} is not set`, 'm'));
    expect(stdout).toMatch(/^NODE_ENV is production, so .*: unset it for development$/m);
    expect(stdout).not.toMatch(/(opening|creating) the database/);
  });
});

describe('the arguments', () => {
  test('an unknown service is rejected with the list of services', async () => {
    expectOneLine(await cannotStart({}, ['getaway']), 'usage', 'auth-service', 'orders', 'gateway');
  });

  test('a variable with a wrong value is named', async () => {
    expectOneLine(await cannotStart({ AUTH_PORT: 'http' }, ['auth-service']), 'AUTH_PORT');
  });
});
