import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type GroupProcess, type ProcessGroup, until } from '../../bench/machine/index.ts';
import { PACKAGE_DIR } from '../../bench/package-dir.ts';
import type { BalancerAddresses, Balancing } from './balancer-addresses.ts';
import { findProgram } from './programs.ts';

const CONFIGURATION = join(PACKAGE_DIR, 'deploy/haproxy/haproxy.cfg');

/** Runs HAProxy with the example configuration as it is; addresses are its environment. */
export async function haproxy(group: ProcessGroup, wiring: BalancerAddresses): Promise<Balancing | undefined> {
  const program = findProgram('haproxy');
  if (program === undefined) return undefined;
  const [gateway1, gateway2] = wiring.gateways;
  const [authService1, authService2] = wiring.authServices;
  const member = group.start({
    name: 'haproxy',
    command: [program, '-db', '-f', CONFIGURATION],
    environment: {
      PORTICO_PUBLIC_BIND: wiring.publicAddress,
      PORTICO_AUTH_BIND: wiring.authAddress,
      PORTICO_GATEWAY_1: gateway1,
      PORTICO_GATEWAY_2: gateway2,
      PORTICO_AUTH_SERVICE_1: authService1,
      PORTICO_AUTH_SERVICE_2: authService2,
      ...(wiring.maxRequestsPerAddress !== undefined && {
        PORTICO_MAX_REQUESTS_PER_ADDRESS: String(wiring.maxRequestsPerAddress),
      }),
      ...(wiring.tls && { PORTICO_TLS_BIND: wiring.tls.address, PORTICO_TLS_CERTIFICATE: bundle(group, wiring.tls) }),
    },
  });
  await listens(member, wiring.publicAddress);
  return { stop: () => member.stop() };
}

/** HAProxy wants certificate and key in one file. */
function bundle(group: ProcessGroup, { certificate, key }: NonNullable<BalancerAddresses['tls']>): string {
  const file = join(group.directory('tls'), 'both.pem');
  writeFileSync(file, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
  return file;
}

/** Waits until `member` accepts connections at `address`. */
export async function listens(member: GroupProcess, address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  await until('it to listen', member, async () => {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname).once('error', reject);
      socket.once('connect', () => {
        socket.destroy();
        resolve();
      });
    });
    return true;
  });
}
