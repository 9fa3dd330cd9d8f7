import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import { keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { run } from './portico.ts';

const { keep, close } = keeper();
afterAll(close);

/** A directory with metadata that is not valid, and a file that holds its path. */
async function namedByFile() {
  const { path } = await keep(metadataDirectory({ 'remote_schemas.yaml': '- nme: shop' }));
  const { path: secrets, write } = await keep(metadataDirectory());
  write({ directory: `${path}\n`, role: 'visitor\n', created: `${join(secrets, 'made')}\n`, one: '1\n' });
  return { path, file: (name: string) => join(secrets, name) };
}

describe('commands read a setting from the file that NAME_FILE names', () => {
  test('for the directory of the metadata', async () => {
    const { file } = await namedByFile();
    const HASURA_GRAPHQL_METADATA_DIR_FILE = file('directory');
    const [checked, served] = await Promise.all([
      run(['check'], { environment: { HASURA_GRAPHQL_METADATA_DIR_FILE } }),
      run(['serve'], { environment: { HASURA_GRAPHQL_METADATA_DIR_FILE, HASURA_GRAPHQL_ADMIN_SECRET: 'secret' } }),
    ]);
    expect(checked).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining('unknown key "nme"') });
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('unknown key "nme"') });

    const { code } = await run(['init', '--bare'], {
      environment: { HASURA_GRAPHQL_METADATA_DIR_FILE: file('created') },
    });
    expect([code, existsSync(join(file('made'), 'version.yaml'))]).toEqual([0, true]);
  });

  test('for the role of requests without a token, and the directory of usage', async () => {
    const { file } = await namedByFile();
    await run(['init', '--bare', file('made')]);
    const { stdout } = await run(['check', file('made')], {
      environment: { HASURA_GRAPHQL_UNAUTHORIZED_ROLE_FILE: file('role') },
    });
    expect(stdout).toContain('role visitor: nothing');
    expect(stdout).not.toContain('anonymous');
    const usage = await run(['usage', '--json'], { environment: { PORTICO_USAGE_DIR_FILE: file('created') } });
    expect(usage.stderr).not.toContain('expected a directory');
  });

  test('a directory or a number of workers on the command line goes before the file', async () => {
    const { path, file } = await namedByFile();
    const { code, stderr } = await run(['serve', path, '--workers', '1'], {
      environment: {
        HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
        HASURA_GRAPHQL_METADATA_DIR_FILE: file('created'),
        PORTICO_WORKERS_FILE: file('one'),
      },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('unknown key "nme"')]);
  });

  test('both set is an error, and so is a file that is missing', async () => {
    const { path, file } = await namedByFile();
    const environment = {
      HASURA_GRAPHQL_METADATA_DIR: path,
      HASURA_GRAPHQL_METADATA_DIR_FILE: file('directory'),
      HASURA_GRAPHQL_UNAUTHORIZED_ROLE_FILE: file('absent'),
    };
    const both =
      'portico: HASURA_GRAPHQL_METADATA_DIR and HASURA_GRAPHQL_METADATA_DIR_FILE are both set: keep one of them\n';
    const [checked, made] = await Promise.all([run(['check'], { environment }), run(['init'], { environment })]);
    expect([checked.code, checked.stderr]).toEqual([
      1,
      `${both}portico: HASURA_GRAPHQL_UNAUTHORIZED_ROLE_FILE: cannot read the file that it names (ENOENT)\n`,
    ]);
    expect([made.code, made.stderr]).toEqual([1, both]);
  });
});

describe('settings that are checked together', () => {
  const problems = (environment: NodeJS.ProcessEnv) => {
    try {
      readConfig(environment);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('are read from their files too', async () => {
    const { write, path } = await keep(metadataDirectory());
    write({ endpoint: 'http://registry.test/usage\n', sampler: 'always_on\n', argument: '0.5\n' });
    const file = (name: string) => join(path, name);
    const said = problems({
      HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
      PORTICO_HIVE_USAGE_TOKEN: 'token',
      PORTICO_HIVE_USAGE_ENDPOINT_FILE: file('endpoint'),
      OTEL_TRACES_SAMPLER_FILE: file('sampler'),
      OTEL_TRACES_SAMPLER_ARG_FILE: file('argument'),
    });
    expect(said).toContain('the token would be sent over plain HTTP');
    expect(said).toContain('OTEL_TRACES_SAMPLER_ARG: has no effect');
  });

  test('are not set where their file is empty', async () => {
    const { write, path } = await keep(metadataDirectory());
    write({ empty: '\n' });
    const file = join(path, 'empty');
    expect(problems({ HASURA_GRAPHQL_ADMIN_SECRET_FILE: file })).toContain('HASURA_GRAPHQL_JWT_SECRET is not set');
    const production = {
      NODE_ENV: 'production',
      HASURA_GRAPHQL_ADMIN_SECRET: 'a secret of thirty-two characters',
      PORTICO_REVOCATION_URL: 'http://auth.test/revocations',
    };
    expect(problems({ ...production, PORTICO_REVOCATION_SECRET_FILE: file })).toMatch(
      /^PORTICO_REVOCATION_SECRET is not set: needed in production/,
    );
    expect(problems({ ...production, PORTICO_REVOCATION_SECRET_FILE: join(path, 'none') })).toMatch(
      /^PORTICO_REVOCATION_SECRET_FILE: cannot read the file that it names \(ENOENT\)$/,
    );
  });

  test('are read once, since the file may be a pipe', async () => {
    const { path } = await keep(metadataDirectory());
    const pipe = join(path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'printf secret > "$0"', pipe]);
    expect(problems({ HASURA_GRAPHQL_ADMIN_SECRET_FILE: pipe })).toBe('');
    expect((await once(writer, 'exit'))[0]).toBe(0);
  });
});
