import { createServer } from 'node:net';

/**
 * Below the ports that the system gives to outgoing connections (32768 and more on Linux): one of those can be taken between
 * the moment that it is found free and the moment that a server listens there, or while a server is stopped.
 */
const FIRST_PORT = 12_000;
const PORTS_PER_WORKER = 1_200;
const WORKERS = 16;

/** Workers of jest look at the same time: each has ports of its own. */
const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
/** Counts on, so that a port is not given twice while its first owner has not listened yet. */
let next = process.pid % PORTS_PER_WORKER;

/**
 * A TCP port of the loopback address that nothing listens on.
 *
 * @throws when there is none.
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
