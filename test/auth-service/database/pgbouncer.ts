import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/machine/free-port.ts';
import { until } from '../until.ts';

const PROGRAM = 'pgbouncer';
/** A server connection for each few clients, so that they have to share. */
const SERVER_CONNECTIONS = 3;

export const hasPgbouncer = spawnSync(PROGRAM, ['--version']).error === undefined;

export interface Pgbouncer {
  /** `url`, by way of the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode in front of the server of `url`. It lets everybody in whom the server lets in. */
export async function startPgbouncer(url: string, users: readonly string[]): Promise<Pgbouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-pgbouncer-'));
  const port = await freePort();
  const server = new URL(url);
  const settings = `
[databases]
* = host=${server.hostname} port=${server.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users.txt')}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
server_lifetime = 3600
`;
  await writeFile(join(directory, 'pgbouncer.ini'), settings);
  await writeFile(join(directory, 'users.txt'), users.map((user) => `"${user}" "${user}-password"\n`).join(''));
  // As root it starts only when it is told whom to become.
  const isRoot = process.getuid?.() === 0;
  await chmod(directory, 0o755);
  const child = spawn(PROGRAM, ['-q', ...(isRoot ? ['-u', 'nobody'] : []), join(directory, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await until('the pooler listens', async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
    return listens(port);
  });
  return {
    through(address) {
      const pooled = new URL(address);
      pooled.hostname = '127.0.0.1';
      pooled.port = String(port);
      return pooled.href;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
