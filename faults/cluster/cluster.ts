import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { hash } from '@node-rs/bcrypt';
import { freePort, type ProcessGroup } from '../../bench/machine/index.ts';
import { COMPILED_DIR, PACKAGE_DIR } from '../../bench/package-dir.ts';
import { type Balancer, type BalancerName, isInstalled, startBalancer } from './balancer.ts';
import type { BalancerAddresses } from './balancer-addresses.ts';
import { openPostgres, type Postgres } from './postgres.ts';
import type { ProbeService } from './probe-service.ts';
import { findProgram } from './programs.ts';
import { openRedis, type Redis } from './redis.ts';
import { createServerProcess, type Server } from './server.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';
import { startProbeService } from './start-probe.ts';
import { PASSWORD, READERS, TENANTS, userNames, WRITERS } from './users.ts';

/** Gateways, auth services and the sample service. */
const SERVERS = 5;
/** The least that deploy/haproxy and deploy/nginx ask for. */
const DRAIN_SECONDS = 5;
/** How long a gateway waits for an answer of the probe service. */
export const PROBE_TIMEOUT_SECONDS = 4;

/** Everything that the suite runs: real processes, on ports of 127.0.0.1. */
export interface Cluster {
  readonly gateways: readonly [Server, Server];
  readonly authServices: readonly [Server, Server];
  readonly orders: Server;
  readonly postgres: Postgres;
  /** Undefined where Redis is not installed: rates are then counted without it. */
  readonly redis: Redis | undefined;
  readonly probe: ProbeService;
  /** Where the sample service keeps its orders and gateways keep schemas. */
  readonly data: SmallDisk;
  readonly wiring: BalancerAddresses;
  /** Where clients come. */
  readonly url: string;
  /** Ends the balancer there is and starts another. @returns whether it is installed. */
  balanceWith(name: BalancerName): Promise<boolean>;
  /** The one there is now. */
  balancer(): BalancerName;
  hasBalancer(name: BalancerName): boolean;
  /** Of both gateways. */
  readonly metadataDirectory: string;
  /** The path of a file that is removed with the rest. */
  scratchFile(name: string): string;
  /** Runs `portico-auth` with these words. */
  operate(words: readonly string[], standardInputFile?: string): Promise<void>;
}

export interface ClusterOptions {
  readonly balancer: BalancerName;
  /** How long a stopping process goes on accepting connections, in seconds: longer than balancers need to notice. */
  readonly drainSeconds?: number;
  /** Where the event loops are measured, for the soak. */
  readonly probeDirectory?: string;
  /**
   * More settings of a server, by its name (`gateway-1`, `auth-service-2`, `orders`), a port that it may listen on, and the
   * address of the database.
   */
  readonly environment?: (server: string, port: number, databaseUrl: string) => Readonly<Record<string, string>>;
}

