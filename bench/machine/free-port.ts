import { createServer } from 'node:net';

/**
 * Below the ports that the system uses for outgoing connections (32768 and more on Linux). Such a port could be taken after it
 * was found free and before a server listens on it, or while a server is stopped.
 */
const FIRST_PORT = 12_000;
const PORTS_PER_WORKER = 1_200;
const WORKERS = 16;

/** Jest's workers search at the same time, so each has its own ports. */
const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
/** Always increases, so that a port is not returned twice before its first owner listens. */
let next = process.pid % PORTS_PER_WORKER;

/**
 * Returns a TCP port of the loopback address that nothing listens on.
 *
 * @throws Error if there is none.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_PER_WORKER; tries++) {
    next = (next + 1) % PORTS_PER_WORKER;
    const port = first + next;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${first} on is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
