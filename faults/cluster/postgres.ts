import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, type GroupProcess, type ProcessGroup, until } from '../../bench/machine/index.ts';
import { asPostgresUser, findPostgres, postgresUserId } from './programs.ts';
import { signalOne, signalTree } from './signals.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';

const DATABASE = 'portico';
/** The service's user: no superuser, owner of the database. */
const USER = 'portico';
const MAX_CONNECTIONS = 60;
const DISK_MEGABYTES = 160;

/** A PostgreSQL of the suite's own. */
export interface Postgres {
  /** For the auth service. */
  readonly url: string;
  readonly disk: SmallDisk;
  start(): Promise<void>;
  /** `SIGINT`: at once, without waiting for clients; `SIGQUIT`: as after a crash. */
  stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** SIGKILL to all of its processes. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  hasEnded(): boolean;
  /** Runs a statement as a superuser. */
  run(statement: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** A connection of the service's user, which the caller ends. */
  connect(): Promise<pg.Client>;
}

/** @throws when PostgreSQL is not installed or does not start. */
export async function openPostgres(group: ProcessGroup): Promise<Postgres> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: the suite needs initdb and postgres');
  const disk = smallDisk(group, 'postgres', DISK_MEGABYTES);
  const data = join(disk.path, 'data');
  const port = await freePort();
  if (process.getuid?.() === 0) {
    // Its own user has to get through the directories above.
    for (const above of [group.scratch, disk.path]) chmodSync(above, 0o755);
    chownSync(disk.path, postgresUserId(), -1);
  }
  const [initdb = '', ...initdbArguments] = [
    ...asPostgresUser(),
    join(programs, 'initdb'),
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--wal-segsize=1', '--no-sync'],
  ];
  execFileSync(initdb, initdbArguments, { stdio: 'ignore', cwd: disk.path });

  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    shared_buffers: '16MB',
    min_wal_size: '2MB',
    max_wal_size: '16MB',
  };
  const [program = '', ...programArguments] = [
    ...asPostgresUser(),
    join(programs, 'postgres'),
    ...['-D', data],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const superuserUrl = `postgresql://postgres@127.0.0.1:${port}`;
  let member: GroupProcess | undefined;

  const connectTo = async (connectionString: string) => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const runIn = async (database: string, statement: string, values: readonly unknown[] = []) => {
    const client = await connectTo(`${superuserUrl}/${database}`);
    try {
      return await client.query(statement, [...values]);
    } finally {
      await client.end();
    }
  };
  const postgres: Postgres = {
    url: `postgresql://${USER}@127.0.0.1:${port}/${DATABASE}`,
    disk,
    async start() {
      const started = group.start({ name: 'postgres', command: [program, ...programArguments], directory: disk.path });
      member = started;
      await until('PostgreSQL to answer', started, async () => runIn('postgres', 'SELECT 1').then(() => true));
    },
    async stop(signal) {
      if (!member || member.hasEnded()) return;
      signalOne(member.pid, signal);
      await member.completed().catch(() => {});
    },
    async kill() {
      if (!member || member.hasEnded()) return;
      signalTree(member, 'SIGKILL');
      await member.completed().catch(() => {});
    },
    freeze: () => member && signalTree(member, 'SIGSTOP'),
    thaw: () => member && signalTree(member, 'SIGCONT'),
    hasEnded: () => member?.hasEnded() ?? true,
    run: (statement, values) => runIn(DATABASE, statement, values),
    connect: () => connectTo(postgres.url),
  };
  await postgres.start();
  await runIn('postgres', `CREATE USER ${USER}`);
  await runIn('postgres', `CREATE DATABASE ${DATABASE} OWNER ${USER}`);
  return postgres;
}
