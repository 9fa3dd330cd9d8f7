import { connect, createServer, type Server, type Socket } from 'node:net';
import type { BalancerAddresses } from './balancer-addresses.ts';

const CHECK_EVERY_MS = 250;
const CHECK_TIMEOUT_MS = 1_000;

/**
 * Balances connections where neither HAProxy nor nginx is installed: each is passed on, byte for byte, to a server that
 * says 200 on /readyz, or to any where none does.
 *
 * @returns what ends it.
 */
export async function plainBalancer(wiring: BalancerAddresses): Promise<() => Promise<void>> {
  const stops = await Promise.all([
    balance(wiring.publicAddress, wiring.gateways),
    balance(wiring.authAddress, wiring.authServices),
  ]);
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function balance(address: string, targets: readonly string[]): Promise<() => Promise<void>> {
  const ready = new Set<string>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const check = () =>
    Promise.all(
      targets.map(async (target) => {
        const answer = fetch(`http://${target}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
        if (await answer.then(async (response) => (await response.text()) !== '' && response.ok).catch(() => false))
          ready.add(target);
        else ready.delete(target);
      }),
    );
  await check();
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  const server = createServer((client) => {
    const candidates = ready.size > 0 ? [...ready] : targets;
    turn += 1;
    joinSockets(client, candidates, turn, sockets);
  });
  await listenOn(server, address);
  return async () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** A server that refuses the connection is left out; nothing has been sent to it. */
function joinSockets(client: Socket, candidates: readonly string[], turn: number, sockets: Set<Socket>): void {
  const [first, ...others] = candidates.map((_, index) => candidates[(turn + index) % candidates.length] ?? '');
  const { hostname, port } = new URL(`tcp://${first}`);
  const upstream = connect(Number(port), hostname);
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.setNoDelay(true).once('close', () => sockets.delete(socket));
  }
  let isConnected = false;
  upstream.once('connect', () => {
    isConnected = true;
    client.pipe(upstream).pipe(client);
  });
  upstream.once('error', () => {
    if (!isConnected && others.length > 0) joinSockets(client, others, 0, sockets);
    else client.destroy();
  });
  upstream.once('close', () => isConnected && client.destroy());
  client.once('error', () => upstream.destroy());
  client.once('close', () => upstream.destroy());
}

async function listenOn(server: Server, address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), hostname, resolve);
  });
}
