import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { destroyConnection, POOL_CONNECTIONS } from '../../../platform/index.ts';
import { type JobsDatabase, withDeadline } from './database/index.ts';

const CHANNELS = ['portico_jobs', 'portico_jobs_settled'] as const;
/** How long a statement on this connection may take, in milliseconds. */
const ANSWER_MS = 5_000;
const RECONNECT_MS = 2_000;
/** How long a test notification may take to arrive, in milliseconds. */
const TEST_MS = 1_000;
const TEST_PAYLOAD = 'test ';
/** A connection that only listens does not detect that it is broken, so it is tested at this interval. */
const CHECK_MS = 30_000;

export interface NotificationListeners {
  /** Called when there may be jobs to run or a running job was cancelled, and when notifications may have been missed. */
  onJobs(): void;
  /** Called when a watched job is finished, and with undefined when notifications may have been missed. */
  onSettled(id: string | undefined): void;
}

/**
 * Listens to the notifications of other processes (`NOTIFY`) on its own connection, which is reopened when it is lost.
 * Subscribers poll meanwhile, and are called when the connection is back.
 */
export class Notifications {
  readonly #database: JobsDatabase;
  readonly #listeners: NotificationListeners;
  readonly #test = TEST_PAYLOAD + randomUUID();
  #arrive: (() => void) | undefined;
  #areArriving = false;
  #client: pg.Client | undefined;
  #connecting: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: JobsDatabase, listeners: NotificationListeners) {
    this.#database = database;
    this.#listeners = listeners;
    void this.#connect();
  }

  /**
   * Whether notifications of other connections arrive. They do not through a pooler that shares connections between clients, or
   * from the embedded database, which has only one session.
   */
  get areArriving(): boolean {
    return this.#areArriving;
  }

  async #connect(): Promise<void> {
    const client = this.#newClient();
    if (!client) {
      this.#later(() => void this.#connect(), RECONNECT_MS);
      return;
    }
    this.#connecting = client;
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      if (this.#client === client) this.#client = undefined;
      this.#areArriving = false;
      client.end().catch(() => {});
      this.#later(() => void this.#connect(), RECONNECT_MS);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => {
      if (payload?.startsWith(TEST_PAYLOAD)) {
        if (payload === this.#test) this.#arrive?.();
      } else if (channel === 'portico_jobs') this.#listeners.onJobs();
      else this.#listeners.onSettled(payload);
    });
    try {
      await client.connect();
      for (const channel of CHANNELS) await withDeadline(client, client.query(`LISTEN ${channel}`), ANSWER_MS);
      this.#areArriving = await this.#testNotifications();
    } catch {
      // Subscribers poll meanwhile, and report an unavailable database.
      lost();
      return;
    } finally {
      this.#connecting = undefined;
    }
    if (this.#isClosed) {
      await client.end().catch(() => {});
      return;
    }
    this.#client = client;
    this.#listeners.onJobs();
    this.#listeners.onSettled(undefined);
    this.#check(client, lost);
  }

  /** Returns undefined if a file that the URL names, such as a certificate, cannot be read. It may be being replaced. */
  #newClient(): pg.Client | undefined {
    try {
      return new pg.Client({
        connectionString: this.#database.url,
        connectionTimeoutMillis: POOL_CONNECTIONS.connectionTimeoutMillis,
        keepAlive: true,
        application_name: 'portico-jobs-listen',
      });
    } catch {
      return undefined;
    }
  }

  async #testNotifications(): Promise<boolean> {
    const arrival = new Promise<boolean>((resolve) => {
      this.#arrive = () => resolve(true);
      setTimeout(() => resolve(false), TEST_MS).unref();
    });
    await this.#database.query("SELECT pg_notify('portico_jobs', $1)", [this.#test]);
    return arrival;
  }

  #check(client: pg.Client, lost: () => void): void {
    this.#later(() => {
      if (this.#client !== client) return;
      withDeadline(client, client.query('SELECT 1'), ANSWER_MS).then(() => this.#check(client, lost), lost);
    }, CHECK_MS);
  }

  #later(action: () => void, ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, ms);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // If the server does not respond, nothing else ends the connection attempt.
    if (this.#connecting) destroyConnection(this.#connecting);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }
}
