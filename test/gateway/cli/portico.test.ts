import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isInstalled } from '../../installed.ts';
import { bearer, gatewayEnvironment, graphqlUpstream, keeper, openIssuer, send, until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { COMMAND, type Process, run, start } from './portico.ts';
import { reportOf, textOf } from './run-check.ts';

const testWithGit = isInstalled('git', 'portico check --against <git ref>') ? test : test.skip;

const { keep, close } = keeper();
afterAll(close);
const shop = await keep(
  graphqlUpstream('type Query { item: String price: Int }', { Query: { item: () => 'bolt', price: () => 3 } }),
);
const SHOP = { name: 'shop', definition: { url: '{{SHOP_URL}}' } };
const environment = { SHOP_URL: shop.graphqlUrl };

describe('portico check', () => {
  test('exits with 0 for valid metadata, in the given directory, that of the environment, or the default one', async () => {
    const directory = await keep(
      metadataDirectory({ 'metadata/version.yaml': 'version: 3', 'remote_schemas.yaml': [SHOP] }),
    );
    const [given, told, found] = await Promise.all([
      run(['check', directory.path], { environment, script: COMMAND }),
      run(['check', '--json'], { environment: { ...environment, HASURA_GRAPHQL_METADATA_DIR: directory.path } }),
      run(['check'], { cwd: directory.path }),
    ]);
    expect(given).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/role \* \(any other .*\): query item, query price\n.*the metadata is valid\n$/s),
    });
    expect([told.code, JSON.parse(told.stdout)]).toMatchObject([0, { valid: true, sources: [{ name: 'shop' }] }]);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('sources: none') });
  });

  test('checks by the program of containers too, which would need a secret to serve', async () => {
    const directory = await keep(metadataDirectory({ 'remote_schemas.yaml': [SHOP] }));
    const script = fileURLToPath(new URL('../../../dist/gateway/main.js', import.meta.url));
    const checked = await run(['check', directory.path], { environment, script });
    expect(checked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('the metadata is valid') });
    const unknown = await run(['chek'], { environment, script });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "check"') });
  });

  test('ends with 1 when something is wrong, and says what on standard output', async () => {
    const directory = await keep(metadataDirectory({ 'remote_schemas.yaml': [{ ...SHOP, coment: 1 }] }));
    const [text, { code, report }] = await Promise.all([
      run(['check', directory.path]),
      reportOf({ location: directory.path }),
    ]);
    expect(text).toMatchObject({ code: 1, stderr: '' });
    expect(text.stdout).toContain(
      'error: remote_schemas.yaml:4 [0].coment: unknown key "coment": did you mean "comment"?',
    );
    expect([code, report.problems]).toEqual([
      1,
      [
        {
          file: 'remote_schemas.yaml',
          line: 4,
          path: '[0].coment',
          message: 'unknown key "coment": did you mean "comment"?',
        },
      ],
    ]);
  });

  testWithGit('compares with what is in git, recorded schemas included', async () => {
    const directory = await keep(metadataDirectory());
    const repository = directory.path;
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], {
        cwd: repository,
        stdio: 'pipe',
      });
    const permitted = (schema: string) => [{ ...SHOP, permissions: [{ role: 'user', definition: { schema } }] }];
    directory.write({
      'platform/metadata/version.yaml': 'version: 3',
      'platform/metadata/remote_schemas.yaml': '- !include shop/shop.yaml',
      'platform/metadata/shop/shop.yaml': permitted('type Query { item: String price: Int }')[0],
      'schemas/shop.graphql': 'type Query { item: String price: Int }',
    });
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    const command = (against: string) =>
      run(['check', 'platform/metadata', '--schemas', 'schemas', `--against=${against}`], {
        cwd: repository,
        environment,
      });
    /** What the command does, without its process. */
    const comparing = (against: string) => ({
      location: join(repository, 'platform/metadata'),
      schemas: join(repository, 'schemas'),
      against,
      environment,
    });

    expect(await command('HEAD')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('changes: 0, 0 of them breaking'),
    });

    directory.write({ 'platform/metadata/shop/shop.yaml': permitted('type Query { item: String }')[0] });
    const taken = await textOf(comparing('HEAD'));
    expect([taken.code, taken.text]).toEqual([
      1,
      expect.stringContaining("breaking (user): Field 'price' was removed from object type 'Query'"),
    ]);

    // The service itself has changed, which only its recorded schema tells.
    directory.write({
      'platform/metadata/shop/shop.yaml': permitted('type Query { item: String price: Int }')[0],
      'schemas/shop.graphql': 'type Query { item: String price: Int more: Int }',
    });
    const more = await reportOf(comparing('HEAD'));
    expect([more.code, more.report.changes]).toEqual([
      0,
      [{ breaking: false, message: "Field 'more' was added to object type 'Query'", roles: ['admin'] }],
    ]);
    expect(git('status', '--porcelain').toString().trim().split('\n')).toHaveLength(1);
    expect(readdirSync(repository).sort()).toEqual(['.git', 'platform', 'schemas', 'version.yaml']);

    const refusal = (name: string) =>
      expect.stringContaining(`error: ${name}: is neither a metadata directory nor a git`);
    for (const name of ['no-such-branch', '--upload-pack=x', 'HEAD:platform'])
      expect(await textOf(comparing(name))).toEqual({ code: 1, text: refusal(name) });
    expect(await command('--upload-pack=x')).toMatchObject({ code: 1, stdout: refusal('--upload-pack=x') });
  });
});

