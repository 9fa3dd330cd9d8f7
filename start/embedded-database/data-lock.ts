import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../../platform/index.ts';

export interface DataLock {
  release(): Promise<void>;
}

const LOCK_NAME = 'lock';

/** Whether a running process holds the lock of the database whose sockets are in `socketDirectory`. */
export function isDataLocked(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(socketDirectory, LOCK_NAME));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

/**
 * Locks a database for this process: two would destroy it. The lock is a socket, which stops accepting connections when its
 * process ends in any way; a file with a process id may outlive the process.
 *
 * @throws StartError when another process holds it.
 */
export async function lockData(socketDirectory: string, dataDir: string): Promise<DataLock> {
  const inUse = new StartError(`PORTICO_DATA_DIR: ${dataDir} is in use by another Portico: stop it or set another one`);
  const path = join(socketDirectory, LOCK_NAME);
  let server = await bind(path);
  if (!server) {
    if (await isDataLocked(socketDirectory)) throw inUse;
    rmSync(path, { force: true });
    server = await bind(path);
  }
  if (!server) throw inUse;
  const held = server;
  return { release: () => new Promise((resolve) => held.close(() => resolve())) };
}

function bind(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new StartError(`TMPDIR: cannot make the socket ${path} (${error.code})`));
    });
    server.listen(path, () => resolve(server));
  });
}