export async function startCluster(
  group: ProcessGroup,
  options: ClusterOptions,
  say: (text: string) => void,
): Promise<Cluster> {
  say('starting PostgreSQL, Redis, two auth services, the sample service and two gateways of two workers');
  const postgres = await openPostgres(group);
  const redis = (findProgram('redis-server') ?? findProgram('valkey-server')) ? await openRedis(group) : undefined;
  const probe = await startProbeService();
  group.afterwards(() => probe.close());
  const data = smallDisk(group, 'data', 16);

  const [publicPort, authPort, tlsPort, ordersPort, ...ports] = await freePorts(8 + SERVERS);
  const at = (port: number | undefined) => `127.0.0.1:${port}`;
  const [gateway1, gateway2, auth1, auth2] = ports.map(at) as [string, string, string, string];
  const wiring: BalancerAddresses = {
    publicAddress: at(publicPort),
    authAddress: at(authPort),
    tls: selfSigned(group, at(tlsPort)),
    // Beyond what the load has under way at a time, whatever the fault.
    maxRequestsPerAddress: 1_000,
    gateways: [gateway1, gateway2],
    authServices: [auth1, auth2],
  };
  const revocationSecret = randomBytes(32).toString('hex');
  const drainSeconds = String(options.drainSeconds ?? DRAIN_SECONDS);
  const issuer = `http://${wiring.publicAddress}`;
  const authEnvironment = {
    DATABASE_URL: postgres.url,
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: 'portico',
    AUTH_PASSWORD_PEPPER: randomBytes(32).toString('base64'),
    AUTH_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    AUTH_REVOCATION_SECRET: revocationSecret,
    AUTH_BCRYPT_COST: '4',
    AUTH_TRUSTED_PROXIES: '1',
    AUTH_DRAIN_SECONDS: drainSeconds,
    AUTH_DATABASE_WAIT_SECONDS: '60',
  };
  const metadataDirectory = metadata(group, probe.url);
  const gatewayEnvironment = {
    NODE_ENV: 'production',
    PORTICO_WORKERS: '2',
    HASURA_GRAPHQL_METADATA_DIR: metadataDirectory,
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
      jwk_url: `http://${wiring.authAddress}/.well-known/jwks.json`,
      issuer,
      audience: 'portico',
    }),
    PORTICO_REVOCATION_URL: `http://${wiring.authAddress}/revocations`,
    PORTICO_REVOCATION_SECRET: revocationSecret,
    PORTICO_TRUSTED_PROXIES: '1',
    PORTICO_DRAIN_SECONDS: drainSeconds,
    PORTICO_METADATA_WATCH: 'false',
    PORTICO_SCHEMA_DIR: join(data.path, 'schemas'),
    AUTH_SERVICE_URL: `http://${wiring.authAddress}`,
    ORDERS_URL: `http://${at(ordersPort)}`,
    ...(redis && { PORTICO_REDIS_URL: redis.url }),
  };
  const watched = (script: string) =>
    options.probeDirectory === undefined
      ? {}
      : {
          BENCH_PROBE_DIR: options.probeDirectory,
          BENCH_PROBE_SCRIPT: script,
          NODE_OPTIONS: `--import=${pathToFileURL(join(COMPILED_DIR, 'bench/probes/event-loop-delay.js')).href}`,
        };
  const server = (name: string, script: string, address: string, environment: Record<string, string>) =>
    createServerProcess(group, {
      name,
      script,
      address,
      environment: {
        ...environment,
        ...watched(script),
        ...options.environment?.(name, Number(ports.pop()), postgres.url),
      },
    });
  const portOf = (address: string) => new URL(`tcp://${address}`).port;
  const authService = (name: string, address: string) =>
    server(name, 'auth-service/main.js', address, { ...authEnvironment, AUTH_PORT: portOf(address) });
  const gateway = (name: string, address: string) =>
    server(name, 'gateway/main.js', address, { ...gatewayEnvironment, HASURA_GRAPHQL_SERVER_PORT: portOf(address) });

  const authServices = [authService('auth-service-1', auth1), authService('auth-service-2', auth2)] as const;
  const gateways = [gateway('gateway-1', gateway1), gateway('gateway-2', gateway2)] as const;
  const orders = server('orders', 'examples/orders/main.js', at(ordersPort), {
    ORDERS_PORT: String(ordersPort),
    ORDERS_DATA: join(data.path, 'orders.json'),
  });

  let balancer: Balancer | undefined;
  const cluster: Cluster = {
    gateways,
    authServices,
    orders,
    postgres,
    redis,
    probe,
    data,
    wiring,
    url: issuer,
    metadataDirectory,
    async balanceWith(name) {
      await balancer?.stop();
      balancer = await startBalancer(name, group, wiring);
      return balancer !== undefined;
    },
    balancer: () => balancer?.name ?? options.balancer,
    hasBalancer: isInstalled,
    scratchFile: (name) => join(group.directory(name), name),
    async operate(words, standardInput) {
      const command = group.start({
        name: 'portico-auth',
        command: [process.execPath, join(COMPILED_DIR, 'auth-service/cli/portico-auth.js'), ...words],
        directory: PACKAGE_DIR,
        environment: authEnvironment,
        ...(standardInput === undefined ? {} : { standardInput }),
      });
      await command.completed();
    },
  };
  group.afterwards(async () => balancer?.stop());
  await Promise.all([...authServices, orders].map((each) => each.start()));
  await addUsers(group, cluster);
  if (!(await cluster.balanceWith(options.balancer))) throw new Error(`${options.balancer} is not installed`);
  await Promise.all(gateways.map((each) => each.start()));
  await untilAnswered(`${cluster.url}/.well-known/jwks.json`);
  return cluster;
}

const READY_WITHIN_MS = 20_000;

/** Waits until balancers have noticed that what is behind them is ready. */
async function untilAnswered(url: string): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const status = await fetch(url).then(
      ({ status }) => status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > giveUpAt) throw new Error(`${url} answers ${status} behind the balancer`);
    await sleep(100);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** The metadata of the repository, with one more service, and a rate limit, which is never reached, for Redis to count. */
function metadata(group: ProcessGroup, probeUrl: string): string {
  const directory = join(group.directory('metadata'), 'metadata');
  cpSync(join(PACKAGE_DIR, 'metadata'), directory, { recursive: true });
  const file = join(directory, 'remote_schemas.yaml');
  const probe = `
- name: probe
  definition:
    url: ${probeUrl}
    timeout_seconds: ${PROBE_TIMEOUT_SECONDS}
`;
  writeFileSync(file, readFileSync(file, 'utf8') + probe);
  const limits = { disabled: false, rate_limit: { global: { max_reqs_per_min: 1_000_000 } } };
  writeFileSync(join(directory, 'api_limits.yaml'), JSON.stringify(limits));
  return directory;
}

async function addUsers(group: ProcessGroup, cluster: Cluster): Promise<void> {
  const passwordHash = await hash(PASSWORD, { cost: 4 });
  const add = async (tenant: number, count: number) => {
    await cluster.operate(['tenant', 'add', String(tenant), `tenant-${tenant}`]);
    const file = join(group.directory('users'), 'users.jsonl');
    const lines = userNames(count).map((username) => JSON.stringify({ username, password_hash: passwordHash }));
    writeFileSync(file, lines.join('\n'));
    await cluster.operate(['user', 'import', String(tenant)], file);
  };
  await Promise.all([add(TENANTS.readers, READERS), add(TENANTS.writers, WRITERS)]);
}

/** A certificate for 127.0.0.1; undefined where openssl is not installed. */
function selfSigned(group: ProcessGroup, address: string): BalancerAddresses['tls'] {
  const openssl = findProgram('openssl');
  if (openssl === undefined) return undefined;
  const directory = group.directory('certificate');
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  execFileSync(
    openssl,
    [...words.split(' '), '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    {
      stdio: 'ignore',
    },
  );
  return { address, certificate, key };
}