describe('portico init', () => {
  test('writes metadata that is valid as it is, and commented', async () => {
    const directory = await keep(metadataDirectory({ 'version.yaml': undefined }));
    const target = `${directory.path}/new/metadata`;
    const { code, stdout } = await run(['init', target]);
    expect(code).toBe(0);
    const files = stdout.trim().split('\n');
    expect(files).toContain(`${target}/remote_schemas.yaml`);
    for (const file of files) expect(existsSync(file)).toBe(true);
    const checked = await textOf({ location: target });
    expect(checked).toEqual({ code: 0, text: expect.stringMatching(/^sources: none\n/) });

    const again = await run(['init', target]);
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `portico: ${target} is not empty: choose an empty or new directory\n`,
    });
    const onFile = await run(['init', `${target}/version.yaml`]);
    expect(onFile).toMatchObject({
      code: 1,
      stderr: `portico: init: ${target}/version.yaml is a file, or is within one\n`,
    });
  });
});

describe('portico serve', () => {
  let serving: Process;
  let url: string;
  let token: string;
  const directory = metadataDirectory({ 'remote_schemas.yaml': [SHOP] });
  afterAll(() => directory.close());
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    const { body } = await send<{ data?: unknown }>(`${url}/v1/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return body.data;
  };

  beforeAll(async () => {
    const issuer = await keep(openIssuer());
    token = issuer.token();
    const settings = {
      ...gatewayEnvironment('elsewhere', { issuer }),
      PORTICO_METADATA_WATCH: 'false',
      ...environment,
    };
    serving = await keep(start(['serve', directory.path], { environment: settings }));
    const port = await until('it listens', () => /"port":(\d+)/.exec(serving.written())?.[1]);
    url = `http://127.0.0.1:${port}`;
    await until('it is ready', async () => (await send(`${url}/readyz`)).status === 200);
  });

  test('serves the metadata of the directory that it is given', async () => {
    expect(await ask('{ item }')).toEqual({ item: 'bolt' });
  });

  test('takes an edit over on SIGHUP, and keeps what it has when the edit is wrong', async () => {
    directory.write({
      'remote_schemas.yaml': [
        { ...SHOP, permissions: [{ role: 'user', definition: { schema: 'type Query { price: Int }' } }] },
      ],
    });
    expect(await ask('{ item }')).toEqual({ item: 'bolt' });
    serving.signal('SIGHUP');
    await until('the edit takes effect', async () => (await ask('{ item }')) === undefined);
    expect(await ask('{ price }')).toEqual({ price: 3 });

    directory.write({ 'remote_schemas.yaml': '- name: [' });
    serving.signal('SIGHUP');
    await until('the mistake is seen', async () => (await send(`${url}/healthz`)).text !== 'OK');
    // Lines are written in batches, so they may come after the answer that they are about.
    await until('the log says why', async () => serving.written().includes('"reason":"SIGHUP"'));
    expect(await ask('{ price }')).toEqual({ price: 3 });

    directory.write({ 'remote_schemas.yaml': [SHOP] });
    serving.signal('SIGHUP');
    await until('it is repaired', async () => (await send(`${url}/healthz`)).text === 'OK');
    expect(await ask('{ item }')).toEqual({ item: 'bolt' });
  });

  test('stops on SIGTERM', async () => {
    serving.signal('SIGTERM');
    expect((await serving.ended).code).toBe(0);
  });

  test('does not start with metadata that is wrong, and says all that is', async () => {
    const broken = await keep(
      metadataDirectory({
        'remote_schemas.yaml': [{ name: 'a', definition: { url: '{{A_URL}}' } }],
        'services.yaml': [{ name: 'b', path: '/b', url: '{{B_URL}}' }],
      }),
    );
    const { code, stderr } = await run(['serve', broken.path], {
      environment: { HASURA_GRAPHQL_ADMIN_SECRET: 'secret', HASURA_GRAPHQL_SERVER_PORT: '0' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gateway: HASURA_GRAPHQL_METADATA_DIR: the metadata is not valid:\n {2}remote_schemas\.yaml:3 .*\n {2}services\.yaml:3 /s,
    );
  });
});

const COMMANDS = ['check', 'usage', 'serve', 'jobs', 'init', 'completion'];

describe('portico', () => {
  test.each<[what: string, args: readonly string[], says: string]>([
    ['no command', [], 'expected a command: check, usage, serve, jobs, actions, init, completion'],
    ['usage without a directory', ['usage'], 'expected a directory of usage files'],
    ['a time that is none', ['usage', '.', '--since', 'yesterday'], '--since: expected a time such as 30d'],
    ['usage with nothing to weigh', ['check', '--usage', '.'], '--usage requires --against'],
    ['leave to break without usage', ['check', '--allow-unused'], '--since and --allow-unused require --usage'],
    ['an unknown command', ['chek'], 'unknown command "chek"; did you mean "check"?'],
    ['an unknown option', ['check', '--jsn'], `Unknown option '--jsn'; did you mean "--json"?`],
    ["another command's option", ['check', '--workers', '2'], "Unknown option '--workers'"],
    ['two kinds of metadata', ['init', '--bare', '--with-login'], 'expected only one of'],
    ...['check', 'usage', 'serve', 'init'].map((command): [string, string[], string] => [
      `an empty directory, such as of a variable that is not set, for ${command}`,
      [command, ''],
      'an argument is empty',
    ]),
    ['an empty option', ['check', '--schemas', ''], '--schemas is empty'],
    ['an empty one of several', ['check', '--usage', 'a', '--usage', ''], '--usage is empty'],
    ['a shell that is not known', ['completion', 'tcsh'], 'expected one of bash, zsh, fish'],
    ['an option without its value', ['check', '--against'], "Option '--against <value>' argument missing"],
    ['a directory too many', ['check', 'a', 'b'], 'expected at most one directory'],
  ])('ends with 2 and its usage for %s', async (_, args, says) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(stderr).toContain('usage:');
    // The message stays in sight: only the command that was meant is explained.
    expect(stderr.match(/^ {2}portico /gm) ?? []).toHaveLength(COMMANDS.includes(args[0] ?? '') ? 1 : 0);
    expect(stderr.split('\n').length).toBeLessThan(12);
  });

  test('prints its usage when it is asked for it', async () => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^usage:\n {2}portico check.*\n {2}portico completion.*\n {2}portico --version\n/s),
    });
    expect(await run(['jobs', '--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^usage:\n {2}portico jobs (?!.*\n {2}portico)/s),
    });
  });
});
