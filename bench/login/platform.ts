import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hash } from '@node-rs/bcrypt';
import { freePort, type LoopDelay, readLoopDelay, until } from '../machine/index.ts';
import { COMPILED_DIR, PACKAGE_DIR } from '../package-dir.ts';
import type { BenchDependencies } from '../targets/index.ts';
import { scratchDatabase } from './scratch-database.ts';

/** The cost of password hashes in the auth service by default. */
export const BCRYPT_COST = 10;

const USERS = 32;
const TENANT_ID = 1_000;
const BENCH_PASSWORD = 'a password of the benchmark, long enough';
const AUTH_SERVICE = 'auth-service/main.js';

/** The complete Portico with its auth service and a sample service, and users who can log in. */
export interface Platform {
  readonly gatewayUrl: string;
  /** PostgreSQL or PGlite. */
  readonly database: string;
  /** Returns the login arguments of the user with this number. */
  credentials(number: number): { username: string; password: string; tenant_id: number };
  /** Returns how late the auth service's event loop was since the last call. */
  authLoopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

/**
 * Starts the platform in its own directory, on the PostgreSQL of `DATABASE_URL` or on the embedded database. No core is pinned.
 */
export async function startPlatform({ group, say }: BenchDependencies): Promise<Platform> {
  const scratch = await scratchDatabase();
  if (scratch) group.afterwards(scratch.drop);
  const probeDirectory = group.directory('probe');
  const dataDirectory = join(group.directory('platform'), 'data');
  mkdirSync(dataDirectory, { mode: 0o700 });
  const gatewayUrl = `http://127.0.0.1:${await freePort()}`;
  const environment = {
    PORTICO_DATA_DIR: dataDirectory,
    PORTICO_WORKERS: '1',
    HASURA_GRAPHQL_SERVER_PORT: new URL(gatewayUrl).port,
    AUTH_PORT: String(await freePort()),
    ORDERS_PORT: String(await freePort()),
    ...(scratch ? { DATABASE_URL: scratch.url } : {}),
  };
  const launch = (words: readonly string[], standardInput?: string) =>
    group.start({
      name: `portico-${words[0] ?? 'all'}`,
      command: [process.execPath, join(COMPILED_DIR, 'start/main.js'), ...words],
      directory: PACKAGE_DIR,
      environment,
      ...(standardInput === undefined ? {} : { standardInput }),
    });

  say('starting the auth service with its database');
  const probe = pathToFileURL(join(COMPILED_DIR, 'bench/probes/event-loop-delay.js')).href;
  const launcher = group.start({
    name: 'platform',
    command: [process.execPath, join(COMPILED_DIR, 'start/main.js')],
    directory: PACKAGE_DIR,
    environment: {
      ...environment,
      BENCH_PROBE_DIR: probeDirectory,
      BENCH_PROBE_SCRIPT: AUTH_SERVICE,
      NODE_OPTIONS: `--import=${probe}`,
      HASURA_GRAPHQL_LOG_LEVEL: 'info',
      AUTH_LOG_LEVEL: 'info',
    },
    standardOutput: 'discard',
  });
  await until('the gateway to be ready', launcher, async () =>
    (await fetch(`${gatewayUrl}/readyz`)).ok ? true : undefined,
  );

  await launch(['portico-auth', 'tenant', 'add', String(TENANT_ID), 'bench']).completed();
  const usersFile = join(dataDirectory, 'users.jsonl');
  const passwordHash = await hash(BENCH_PASSWORD, { cost: BCRYPT_COST });
  const lines = Array.from({ length: USERS }, (_, number) =>
    JSON.stringify({ username: usernameOf(number), password_hash: passwordHash }),
  );
  writeFileSync(usersFile, lines.join('\n'));
  await launch(['portico-auth', 'user', 'import', String(TENANT_ID)], usersFile).completed();

  return {
    gatewayUrl,
    database: scratch ? 'PostgreSQL' : 'PGlite',
    credentials: (number) => ({
      username: usernameOf(number % USERS),
      password: BENCH_PASSWORD,
      tenant_id: TENANT_ID,
    }),
    authLoopDelay: () => readLoopDelay(probeDirectory, launcher),
    stop: launcher.stop,
  };
}

function usernameOf(number: number): string {
  return `bench-${number}`;
}
