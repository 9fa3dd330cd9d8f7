import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactCpuNs, freePort, type GroupProcess, processUsage, until } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import { type BenchDependencies, makeCaller, startPortico } from '../targets/index.ts';
import type { SwarmPlan, SwarmStats } from './swarm-main.ts';

/** The subscribers of a measurement. */
export interface Subscribers {
  readonly of: 'portico' | 'broadcast by hand';
  readonly transport: SwarmPlan['transport'];
  readonly count: number;
  /** Whether each subscriber has its own claims, so that nothing is shared. */
  readonly ownClaims?: boolean;
  /** Whether a field of another subgraph is added to each event. */
  readonly isJoined?: boolean;
  readonly eventsPerSecond: number;
  readonly seconds: number;
}

export interface BroadcastRun {
  readonly connectSeconds: number;
  /** Processor time of the gateway for a client that connects and subscribes, in microseconds. */
  readonly usPerConnection: number;
  /** The number of subscriptions at the service. */
  readonly upstream: number;
  readonly kbPerClient: number;
  /** The percentage of a core without events, for pings and their responses. */
  readonly idlePercent: number;
  /** Processor time of the gateway for one event of one client, in microseconds, without the idle share. */
  readonly usPerDelivery: number;
  readonly deliveries: number;
  readonly expected: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number of requests for joined fields for each event. */
  readonly notesPerEvent: number;
}

/** The time in which pending events are delivered after the last event. */
const SETTLE_MS = 2_000;
/** Long enough for several rounds of pings. */
const IDLE_MS = 10_000;

const SDL = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key"])
type Query { ticks: Int }
type Subscription { tick: Tick }
type Tick @key(fields: "id") { id: ID! at: Float text: String }
`;
const NOTES_SDL = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key"])
type Query { notes: Int }
type Tick @key(fields: "id") { id: ID! note: String }
`;
const METADATA = (ticker: string) => {
  const subscriptions = { share: 'events' };
  const subgraph = (name: string, path: string) => ({
    name,
    definition: { url: `${ticker}${path}`, composition: 'federation', schema_file: `${name}.graphql`, subscriptions },
  });
  return {
    'remote_schemas.yaml': [subgraph('ticker', '/'), subgraph('notes', '/notes')],
    'ticker.graphql': SDL,
    'notes.graphql': NOTES_SDL,
  };
};

/** Subscribes clients to one subject, sends events, and measures the cost. */
export async function measureBroadcast(
  subscribers: Subscribers,
  dependencies: BenchDependencies,
): Promise<BroadcastRun> {
  const { group, cores } = dependencies;
  const run = async (name: string, file: string, ...given: string[]) => {
    const port = await freePort();
    const member = group.start({
      name,
      command: [process.execPath, join(PACKAGE_DIR, 'dist/bench/subscribers', file), String(port), ...given],
      core: name === 'broadcast' ? cores.gateway : cores.load,
    });
    return { member, url: `http://127.0.0.1:${port}`, port };
  };
  const ticker = await run('ticker', 'ticker-main.js');
  const tickerStats = () => read<{ open: number; notes: number; sent: number }>(`${ticker.url}/stats`);
  await until('the ticker', ticker.member, tickerStats);
  const caller = makeCaller();
  const target = await startTarget();
  const before = await residentKb(target.member);
  const planFile = join(group.directory('swarm'), 'plan.json');
  const tokens = Array.from({ length: subscribers.count }, (_, user) =>
    subscribers.ownClaims ? caller.tokenOf(String(user)) : caller.token,
  );
  const fields = subscribers.isJoined ? 'id at text note' : 'id at text';
  const plan: SwarmPlan = {
    port: target.port,
    transport: subscribers.transport,
    query: `subscription { tick { ${fields} } }`,
    tokens,
  };
  writeFileSync(planFile, JSON.stringify(plan));
  const cpuBeforeSwarm = exactCpuNs(target.member.pid);
  const swarm = await run('swarm', 'swarm-main.js', planFile);
  const received = () => read<SwarmStats>(swarm.url);
  const connected = await until('all clients', swarm.member, async () => {
    const stats = await received();
    return stats.subscribed + stats.closed >= subscribers.count ? stats : undefined;
  });
  const connectNs = exactCpuNs(target.member.pid) - cpuBeforeSwarm;
  if (connected.closed > 0) throw new Error(`${connected.closed} clients were closed`);
  const upstream = subscribers.ownClaims ? subscribers.count : 1;
  await until('the subscriptions at the service', ticker.member, async () =>
    (await tickerStats()).open >= upstream ? true : undefined,
  );
  await sleep(SETTLE_MS);
  const resident = (await residentKb(target.member)) - before;

  const { eventsPerSecond, seconds, count } = subscribers;
  const events = eventsPerSecond * seconds;
  await ticks(1);
  await sleep(SETTLE_MS);
  const idleBefore = exactCpuNs(target.member.pid);
  await sleep(IDLE_MS);
  const idleNs = (exactCpuNs(target.member.pid) - idleBefore) / IDLE_MS;
  await received();
  const from = await tickerStats();
  const cpuBefore = exactCpuNs(target.member.pid);
  await ticks(events);
  await sleep(seconds * 1_000 + SETTLE_MS);
  const cpuNs = exactCpuNs(target.member.pid) - cpuBefore - idleNs * (seconds * 1_000 + SETTLE_MS);
  const stats = await received();
  const { open, notes } = await tickerStats();
  for (const { member } of [swarm, target, ticker]) await member.stop();
  return {
    connectSeconds: connected.connectMs / 1_000,
    usPerConnection: connectNs / 1_000 / count,
    upstream: open,
    kbPerClient: resident / count,
    idlePercent: idleNs / 1e4,
    usPerDelivery: cpuNs / 1_000 / Math.max(1, stats.events),
    deliveries: stats.events,
    expected: events * count,
    p50Ms: stats.p50Ms,
    p99Ms: stats.p99Ms,
    notesPerEvent: (notes - from.notes) / events,
  };

  async function ticks(howMany: number): Promise<void> {
    await read(`${ticker.url}/start?perSecond=${eventsPerSecond}&count=${howMany}`);
  }

  async function startTarget(): Promise<{ readonly member: GroupProcess; readonly port: number }> {
    if (subscribers.of === 'broadcast by hand') {
      const target = await run('broadcast', 'broadcast-main.js', ticker.url.replace('http', 'ws'));
      await until('the broadcast', target.member, () => fetch(target.url));
      return target;
    }
    const { member, address } = await startPortico(dependencies, METADATA(ticker.url), {
      caller,
      environment: {
        PORTICO_MAX_CONNECTIONS_PER_ADDRESS: '0',
        PORTICO_MAX_LIVE_CONNECTIONS: '20000',
        HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '60',
      },
    });
    await until('portico', member, async () => ((await fetch(`${address.origin}/readyz`)).ok ? true : undefined));
    return { member, port: Number(new URL(address.origin).port) };
  }
}

async function read<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

async function residentKb({ pid }: GroupProcess): Promise<number> {
  return (processUsage(pid)?.residentMb ?? 0) * 1024;
}
