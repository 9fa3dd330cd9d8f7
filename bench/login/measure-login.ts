import { join } from 'node:path';
import { outputOf } from '../loads/index.ts';
import { COMPILED_DIR } from '../package-dir.ts';
import { median } from '../report/statistics.ts';
import type { BenchDependencies } from '../targets/index.ts';
import { type JsonClient, jsonClient, repeatFor, type Tally } from './callers.ts';
import { BCRYPT_COST, type Platform, startPlatform } from './platform.ts';

/** Concurrent logins: enough to keep the cores busy, and few enough that none is refused. */
const LOGIN_CALLERS = 12;
const REFRESH_CALLERS = 16;
const ROUNDS = 3;
/** A window contains few logins, and the last ones leave cores idle. */
const LOGIN_WINDOW = 2;
/** The delay between queries whose latency is measured, so that they do not take the cores from the logins. */
const QUERY_PAUSE_MS = 20;

interface LoginTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** The cost of logins compared to that of hashing alone, and their effect on other requests. */
export interface LoginFigures {
  readonly database: string;
  /** On all cores, with only native bcrypt. */
  readonly hashesPerSecond: number;
  readonly logins: Tally;
  readonly refreshes: Tally;
  readonly loopDelayP99Ms: number;
  /** Queries of one caller that are forwarded to another service: alone, and while logins use all cores. */
  readonly queriesAlone: Tally;
  readonly queriesDuringLogins: Tally;
}

export async function measureLoginFigures(seconds: number, dependencies: BenchDependencies): Promise<LoginFigures> {
  const platform = await startPlatform(dependencies);
  const client = jsonClient(platform.gatewayUrl);
  try {
    return await measureOn(platform, client, seconds, dependencies);
  } finally {
    await client.close();
    await platform.stop();
  }
}

async function measureOn(
  platform: Platform,
  client: JsonClient,
  seconds: number,
  dependencies: BenchDependencies,
): Promise<LoginFigures> {
  const { say } = dependencies;
  // Replaces the imported hashes, which takes a second hash at a user's first login.
  const tokens = await Promise.all(
    Array.from({ length: REFRESH_CALLERS }, (_, caller) => login(client, platform, caller)),
  );
  const first = tokens[0];
  if (!first) throw new Error(`the benchmark's users cannot log in`);
  const refreshAll = () =>
    repeatFor(REFRESH_CALLERS, seconds, async (caller) => {
      const renewed = await refresh(client, tokens[caller]);
      if (renewed) tokens[caller] = renewed;
      return renewed !== undefined;
    });
  // There are too few logins to warm up the service, but refreshes take the same path.
  await refreshAll();
  const refreshes = await refreshAll();
  say(`refresh  ${Math.round(refreshes.perSecond)}/s`);

  const query = async () => {
    const answer = (await client.post('/v1/graphql', { query: '{ orders { id } }' }, first.access_token)) as {
      data?: unknown;
    };
    return Boolean(answer.data);
  };
  await repeatFor(1, 1, query);
  const queriesAlone = await repeatFor(1, seconds, query, QUERY_PAUSE_MS);

  const window = LOGIN_WINDOW * seconds;
  const logInAll = () =>
    repeatFor(LOGIN_CALLERS, window, async (caller) => (await login(client, platform, caller)) !== undefined);
  const hashes: number[] = [];
  const logins: Tally[] = [];
  const queries: Tally[] = [];
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    hashes.push(await nativeHashesPerSecond(window, dependencies));
    await platform.authLoopDelay();
    logins.push(await logInAll());
    delays.push((await platform.authLoopDelay()).p99Ms);
    const [asked] = await Promise.all([repeatFor(1, window, query, QUERY_PAUSE_MS), logInAll()]);
    queries.push(asked);
    say(`login  ${logins.at(-1)?.perSecond.toFixed(1)}/s, native bcrypt ${hashes.at(-1)?.toFixed(1)}/s`);
  }
  return {
    database: platform.database,
    hashesPerSecond: median(hashes),
    logins: medianOf(logins),
    refreshes,
    loopDelayP99Ms: median(delays),
    queriesAlone,
    queriesDuringLogins: medianOf(queries),
  };
}

async function login(client: JsonClient, platform: Platform, caller: number): Promise<LoginTokens | undefined> {
  const answer = (await client.post('/api/rest/auth_user_login', platform.credentials(caller))) as {
    auth_user_login?: { data?: LoginTokens | null };
  };
  return answer.auth_user_login?.data ?? undefined;
}

async function refresh(client: JsonClient, tokens: LoginTokens | undefined): Promise<LoginTokens | undefined> {
  const body = { refresh_token: tokens?.refresh_token };
  const answer = (await client.post('/api/rest/auth_token_refresh', body)) as {
    auth_token_refresh?: { data?: LoginTokens | null };
  };
  return answer.auth_token_refresh?.data ?? undefined;
}

async function nativeHashesPerSecond(seconds: number, { group }: BenchDependencies): Promise<number> {
  const member = group.start({
    name: 'native-bcrypt',
    command: [process.execPath, join(COMPILED_DIR, 'bench/limits/native-bcrypt.js')],
    environment: { COST: String(BCRYPT_COST), SECONDS: String(seconds) },
    standardOutput: 'pipe',
  });
  return (JSON.parse(await outputOf(member)) as { perSecond: number }).perSecond;
}

function medianOf(tallies: readonly Tally[]): Tally {
  const pick = (figure: (tally: Tally) => number) => median(tallies.map(figure));
  return {
    perSecond: pick(({ perSecond }) => perSecond),
    p50Ms: pick(({ p50Ms }) => p50Ms),
    p99Ms: pick(({ p99Ms }) => p99Ms),
    failures: tallies.reduce((sum, { failures }) => sum + failures, 0),
  };
}
