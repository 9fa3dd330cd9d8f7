// Before all suites: which servers there are to test on, and whether there is a browser. Each is looked for once, and `TEST_SERVICES` tells the suites; from
// then on a suite whose server does not answer fails. Where `TEST_SERVICES` is set already, as in a continuous integration
// that has the servers, the ones that it names have to be there, and so has the one of `TEST_DATABASE_URL`.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import pg from 'pg';

const POSTGRES_URL = process.env.TEST_DATABASE_URL || 'postgresql://postgres@127.0.0.1:5432/postgres';
const PATIENCE_MS = 20_000;

const SERVICES = {
  postgres: {
    answers: postgresAnswers,
    address: process.env.TEST_DATABASE_URL,
    missing: 'POSTGRESQL: set TEST_DATABASE_URL, or start one on 127.0.0.1:5432',
  },
  redis: { answers: redisAnswers, missing: 'REDIS: start one on 127.0.0.1:6379' },
  chromium: {
    answers: findChromium,
    isAlwaysLookedFor: true,
    missing: 'A BROWSER, so that nothing of the console is tested: install chromium, or set TEST_CHROMIUM',
  },
};

export default async function findServices() {
  const required = requiredServices();
  const found = [];
  for (const [name, { answers, address, isAlwaysLookedFor, missing }] of Object.entries(SERVICES)) {
    const isRequired = required !== undefined && (required.includes(name) || Boolean(address));
    if (required && !isRequired && !isAlwaysLookedFor) continue;
    if (await answers()) found.push(name);
    else if (isRequired) throw new Error(`TEST_SERVICES names ${name}, which does not answer`);
    else process.stderr.write(`\nNOT TESTED ON ${missing}\n`);
  }
  process.env.TEST_SERVICES = found.join(',');
}

/** Undefined where `TEST_SERVICES` is not set, or empty. */
function requiredServices() {
  if (!process.env.TEST_SERVICES) return undefined;
  const names = process.env.TEST_SERVICES.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !Object.hasOwn(SERVICES, name));
  if (unknown.length > 0)
    throw new Error(`TEST_SERVICES: unknown ${unknown.map((name) => `"${name}"`)}, known: ${Object.keys(SERVICES)}`);
  return names;
}

async function postgresAnswers() {
  const client = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: PATIENCE_MS });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if (process.env.TEST_DATABASE_URL) throw new Error('TEST_DATABASE_URL cannot be used', { cause: error });
    return false;
  }
}

/** Where Chromium is, which `TEST_CHROMIUM` tells the suites. The shell takes the least time: it has no windows. */
function findChromium() {
  const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
    (name) => `/usr/bin/${name}`,
  );
  const found = process.env.TEST_CHROMIUM || usual.find((path) => existsSync(path));
  if (found !== undefined) process.env.TEST_CHROMIUM = found;
  return found !== undefined && existsSync(found);
}

function redisAnswers() {
  return new Promise((resolve) => {
    const socket = connect(6379, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
