import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { freePort } from '../../bench/machine/free-port.ts';
import { sectionBlocks } from '../readme-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** An image is built in it, for which all packages are installed. */
const START_WITHIN_MS = 20 * 60_000;

const hasCommand = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
const compose = hasCommand('docker-compose', 'version')
  ? 'docker-compose'
  : hasCommand('docker', 'compose', 'version') && 'docker compose';
/** Images are not pulled for a test: where there is no registry, others under their names will do. */
const missingImages = [
  ...[...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, name = '']) => name),
  ...[...readFileSync('docker-compose.yml', 'utf8').matchAll(/^ +image: (\S+)/gm)].map(([, name = '']) => name),
].filter((image) => !hasCommand('docker', 'image', 'inspect', image));
const canStart = compose && missingImages.length === 0;
if (!compose)
  process.stderr.write('\nSKIPPED: there is no docker-compose here, so the blocks of its page are not run\n');
else if (!canStart)
  process.stderr.write(`\nSKIPPED: docker has no ${missingImages.join(', ')} here, so the stack is not started\n`);

/** What it says of docker-compose. */
const PAGE = 'docs/installation.md';
const [start = '', ...others] = sectionBlocks(PAGE, '## docker-compose');
const [override = ''] = sectionBlocks(PAGE, '## docker-compose', 'yaml');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-compose-'));
  const ignore = readFileSync('.dockerignore', 'utf8');
  const files = [...ignore.matchAll(/^!(.+)$/gm)].map(([, name = '']) => name);
  for (const file of [...files, '.dockerignore', 'Dockerfile', 'docker-compose.yml', 'secrets/make.sh'])
    cpSync(join(ROOT, file), join(directory, file), { recursive: true });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a script in a copy of the package, as a project of its own. @returns what it has printed. */
async function run(script: string, ports: string): Promise<string> {
  const shim = compose === 'docker compose' ? 'docker-compose() { docker compose "$@"; }\n' : '';
  const env = { ...process.env, COMPOSE_PROJECT_NAME: `portico-test-${process.pid}`, PORTICO_PORTS: ports };
  const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', shim + script], options)).stdout;
}

test('the page has one block that starts the stack, and one of further settings', () => {
  expect([start, override].map((block) => block === '')).toEqual([false, false]);
  expect(others).toEqual([]);
});

(compose ? describe : describe.skip)('what the page says of docker-compose, put together without an engine', () => {
  type Services = Readonly<Record<string, { environment?: Readonly<Record<string, unknown>>; ports?: unknown[] }>>;
  /** Versions of docker-compose differ in whether they print numbers as such. */
  const asTexts = (environment: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
  const services = async (ports: string) =>
    parse(await run('./secrets/make.sh >/dev/null; docker-compose config', ports)).services as Services;

  test('the file for further settings adds to those of the stack', async () => {
    const plain = await services('127.0.0.1:8080');
    writeFileSync(join(directory, 'docker-compose.override.yml'), override);
    try {
      const changed = await services('127.0.0.1:8080');
      for (const [name, { environment }] of Object.entries((parse(override) as { services: Services }).services)) {
        const wanted = { ...plain[name]?.environment, ...environment };
        expect(asTexts(changed[name]?.environment)).toEqual(asTexts(wanted));
      }
    } finally {
      rmSync(join(directory, 'docker-compose.override.yml'));
    }
  });

  test('each value of PORTICO_PORTS that it shows is taken', async () => {
    const shown = [...readFileSync(PAGE, 'utf8').matchAll(/PORTICO_PORTS=([\d.:-]+)/g)].map(([, ports = '']) => ports);
    expect(shown.length).toBeGreaterThan(1);
    for (const ports of shown) expect((await services(ports)).gateway?.ports).not.toEqual([]);
  });
});

(canStart ? test : test.skip)(
  'the stack starts as it is written, and callers log in',
  async () => {
    const port = await freePort();
    const ports = `127.0.0.1:${port}`;
    const url = `http://${ports}`;
    try {
      const printed = await run(start.replaceAll('http://127.0.0.1:8080', url), ports);
      expect(JSON.parse(printed.slice(printed.lastIndexOf('\n{') + 1))).toMatchObject({ ready: true });

      const account = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };
      const post = async (path: string, body: unknown, headers = {}) => {
        const sent = { 'content-type': 'application/json', ...headers };
        const response = await fetch(`${url}${path}`, { method: 'POST', headers: sent, body: JSON.stringify(body) });
        return (await response.json()) as Record<string, { data: { access_token: string } }>;
      };
      const login = await post('/api/rest/auth_user_login', account);
      const authorization = `Bearer ${login.auth_user_login?.data.access_token}`;
      expect(login).toMatchObject({ auth_user_login: { success: true } });
      const values = `username: "${account.username}", password: "${account.password}", tenant_id: 1`;
      const mutation = `mutation { auth_user_login(data: { ${values} }) { data { access_token } } }`;
      expect(await post('/v1/graphql', { query: mutation })).toMatchObject({
        data: { auth_user_login: { data: { access_token: expect.any(String) } } },
      });
      expect(await post('/v1/graphql', { query: '{ orders { id } }' }, { authorization })).toMatchObject({
        data: { orders: [{ id: 'acme-1001' }, {}, {}] },
      });
    } finally {
      await run('docker-compose down -v --rmi local --timeout 20', ports);
    }
  },
  START_WITHIN_MS,
);
