import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compareSync, hashSync } from 'bcryptjs';
import jwt from 'jsonwebtoken';
import { createPasswords } from '../../auth-service/passwords/index.ts';
import { runCommand } from '../auth-service/cli/run.ts';
import { type RunningProcess, runProgram } from '../auth-service/process.ts';
import { configFor, environment, LOGIN } from '../auth-service/service.ts';
import {
  availableEngines,
  createTestDatabase,
  openTestClient,
  type TestClient,
  type TestDatabase,
} from '../database/index.ts';
import { until } from '../gateway/harness/index.ts';

// Two processes need a database that both reach at once, which PGlite in this process is too.
describe.each(await availableEngines())('a rotation with two processes of the service, on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: TestClient;
  const processes: RunningProcess[] = [];
  let urls: string[];

  beforeAll(async () => {
    testDatabase = await createTestDatabase({ engine });
    database = openTestClient(testDatabase.url);
    const bcrypt = {
      hash: async (text: string, cost: number) => hashSync(text, cost),
      compare: async (text: string, hash: string) => compareSync(text, hash),
    };
    const passwords = createPasswords({ ...configFor(testDatabase.url).passwords, bcrypt });
    await database.tenant.create({ data: { id: 1, name: 'acme' } });
    await database.user.create({
      data: {
        tenantId: 1,
        id: 'be5f0b9e-3c4e-4bb4-9b0e-4a3d7a1c2f00',
        username: 'alice',
        passwordHash: await passwords.hash('alice at acme'),
        allowedRoles: ['user'],
        defaultRole: 'user',
      },
    });
    const settings = environment(testDatabase.url, { AUTH_KEY_RELOAD_SECONDS: '1', AUTH_LOG_LEVEL: 'error' });
    processes.push(runProgram('main.js', settings), runProgram('main.js', settings));
    const ports = await Promise.all(processes.map(({ ready }) => ready));
    urls = ports.map((port) => `http://127.0.0.1:${port}`);
  });
  afterAll(async () => {
    for (const { child, ended } of processes) {
      child.kill('SIGTERM');
      await ended;
    }
    await database.$disconnect();
    await testDatabase.drop();
  });

  async function publishedBy(url: string): Promise<Map<string, KeyObject>> {
    const response = await fetch(`${url}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as { keys: JsonWebKey[] };
    return new Map(keys.map((jwk) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]));
  }

  async function loginAt(url: string): Promise<string> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: LOGIN,
        variables: { username: 'alice', password: 'alice at acme', tenant_id: 1 },
      }),
    });
    const body = (await response.json()) as { data?: { auth_user_login?: { data?: { access_token: string } } } };
    const token = body.data?.auth_user_login?.data?.access_token;
    if (!token) throw new Error(`no token at ${url}: ${response.status} ${JSON.stringify(body)}`);
    return token;
  }

  const kidOf = (token: string) => jwt.decode(token, { complete: true })?.header.kid ?? '';

  test('no login fails, every token verifies with the keys that were known before, and both change over', async () => {
    const first = kidOf(await loginAt(urls[0] ?? ''));
    const { stdout } = await runCommand(['key', 'rotate', '--json'], environment(testDatabase.url));
    const { kid: next } = JSON.parse(stdout);
    for (const url of urls) await until('the key is published', async () => (await publishedBy(url)).has(next));

    // A verifier's copy from now, before anybody signs with the new key.
    const copy = await publishedBy(urls[1] ?? '');
    // Instead of waiting for the minutes that it has to be published.
    await database.signingKey.update({
      where: { kid: next },
      data: { publishedAt: new Date(Date.now() - 3_600_000) },
    });
    const signers = urls.map(() => new Set<string>());
    await until('both sign with the new key', async () => {
      const tokens = await Promise.all(urls.map(loginAt));
      tokens.forEach((token, index) => {
        signers[index]?.add(kidOf(token));
        jwt.verify(token, copy.get(kidOf(token)) ?? '', { algorithms: ['ES256'] });
      });
      return tokens.every((token) => kidOf(token) === next);
    });

    for (const seen of signers) expect([...seen].every((kid) => [first, next].includes(kid))).toBe(true);
    for (const url of urls) expect([...(await publishedBy(url)).keys()].sort()).toEqual([first, next].sort());
    expect((await database.signingKey.findMany({ orderBy: { createdAt: 'asc' } })).map(({ state }) => state)).toEqual([
      'retired',
      'active',
    ]);
    expect(processes.map(({ stderr }) => stderr())).toEqual(['', '']);
  });
});
