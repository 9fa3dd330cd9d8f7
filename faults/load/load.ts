import { Pool } from 'undici';
import { READERS, userNames, WRITERS } from '../cluster/index.ts';
import type { LoadAttempt } from './attempt.ts';
import { ReaderSession, SessionCaller, WriterSession } from './sessions.ts';
import { openStreams, type Streams } from './streams.ts';

export interface FaultLoadOptions {
  /** Requests a second, all kinds together. */
  readonly rate: number;
  /** WebSockets; there are as many event streams. */
  readonly streams: number;
}

/** Requests of all kinds at a steady rate, however long answers take. */
export interface Load {
  readonly attempts: readonly LoadAttempt[];
  readonly streams: Streams;
  /** Names of the orders that were accepted and are not there, and writers who cannot log in any more. */
  lostWrites(): Promise<readonly string[]>;
  /** Forgets the attempts so far. */
  forget(): void;
  /** When the oldest request under way was sent; infinite when there is none. */
  oldestUnderWay(): number;
  stop(): Promise<void>;
}

const LOAD_CONNECTIONS = 64;
const MAX_UNDER_WAY = 3_000;

/** What is sent, in this order, again and again: each share is the number of times that it stands here of a hundred. */
const TRAFFIC_SHARES = {
  order: 36,
  orders: 15,
  probe: 15,
  me: 12,
  refresh: 14,
  placeOrder: 5,
  login: 2,
  password: 1,
} as const;
type Action = keyof typeof TRAFFIC_SHARES;

export async function startLoad(url: string, { rate, streams: each }: FaultLoadOptions): Promise<Load> {
  let attempts: LoadAttempt[] = [];
  const underWay = new Map<number, number>();
  let orders = 0;
  const accepted: string[] = [];
  const pool = new Pool(url, { connections: LOAD_CONNECTIONS, keepAliveTimeout: 20_000 });
  const caller = new SessionCaller(pool, (attempt) => attempts.push(attempt));
  const readers = userNames(READERS).map((name) => new ReaderSession(caller, name));
  const writers = userNames(WRITERS).map((name) => new WriterSession(caller, name));
  await Promise.all([...readers, ...writers].map((each) => each.logIn()));
  const missing = readers.filter(({ accessToken }) => accessToken === undefined).length;
  if (missing > 0) throw new Error(`${missing} users of the suite cannot log in`);

  const turns = new Map<unknown, number>();
  const nextOf = <One>(all: readonly One[]): One => {
    const turn = turns.get(all) ?? 0;
    turns.set(all, turn + 1);
    return all[turn % all.length] as One;
  };
  const read = (kind: 'order' | 'probe', query: string) =>
    caller.call(kind, {
      method: 'POST',
      path: '/v1/graphql',
      token: nextOf(readers).accessToken,
      body: { query },
      isRepeatable: true,
      pick: (body: { data?: unknown; errors?: unknown }) => (body.errors === undefined ? body.data : undefined),
    });
  const get = (kind: 'orders' | 'me', path: string) =>
    caller.call(kind, {
      method: 'GET',
      path,
      token: nextOf(readers).accessToken,
      isRepeatable: true,
      pick: (body: object) => body,
    });
  const actions: Record<Action, () => Promise<unknown>> = {
    order: () => read('order', '{ order(id: "none") { id } orders { id status } }'),
    orders: () => get('orders', '/api/rest/orders'),
    probe: () => read('probe', '{ probe }'),
    me: () => get('me', '/api/rest/auth_user_me'),
    refresh: () => nextOf(readers).refresh(),
    login: () => nextOf(readers).logIn(),
    password: () => nextOf(writers).changePassword(),
    async placeOrder() {
      orders += 1;
      const item = await nextOf(writers).placeOrder(`item ${orders}`);
      if (item !== undefined) accepted.push(item);
    },
  };
  const sequence = interleaved();

  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * rate;
    for (; sent < due; sent++) {
      const action = sequence[sent % sequence.length];
      if (!action || underWay.size >= MAX_UNDER_WAY) continue;
      const id = sent;
      underWay.set(id, performance.now());
      void actions[action]().finally(() => underWay.delete(id));
    }
  }, 10);
  const streams = openStreams(url, each, () => readers[0]?.accessToken);

  return {
    get attempts() {
      return attempts;
    },
    streams,
    async lostWrites() {
      const known = accepted.slice();
      const lost: string[] = [];
      const lists = await Promise.all(writers.map((writer) => writer.orders()));
      lists.forEach((list, index) => {
        if (list === undefined) lost.push(`user-${index} cannot log in with the password that was accepted`);
      });
      const there = new Set(lists.find((list) => list !== undefined));
      return [...lost, ...known.filter((item) => !there.has(item)).map((item) => `the order of ${item} is gone`)];
    },
    forget() {
      attempts = [];
    },
    oldestUnderWay: () => Math.min(...underWay.values()),
    async stop() {
      clearInterval(timer);
      streams.stop();
      await pool.destroy();
    },
  };
}

/** Each action as often as its share says, spread evenly. */
function interleaved(): readonly Action[] {
  const names = Object.keys(TRAFFIC_SHARES) as Action[];
  return names
    .flatMap((name) =>
      Array.from({ length: TRAFFIC_SHARES[name] }, (_, index) => ({ name, at: (index + 0.5) / TRAFFIC_SHARES[name] })),
    )
    .sort((left, right) => left.at - right.at)
    .map(({ name }) => name);
}
