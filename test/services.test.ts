import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** A socket that is not there, so that no time passes until the refusal. */
const UNREACHABLE = 'postgresql://postgres@localhost/postgres?host=/nonexistent';

const run = promisify(execFile);
const FIND = `
  import findServices from ${JSON.stringify(new URL('./services.mjs', import.meta.url).href)};
  await findServices();
  process.stdout.write(JSON.stringify(process.env.TEST_SERVICES));`;

/** Looks for the servers in a process with these variables. @returns what the suites read. */
async function findServices(services: string, databaseUrl = ''): Promise<string> {
  const env = { ...process.env, TEST_SERVICES: services, TEST_DATABASE_URL: databaseUrl };
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', FIND], { env });
  return String(JSON.parse(stdout));
}

test.each(['postgre', 'redis,', 'postgres,Redis'])('unknown names are rejected: %s', async (services) => {
  await expect(findServices(services)).rejects.toThrow('TEST_SERVICES: unknown "');
});

test.each(['', 'redis', 'postgres'])(
  'a database that is set has to be there, with TEST_SERVICES=%s',
  async (services) => {
    await expect(findServices(services, UNREACHABLE)).rejects.toThrow('TEST_DATABASE_URL cannot be used');
  },
);

test('an empty list is none: the servers are looked for', async () => {
  const { TEST_SERVICES = '', TEST_DATABASE_URL } = process.env;
  const found = await findServices('', TEST_DATABASE_URL);
  expect(found.split(',')).toEqual(expect.arrayContaining(TEST_SERVICES.split(',')));
});
