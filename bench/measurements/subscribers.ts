import { type BroadcastRun, measureBroadcast, type Subscribers } from '../subscribers/index.ts';
import type { BenchDependencies } from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

/** A gateway accepts half as many connections as its limit of open files allows, which is 20,000 on many machines. */
const MANY = 9_800;
const SOME = 1_000;

/** Measures clients that subscribe to one subject, in comparison to a handwritten broadcast over `ws` and `node:http`. */
export async function measureSubscribers({ seconds }: ExtraPlan, dependencies: BenchDependencies): Promise<Section> {
  const lines: Section['lines'][number][] = [];
  for (const kind of kinds(Math.max(5, seconds))) {
    const run = await measureBroadcast(kind, dependencies);
    lines.push(lineOf(kind, run));
    dependencies.say(`subscribers  ${lines.at(-1)?.join('  ')}`);
  }
  return {
    title: 'Subscribers of one subject',
    head: [
      '',
      'events a second',
      'connected after s',
      'µs to connect',
      'upstream',
      'kB a client',
      'idle % of a core',
      'µs a delivery',
      'delivered',
      'p50 ms',
      'p99 ms',
      'joins an event',
    ],
    lines,
    note: 'One process on one core; the service and the clients share another. Events of 200 bytes. The time of delivery is from the service to the client. A core cannot write a million events a second, so at a hundred events a second, with thousands of clients, the delay says how long the queue is.',
  };
}

function kinds(seconds: number): readonly Subscribers[] {
  const equal = (['graphql-transport-ws', 'server-sent events'] as const).flatMap((transport) =>
    [1, 100].flatMap((eventsPerSecond) =>
      (['portico', 'broadcast by hand'] as const).map((of) => ({
        of,
        transport,
        count: MANY,
        eventsPerSecond,
        seconds: eventsPerSecond === 1 ? seconds : 1,
      })),
    ),
  );
  const one = { of: 'portico', transport: 'graphql-transport-ws', count: SOME, eventsPerSecond: 1, seconds } as const;
  return [
    ...equal,
    { ...one, isJoined: true },
    { ...one, ownClaims: true },
    { ...one, ownClaims: true, isJoined: true },
  ];
}

function lineOf(kind: Subscribers, run: BroadcastRun): Section['lines'][number] {
  const what = [kind.of, kind.transport, `${kind.count} clients`];
  if (kind.ownClaims) what.push('claims of their own');
  if (kind.isJoined) what.push('a joined field');
  return [
    what.join(', '),
    kind.eventsPerSecond,
    run.connectSeconds,
    run.usPerConnection,
    run.upstream,
    run.kbPerClient,
    run.idlePercent,
    run.usPerDelivery,
    `${run.deliveries} of ${run.expected}`,
    run.p50Ms,
    run.p99Ms,
    run.notesPerEvent,
  ];
}
