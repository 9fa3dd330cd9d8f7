import pg from 'pg';
import { Durations, destroyConnection, POOL_CONNECTIONS } from '../../platform/index.ts';

export interface GuardedPoolOptions {
  /** The most connections. */
  size: number;
  /** The default timeout of a statement in milliseconds. */
  statementTimeoutMs: number;
  /** Returns the timeout of the current statement in milliseconds, or undefined for the default. */
  timeoutMsOf?: (() => number | undefined) | undefined;
}

/**
 * The server cancels a statement that takes too long. If the server does not even respond to that within this time, the
 * statement counts as unanswered.
 */
const ANSWER_ALLOWANCE_MS = 1_000;
/** How long used connections may delay the end. */
const END_TIMEOUT_MS = 3_000;

/** Bounds of the buckets of waits for a connection, in milliseconds. An idle connection needs no wait. */
const POOL_WAIT_BOUNDS_MS = [0.5, 1, 5, 10, 50, 100, 500, 1_000, 5_000] as const;

/** The current connections of a pool, and how long callers waited for one. */
export interface PoolUsage {
  readonly max: number;
  readonly idle: number;
  readonly used: number;
  /** The number of waiting callers. */
  readonly pending: number;
  /** The number of callers whose wait for a connection timed out. */
  readonly timeouts: number;
  readonly waits: Durations;
}

/** Messages of the pool and the driver for a connection timeout, which has no code. */
const TIMED_OUT = /^timeout exceeded when trying to connect|due to connection timeout$/;

export type ConnectCallback = Parameters<pg.Pool['connect']>[0];
type Query = (...query: unknown[]) => unknown;
type Callback = (error: unknown, result: unknown) => void;

/**
 * A pool whose connections have a deadline for each statement.
 *
 * A connection may die silently: a firewall forgets it, the server is frozen, a cable is unplugged. A statement on it would
 * wait indefinitely. The pool counts the connection as used, so ten of them would disable a process permanently. Therefore a
 * connection that misses a deadline is destroyed, together with the idle ones that have not responded since the statement was
 * sent. Those lead to the same server, and each would cost another caller the same time.
 */
export class GuardedPool extends pg.Pool {
  readonly #options: GuardedPoolOptions;
  #answeredAt = performance.now();
  #timeouts = 0;
  readonly #waits = new Durations(POOL_WAIT_BOUNDS_MS);
  readonly #connections = new Map<pg.ClientBase, { inUse: boolean; answeredAt: number }>();

  constructor(connectionString: string, options: GuardedPoolOptions) {
    super({
      ...POOL_CONNECTIONS,
      connectionString,
      max: options.size,
    });
    this.#options = options;
    this.on('connect', (connection) => {
      this.#connections.set(connection, { inUse: true, answeredAt: performance.now() });
      this.#guardQueries(connection);
      // Without a listener, the loss of a used connection would end the process. The running statement is rejected.
      connection.on('error', () => {});
    });
    this.on('acquire', (connection) => this.#mark(connection, { inUse: true }));
    this.on('release', (_error, connection) => this.#mark(connection, { inUse: false }));
    this.on('remove', (connection) => this.#connections.delete(connection));
  }

  /** Returns the current usage. */
  usage(): PoolUsage {
    return {
      max: this.#options.size,
      idle: this.idleCount,
      used: this.totalCount - this.idleCount,
      pending: this.waitingCount,
      timeouts: this.#timeouts,
      waits: this.#waits,
    };
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const since = performance.now();
    if (callback) {
      super.connect((error, connection, release) => {
        this.#countWait(since, error);
        callback(error, connection, release);
      });
      return;
    }
    const connecting = super.connect();
    connecting.then(
      () => this.#countWait(since),
      (error: Error) => this.#countWait(since, error),
    );
    return connecting;
  }

  #countWait(since: number, error?: Error): void {
    this.#waits.add(performance.now() - since);
    if (error && TIMED_OUT.test(error.message)) this.#timeouts += 1;
  }

  /** Destroys `connection` unless `answer` settles in time. */
  watch(connection: pg.ClientBase, answer: Promise<unknown>, deadlineMs = this.#deadlineMs()): void {
    const sentAt = performance.now();
    const timer = setTimeout(() => this.#destroyUnanswered(connection, sentAt), deadlineMs);
    const settled = (hasAnswered: boolean) => {
      clearTimeout(timer);
      if (!hasAnswered) return;
      this.#answeredAt = performance.now();
      this.#mark(connection, { answeredAt: this.#answeredAt });
    };
    // An error from the server is a response too.
    answer.then(
      () => settled(true),
      (error: object) => settled('severity' in error),
    );
  }

  /** Returns how long no statement has been answered over any connection, in milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#answeredAt;
  }

  /**
   * @returns whether the server accepts writes. A standby does not, nor does a server that was set to read-only.
   * @throws Error if the server does not respond within `deadlineMs`.
   */
  async ping(deadlineMs: number): Promise<'writable' | 'read-only'> {
    const connection = await this.connect();
    try {
      const answer = connection.query("SELECT current_setting('transaction_read_only') = 'on' AS \"isReadOnly\"");
      this.watch(connection, answer, deadlineMs);
      const { rows } = await answer;
      connection.release();
      return rows[0]?.isReadOnly === true ? 'read-only' : 'writable';
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  /** Waits a moment for used connections, then destroys them. */
  override async end(): Promise<void> {
    const timer = setTimeout(() => {
      for (const connection of this.#connections.keys()) destroyConnection(connection);
    }, END_TIMEOUT_MS);
    try {
      await super.end();
    } finally {
      clearTimeout(timer);
    }
  }

  #deadlineMs(): number {
    return (this.#options.timeoutMsOf?.() ?? this.#options.statementTimeoutMs) + ANSWER_ALLOWANCE_MS;
  }

  #destroyUnanswered(connection: pg.ClientBase, sentAt: number): void {
    destroyConnection(connection);
    for (const [other, { inUse, answeredAt }] of this.#connections)
      if (!inUse && answeredAt < sentAt) destroyConnection(other);
  }

  #mark(connection: pg.ClientBase, change: { inUse?: boolean; answeredAt?: number }): void {
    const state = this.#connections.get(connection);
    if (state) Object.assign(state, change);
  }

  /** The pool queries a connection with a callback, Prisma's transactions with promises. */
  #guardQueries(connection: pg.ClientBase): void {
    const send = connection.query.bind(connection) as Query;
    const query: Query = (...parameters) => {
      const callback = parameters.at(-1);
      if (typeof callback === 'function') {
        const { promise, settle } = settleable();
        this.watch(connection, promise);
        const withCallback: Callback = (error, result) => {
          settle(error);
          (callback as Callback)(error, result);
        };
        return send(...parameters.slice(0, -1), withCallback);
      }
      const sent = send(...parameters);
      if (sent instanceof Promise) this.watch(connection, sent);
      return sent;
    };
    Object.assign(connection, { query });
  }
}

function settleable(): { promise: Promise<void>; settle(error: unknown): void } {
  let settle: (error: unknown) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  return { promise, settle };
}
