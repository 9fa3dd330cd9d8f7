import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../platform/index.ts';
import { describeAddress, isDatabaseUrl } from './address.ts';
import { causesOf, isDatabaseUnavailable } from './is-unavailable.ts';

const STARTUP_CONNECT_TIMEOUT_MS = 10_000;
const CONNECT_RETRY_MS = 500;

/**
 * The reasons why a connection cannot be opened, by the error codes of Node.js and of PostgreSQL (appendix A of its manual).
 */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'the socket does not exist',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no response in time',
  ECONNRESET: 'the connection was cut',
  EACCES: 'this user may not use that socket',
  '28P01': 'wrong user or password',
  '28000': 'this user is not let in',
  '3D000': 'the database does not exist',
  '53300': 'it has no connection left',
  '57P03': 'it is starting up or shutting down',
};

/**
 * Reasons that may pass when the database comes up. A host name may be unknown, or its address unreachable, until its container
 * runs. Other services that start at the same time may use all connections.
 */
const MAY_PASS = new Set([
  ...['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'ETIMEDOUT'],
  ...['53300', '57P03'],
]);

export interface ConnectOptions {
  /** How long to wait for an unavailable database, in seconds. A wrong password fails immediately. */
  waitSeconds?: number;
  /** Ends the wait for the database when it is aborted. */
  signal?: AbortSignal | undefined;
  /** The variable with the URL, for messages. Defaults to DATABASE_URL. */
  variable?: string;
}

/**
 * Opens a single connection outside any pool. The caller closes it.
 *
 * @throws StartError with one line that names the variable and the reason and never contains the password.
 */
export async function connectToDatabase(
  url: string,
  { waitSeconds = 0, signal, variable = 'DATABASE_URL' }: ConnectOptions = {},
): Promise<pg.Client> {
  if (!isDatabaseUrl(url)) throw new StartError(`${variable}: expected a URL like postgresql://user@host:5432/name`);
  const deadline = Date.now() + waitSeconds * 1000;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: STARTUP_CONNECT_TIMEOUT_MS });
    // A connection that is lost later emits 'error' too, and without a listener that would end the process.
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!MAY_PASS.has(connectErrorCode(error)) || !(await pauseBefore(deadline, signal)))
        throw cannotUse(url, variable, error);
    }
  }
}

/**
 * Runs a step of a start that uses the database, and repeats it while the database is unavailable. A server that has just
 * accepted a connection may have none left for the next one, or close it.
 *
 * @throws StartError like `connectToDatabase` if the step cannot be completed in time. Other errors of the step are thrown
 * unchanged.
 */
export async function retryWhileUnavailable<Result>(
  url: string,
  { waitSeconds = 0, signal, variable = 'DATABASE_URL' }: ConnectOptions,
  step: () => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + waitSeconds * 1000;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (error instanceof StartError || !isDatabaseUnavailable(error)) throw error;
      if (!(await pauseBefore(deadline, signal))) throw cannotUse(url, variable, error);
    }
  }
}

/** Waits for a moment before the next attempt. @returns false immediately if there is no time for another attempt. */
async function pauseBefore(deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (Date.now() + CONNECT_RETRY_MS > deadline || signal?.aborted) return false;
  await sleep(CONNECT_RETRY_MS, undefined, signal && { signal }).catch(() => {});
  return true;
}

function cannotUse(url: string, variable: string, error: unknown): StartError {
  const address = describeAddress(new pg.Client({ connectionString: url }));
  return new StartError(`${variable}: cannot use ${address}: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  const code = connectErrorCode(error);
  const reason = REASONS[code];
  if (reason) return `${reason} (${code})`;
  // Prisma's first error has many lines. The last one is the driver's.
  const message = causesOf(error).findLast((cause) => cause.message !== '')?.message ?? String(error);
  return message.trim().split('\n')[0] ?? '';
}

/** Returns the first code with a known reason, or else the first code. Empty if there is none. */
function connectErrorCode(error: unknown): string {
  const causes = causesOf(error);
  if (causes.some(({ message }) => message === 'timeout expired')) return 'ETIMEDOUT';
  const codes = causes.flatMap((cause) => cause.codes).filter((code) => code !== '');
  return codes.find((code) => Object.hasOwn(REASONS, code)) ?? codes[0] ?? '';
}
