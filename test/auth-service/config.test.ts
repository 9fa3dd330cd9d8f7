import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../auth-service/config.ts';
import { DEFAULT_BACKOFF_POLICIES } from '../../auth-service/throttle/index.ts';
import { SettingsError } from '../../platform/index.ts';
import { configFor, environment } from './service.ts';

const URL_WITHOUT_PASSWORD = 'postgresql://me@db.example/shop';

function problemsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('the settings of the auth service', () => {
  test('what is not set has its default', () => {
    const { DATABASE_URL, AUTH_PASSWORD_PEPPER, AUTH_KEY_ENCRYPTION_KEY } = environment(URL_WITHOUT_PASSWORD);

    expect(readConfig({ DATABASE_URL, AUTH_PASSWORD_PEPPER, AUTH_KEY_ENCRYPTION_KEY })).toEqual({
      misspelt: [],
      production: false,
      listen: { host: '127.0.0.1', port: 4001, stopGraceMs: 10_000 },
      drainMs: 0,
      trustedProxies: 1,
      metrics: { host: '127.0.0.1', port: 0 },
      tracing: expect.objectContaining({ OTEL_SDK_DISABLED: false }),
      revocationSecrets: [],
      audit: { retentionDays: 365, refreshHours: 24, roles: ['tenant_admin'] },
      administration: { roles: ['tenant_admin'] },
      logLevel: 'info',
      database: {
        url: URL_WITHOUT_PASSWORD,
        ownerUrl: undefined,
        superuser: 'warn',
        poolSize: 10,
        waitSeconds: 0,
        statementTimeoutMs: 5000,
      },
      passwords: {
        peppers: { current: 1, secrets: new Map([[1, AUTH_PASSWORD_PEPPER]]) },
        minLength: 15,
        cost: 10,
        importMaxCost: 15,
        threads: availableParallelism(),
        queueLimit: 20,
      },
      keyEncryptionKey: Buffer.from(AUTH_KEY_ENCRYPTION_KEY ?? '', 'base64'),
      previousKeyEncryptionKey: undefined,
      signingKeys: { algorithm: 'ES256', rotationDays: 90, reloadSeconds: 15 },
      throttle: { policies: DEFAULT_BACKOFF_POLICIES, deviceDays: 90 },
      accessTokens: { issuer: 'http://127.0.0.1:8080', audience: 'portico', lifetimeSeconds: 900 },
      sessions: { idleDays: 30, maxDays: 90, graceSeconds: 10 },
      housekeeping: { intervalMinutes: 10, batchRows: 500, keepEndedDays: 30 },
    });
  });

  test('a variable that is nearly a setting is found, those of commands and other processes are not', () => {
    const found = configFor(URL_WITHOUT_PASSWORD, {
      AUTH_PASSWORD_MIN_LENGHT: '20',
      AUTH_REVOCATION_SECERT_FILE: '/run/secret',
      AUTH_PASSWORD_PEPPER_VERSION: '1',
      AUTH_DATABASE_ADMIN_URL: 'postgresql://db',
      AUTH_SERVICE_URL: 'http://auth-service:4001',
    }).misspelt;
    expect(found).toEqual([
      { variable: 'AUTH_PASSWORD_MIN_LENGHT', meant: 'AUTH_PASSWORD_MIN_LENGTH' },
      { variable: 'AUTH_REVOCATION_SECERT_FILE', meant: 'AUTH_REVOCATION_SECRET' },
    ]);
  });

  describe('peppers', () => {
    const [first, second] = ['a first pepper of 32 characters or so', 'a second pepper of 32 characters or so'];
    const peppers = (changes: Record<string, string>) =>
      configFor(URL_WITHOUT_PASSWORD, { AUTH_PASSWORD_PEPPER: '', ...changes }).passwords.peppers;
    const both = JSON.stringify({ 1: first, 2: second });

    test('have versions, of which the highest is used for new hashes unless another is named', () => {
      const secrets = new Map([
        [1, first],
        [2, second],
      ]);
      expect(peppers({ AUTH_PASSWORD_PEPPERS: both })).toEqual({ current: 2, secrets });
      expect(peppers({ AUTH_PASSWORD_PEPPERS: both, AUTH_PASSWORD_PEPPER_VERSION: '1' })).toEqual({
        current: 1,
        secrets,
      });
      expect(peppers({ AUTH_PASSWORD_PEPPER: first })).toEqual({ current: 1, secrets: new Map([[1, first]]) });
    });

    test.each([
      ['there are none', {}, 'AUTH_PASSWORD_PEPPER is not set'],
      ['they are given both ways', { AUTH_PASSWORD_PEPPER: first, AUTH_PASSWORD_PEPPERS: both }, 'both set'],
      [
        'one of an unknown version is to be used',
        { AUTH_PASSWORD_PEPPERS: both, AUTH_PASSWORD_PEPPER_VERSION: '3' },
        'AUTH_PASSWORD_PEPPER_VERSION: there is no pepper of version 3',
      ],
      ['they are no JSON', { AUTH_PASSWORD_PEPPERS: first }, 'AUTH_PASSWORD_PEPPERS: expected JSON like'],
      ['they are none', { AUTH_PASSWORD_PEPPERS: '{}' }, 'AUTH_PASSWORD_PEPPERS: expected JSON like'],
      ['they are a list', { AUTH_PASSWORD_PEPPERS: JSON.stringify([first]) }, 'AUTH_PASSWORD_PEPPERS: expected JSON'],
      ['one is short', { AUTH_PASSWORD_PEPPERS: JSON.stringify({ 1: first, 2: 's3cret' }) }, 'AUTH_PASSWORD_PEPPERS: '],
      ['a version is no number', { AUTH_PASSWORD_PEPPERS: JSON.stringify({ v1: first }) }, 'AUTH_PASSWORD_PEPPERS: '],
      ['a version is 0', { AUTH_PASSWORD_PEPPERS: JSON.stringify({ 0: first }) }, 'AUTH_PASSWORD_PEPPERS: '],
      ['their file is empty', { AUTH_PASSWORD_PEPPERS_FILE: '/dev/null' }, 'AUTH_PASSWORD_PEPPERS is not set'],
    ])('are refused when %s, and not shown', (_what, changes, problem) => {
      const problems = problemsOf({ ...environment(URL_WITHOUT_PASSWORD), AUTH_PASSWORD_PEPPER: '', ...changes });

      expect(problems).toEqual([expect.stringContaining(problem)]);
      for (const secret of [first, second, 's3cret']) expect(problems.join()).not.toContain(secret);
    });
  });

  test('every problem is named at once, and no value is shown', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://me:s3cret@db.example/shop',
      AUTH_PORT: '70000',
      AUTH_PASSWORD_PEPPER: 's3cret',
      AUTH_KEY_ENCRYPTION_KEY: 's3cret',
      AUTH_BCRYPT_COST: '16',
      AUTH_ISSUER: 'portico',
      AUTH_ACCESS_TOKEN_TTL_SECONDS: '-1',
      AUTH_THROTTLE_ACCOUNT: 'free=never',
    });

    expect(problems.map((line) => line.split(':')[0]).sort()).toEqual([
      'AUTH_ACCESS_TOKEN_TTL_SECONDS',
      'AUTH_BCRYPT_COST',
      'AUTH_ISSUER',
      'AUTH_KEY_ENCRYPTION_KEY',
      'AUTH_PASSWORD_PEPPER',
      'AUTH_PORT',
      'AUTH_THROTTLE_ACCOUNT',
      'DATABASE_URL',
    ]);
    expect(problems.join()).not.toContain('s3cret');
  });

  test('a certificate of DATABASE_URL that cannot be read is named as such', () => {
    const url = `${URL_WITHOUT_PASSWORD}?sslmode=verify-full&sslkey=/nowhere/client.key`;
    expect(problemsOf(environment(url))).toEqual(['DATABASE_URL: the file that sslkey names cannot be read (ENOENT)']);
  });

  test('nothing set at all names what has no default', () => {
    expect(problemsOf({})).toEqual([
      'DATABASE_URL is not set: expected a URL like postgresql://user@host:5432/name',
      'AUTH_PASSWORD_PEPPER is not set: expected at least 32 random characters',
      'AUTH_KEY_ENCRYPTION_KEY is not set: expected 32 bytes in base64 or hexadecimal',
    ]);
  });

  test('in production the database password and the secret of the gateways are needed too', () => {
    expect(problemsOf({ NODE_ENV: 'production' }).map((line) => line.split(' ')[0])).toEqual([
      'DATABASE_PASSWORD',
      'AUTH_REVOCATION_SECRET',
      'DATABASE_URL',
      'AUTH_PASSWORD_PEPPER',
      'AUTH_KEY_ENCRYPTION_KEY',
    ]);
    expect(problemsOf({ ...environment(URL_WITHOUT_PASSWORD), NODE_ENV: 'production' })).toEqual([
      'DATABASE_PASSWORD is not set: needed in production, here or in DATABASE_URL, unless AUTH_DATABASE_LOGIN says otherwise',
    ]);
  });

  test.each([
    ['in the URL', { DATABASE_URL: 'postgresql://me:secret@db.example/shop' }],
    ['on its own', { DATABASE_URL: URL_WITHOUT_PASSWORD, DATABASE_PASSWORD: 'secret' }],
    ['replaced by a Unix socket', { DATABASE_URL: 'postgresql://me@localhost/shop?host=/run/postgresql' }],
  ])('in production a database password may be %s', (_where, settings) => {
    expect(problemsOf({ ...environment(''), ...settings, NODE_ENV: 'production' })).toEqual([]);
  });

  describe('in production a login without a database password', () => {
    const problems = (settings: Record<string, string>) =>
      problemsOf({ ...environment(URL_WITHOUT_PASSWORD), NODE_ENV: 'production', ...settings });

    test.each(['trust', 'peer', 'proxy'])('is taken when the operator says how it works: %s', (AUTH_DATABASE_LOGIN) => {
      expect(problems({ AUTH_DATABASE_LOGIN })).toEqual([]);
    });

    test('may be said in a file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portico-login-'));
      await writeFile(join(folder, 'login'), 'trust\n');
      expect(problems({ AUTH_DATABASE_LOGIN_FILE: join(folder, 'login') })).toEqual([]);
      await rm(folder, { recursive: true });
    });

    test('by a certificate needs its files in the URL', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portico-certificate-'));
      const file = (name: string) => encodeURIComponent(join(folder, name));
      for (const name of ['cert', 'key']) await writeFile(join(folder, name), 'PEM');
      const AUTH_DATABASE_LOGIN = 'certificate';

      expect(problems({ AUTH_DATABASE_LOGIN })).toEqual([
        'DATABASE_URL: AUTH_DATABASE_LOGIN is certificate, which requires sslcert and sslkey',
      ]);
      const DATABASE_URL = `${URL_WITHOUT_PASSWORD}?sslcert=${file('cert')}&sslkey=${file('key')}`;
      expect(problems({ AUTH_DATABASE_LOGIN, DATABASE_URL })).toEqual([]);
      await rm(folder, { recursive: true });
    });

    test.each([
      ['it is called otherwise', { AUTH_DATABASE_LOGIN: 'none' }, 'AUTH_DATABASE_LOGIN: expected one of password, '],
      ['it is by password', { AUTH_DATABASE_LOGIN: 'password' }, 'DATABASE_PASSWORD is not set'],
      [
        'there is a password too',
        { AUTH_DATABASE_LOGIN: 'trust', DATABASE_PASSWORD: 's3cret' },
        'AUTH_DATABASE_LOGIN is trust, and DATABASE_PASSWORD is set: keep one of them',
      ],
    ])('is refused when %s', (_what, settings, problem) => {
      expect(problems(settings)).toEqual([expect.stringContaining(problem)]);
    });
  });

  test('the owner of the tables has a password of their own', () => {
    const { database } = configFor(URL_WITHOUT_PASSWORD, {
      AUTH_DATABASE_OWNER_URL: 'postgresql://owner@db.example/shop',
      AUTH_DATABASE_OWNER_PASSWORD: 'a & b',
    });
    expect(database.ownerUrl).toBe('postgresql://owner@db.example/shop?password=a%20%26%20b');
  });

  test.each([
    ['short', 'too-short'],
    ['two words', 'a secret of forty characters with spaces'],
  ])('a secret of the gateways that is %s is refused', (_what, AUTH_REVOCATION_SECRET) => {
    expect(problemsOf({ ...environment(URL_WITHOUT_PASSWORD), AUTH_REVOCATION_SECRET })).toEqual([
      expect.stringMatching(/^AUTH_REVOCATION_SECRET: expected/),
    ]);
  });

  test('a database user that is above row-level security is refused in production unless it is accepted', () => {
    const superuser = (settings: Record<string, string>) =>
      readConfig({ ...environment('postgresql://me:secret@db.example/shop'), ...settings }).database.superuser;
    const AUTH_UNSAFE_DATABASE_SUPERUSER = 'false';
    expect(superuser({ AUTH_UNSAFE_DATABASE_SUPERUSER })).toBe('warn');
    expect(superuser({ AUTH_UNSAFE_DATABASE_SUPERUSER, NODE_ENV: 'production' })).toBe('refuse');
    expect(superuser({ NODE_ENV: 'production' })).toBe('accept');
  });

  test('a file that can be read only once, as a process substitution, is read once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-pipe-'));
    const pipe = join(folder, 'url');
    execFileSync('mkfifo', [pipe]);
    const url = 'postgresql://me:secret@db.example/shop';
    // A second read gets nothing.
    const writer = spawn('sh', ['-c', `printf %s '${url}' > '${pipe}'; : > '${pipe}'`], { stdio: 'ignore' });
    const { DATABASE_URL, ...others } = environment('');
    expect(readConfig({ ...others, DATABASE_URL_FILE: pipe, NODE_ENV: 'production' }).database.url).toBe(url);
    writer.kill();
    await rm(folder, { recursive: true });
  });

  test('a database password from a mounted file goes into the URL', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-secret-'));
    const file = join(folder, 'password');
    await writeFile(file, 'from & file\n');
    const { database } = readConfig({ ...environment(URL_WITHOUT_PASSWORD), DATABASE_PASSWORD_FILE: file });
    await rm(folder, { recursive: true });

    expect(new URL(database.url).searchParams.get('password')).toBe('from & file');
  });

  test.each([
    ['base64', Buffer.alloc(32, 7).toString('base64')],
    ['base64url', Buffer.alloc(32, 0xfb).toString('base64url')],
    ['hexadecimal', Buffer.alloc(32, 7).toString('hex')],
  ])('the key-encryption key may be in %s', (_form, AUTH_KEY_ENCRYPTION_KEY) => {
    expect(readConfig({ ...environment(URL_WITHOUT_PASSWORD), AUTH_KEY_ENCRYPTION_KEY }).keyEncryptionKey).toHaveLength(
      32,
    );
  });

  test.each([
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['characters of no alphabet', `${Buffer.alloc(32).toString('base64').slice(0, -1)}!!`],
  ])('a key-encryption key of %s is refused', (_what, AUTH_KEY_ENCRYPTION_KEY) => {
    expect(problemsOf({ ...environment(URL_WITHOUT_PASSWORD), AUTH_KEY_ENCRYPTION_KEY })).toEqual([
      'AUTH_KEY_ENCRYPTION_KEY: expected 32 bytes in base64 or hexadecimal',
    ]);
  });
});
