import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Logger } from '../../../platform/index.ts';
import type { Client } from './clients.ts';
import type { HiveOperation } from './hive-operation.ts';
import { type Run, WaitingRuns } from './waiting-runs.ts';

/** Sends one request. Resolves with a complete response of any status, and rejects if there is none. */
export type SendReport = (request: {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  readonly timeoutMs: number;
}) => Promise<{ readonly status: number }>;

export interface HiveSettings {
  /** The usage endpoint including the target, such as `https://app.graphql-hive.com/usage/<target>`. */
  readonly endpoint: string;
  readonly token: string;
  /** The percentage of operations that are reported. */
  readonly samplePercent: number;
  readonly compress: boolean;
}

export interface HiveReporterOptions extends HiveSettings {
  readonly send: SendReport;
  readonly log: Logger;
  /** How long operations are collected for a report, in milliseconds. The default is ten seconds. */
  readonly intervalMs?: number;
  /** The delay before the first retry, in milliseconds. It doubles with each retry. The default is a second. */
  readonly retryMs?: number;
}

const REPORT_INTERVAL_MS = 10_000;
const RETRY_MS = 1_000;
const REPORT_TIMEOUT_MS = 10_000;
const TRIES = 4;
/** How long a stop waits for a registry that does not respond. */
const STOP_MS = 2_000;
/** The largest number that the format allows. */
const MAX_REPORTED_ERRORS = 65_535;

const compressed = promisify(gzip);

/**
 * Sends usage reports to Hive, or to another registry with the same API
 * (https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports). Requests never wait for it. Runs are collected, and
 * reports are sent one after another.
 */
export class HiveReporter {
  readonly #options: HiveReporterOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  readonly #waiting = new WaitingRuns();
  #dropped = 0;
  #isFailing = false;
  #sending: Promise<void> | undefined;

  constructor(options: HiveReporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#send(), options.intervalMs ?? REPORT_INTERVAL_MS).unref();
  }

  /** @param isPublic whether the caller had no session. */
  ran(operation: HiveOperation, client: Client, isPublic: boolean, errors: number, durationMs: number): void {
    if (this.#isLeftOut()) return;
    const execution = {
      ok: errors === 0,
      duration: Math.round(durationMs * 1e6),
      errorsTotal: Math.min(errors, MAX_REPORTED_ERRORS),
    };
    this.#add({ of: operation, client, isPublic, timestamp: Date.now(), execution });
  }

  subscribed(operation: HiveOperation, client: Client, isPublic: boolean): void {
    if (!this.#isLeftOut()) this.#add({ of: operation, client, isPublic, timestamp: Date.now(), execution: undefined });
  }

  /** Sends the collected runs without retries. Waits no longer than a stopping process may. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    const waited = new AbortController();
    const sent = async () => {
      await this.#sending;
      await this.#send();
    };
    await Promise.race([sent(), sleep(STOP_MS, undefined, { signal: waited.signal }).catch(() => {})]);
    waited.abort();
  }

  #isLeftOut(): boolean {
    const { samplePercent } = this.#options;
    return samplePercent < 100 && Math.random() * 100 >= samplePercent;
  }

  #add(run: Run): void {
    if (!this.#waiting.add(run)) this.#dropped += 1;
    else if (this.#waiting.fillsReport && !this.#sending) setImmediate(() => void this.#send());
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      const runs = this.#waiting.takeReport();
      const problem = await this.#report(JSON.stringify(reportOf(runs)));
      if (problem === undefined) this.#succeeded();
      else this.#failed(problem, runs.length);
      if (this.#stopping.signal.aborted && problem !== undefined) return;
    }
  }

  /** @returns the problem, or undefined if the report was accepted. */
  async #report(json: string): Promise<string | undefined> {
    const { endpoint, token, compress, send, retryMs = RETRY_MS } = this.#options;
    const bytes = compress ? await compressed(json) : undefined;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'x-usage-api-version': '2',
      'x-request-id': randomUUID(),
      ...(bytes && { 'content-encoding': 'gzip', 'content-length': String(bytes.length) }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const body = bytes ? Readable.from([bytes]) : json;
      const problem = await send({ url: endpoint, method: 'POST', headers, body, timeoutMs: REPORT_TIMEOUT_MS }).then(
        ({ status }) => (status >= 200 && status < 300 ? undefined : { reason: `status ${status}`, status }),
        (error: Error) => ({ reason: error.message, status: undefined }),
      );
      if (!problem) return undefined;
      const { reason, status } = problem;
      const mayPass = status === undefined || status === 429 || status >= 500;
      if (!mayPass || attempt >= TRIES || this.#stopping.signal.aborted) return reason;
      await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal: this.#stopping.signal, ref: false }).catch(
        () => {},
      );
    }
  }

  #failed(reason: string, lost: number): void {
    this.#dropped += lost;
    if (!this.#isFailing)
      this.#options.log.warn({ event: 'usage.report_failed', reason, lost: this.#dropped }, 'usage is not reported');
    this.#isFailing = true;
  }

  #succeeded(): void {
    if (this.#isFailing) {
      this.#options.log.info({ event: 'usage.report_recovered', lost: this.#dropped }, 'usage is reported again');
      this.#isFailing = false;
      this.#dropped = 0;
    } else if (this.#dropped > 0) this.#failed('more operations than can be sent', 0);
  }
}

function reportOf(runs: readonly Run[]) {
  const map: Record<string, Omit<HiveOperation, 'key'>> = {};
  const operations: object[] = [];
  const subscriptionOperations: object[] = [];
  for (const { of, client, timestamp, execution } of runs) {
    const { key, ...described } = of;
    map[key] ??= described;
    const { name, version } = client;
    const run = {
      operationMapKey: key,
      timestamp,
      ...(name !== undefined && { metadata: { client: { name, version: version ?? '' } } }),
    };
    if (execution) operations.push({ ...run, execution });
    else subscriptionOperations.push(run);
  }
  return {
    size: runs.length,
    map,
    ...(operations.length > 0 && { operations }),
    ...(subscriptionOperations.length > 0 && { subscriptionOperations }),
  };
}
