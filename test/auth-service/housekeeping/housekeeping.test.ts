import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../../auth-service/database/index.ts';
import { endedSessionSweeps, openHousekeeping, type Sweep } from '../../../auth-service/housekeeping/index.ts';
import { availableEngines } from '../../database/index.ts';
import { REVOCATION_SECRET, startTestService } from '../service.ts';
import { claimsOf, type SessionClient, sessionClient, type Tokens } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';

const PASSWORD = 'a password of alice that is long';
const DAY_MS = 86_400_000;
const START = Date.now();

type Counts = Readonly<Record<string, number>>;

describe.each(await availableEngines())('housekeeping, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let clock = START;
  let aliceId: string;

  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_HOUSEKEEPING_MINUTES: '0' }, { now: () => new Date(clock) });
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    aliceId = await world.addUser(1, 'alice', PASSWORD);
  });
  beforeEach(async () => {
    clock = START;
    await world.database.session.deleteMany();
    await world.database.revocation.deleteMany();
  });
  afterAll(() => world.close());

  const login = () => client.login('alice', PASSWORD, 1);

  async function refreshed(token: string): Promise<Tokens> {
    const { result } = await client.refresh(token);
    if (!result.data) throw new Error(`refused: ${result.error_message}`);
    return result.data;
  }

  /** One round. @returns what it removed. */
  async function tidy(batchRows = 500, database = world.doors): Promise<Counts> {
    const removed: Counts[] = [];
    await openHousekeeping({
      sweeps: endedSessionSweeps(database, 30),
      policy: { intervalMinutes: 10, batchRows },
      now: () => new Date(clock),
      isClockWrong: async () => false,
      random: () => 0.5,
      every: () => () => {},
      onRemoved: (counts) => removed.push(counts),
      onFailed: (_name, error) => {
        throw error;
      },
    }).run();
    return removed[0] ?? {};
  }

  async function rows() {
    const { session, refreshToken, revocation } = world.database;
    return {
      sessions: await session.count(),
      tokens: await refreshToken.count(),
      revocations: await revocation.count(),
    };
  }

  /** A session that goes on, with refresh tokens that ended long ago. @returns their hashes. */
  async function addExpiredTokens(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
    const [id, at, end] = [randomUUID(), new Date(START), new Date(START + 90 * DAY_MS)];
    await world.database.session.create({
      data: { tenantId: 1, id, userId: aliceId, createdAt: at, lastUsedAt: at, expiresAt: end },
    });
    const hashes = Array.from({ length: count }, () => new Uint8Array(randomBytes(32)));
    await world.database.refreshToken.createMany({
      data: hashes.map((hash) => ({
        tenantId: 1,
        sessionId: id,
        hash,
        createdAt: at,
        expiresAt: new Date(START - 30 * DAY_MS),
      })),
    });
    return hashes;
  }

  test('nothing is removed of a session that goes on, and a copy of its first token still ends it', async () => {
    const first = await login();
    clock += 20 * DAY_MS;
    const third = await refreshed((await refreshed(first.refresh_token)).refresh_token);
    clock += 9 * DAY_MS;

    expect(await tidy()).toEqual({});
    expect(await rows()).toMatchObject({ sessions: 1, tokens: 2 });
    expect((await client.refresh(first.refresh_token)).result.success).toBe(false);
    expect(world.service.logs()).toContain('"event":"refresh.reuse_detected"');
    expect((await client.refresh(third.refresh_token)).result.success).toBe(false);
  });

  test('refresh tokens go a day after they expired, the session that goes on with others stays', async () => {
    const first = await login();
    clock += 25 * DAY_MS;
    const second = await refreshed(first.refresh_token);
    clock = START + 31 * DAY_MS - 1;
    expect(await tidy()).toEqual({});
    clock = START + 31 * DAY_MS + 1;

    expect(await tidy()).toEqual({ refresh_tokens: 1 });
    expect(await rows()).toMatchObject({ sessions: 1, tokens: 1 });
    await refreshed(second.refresh_token);
  });

  test('a session that was ended stays for a month, and then goes with its tokens', async () => {
    const kept = await login();
    const ended = await login();
    await refreshed(ended.refresh_token);
    await client.logout(undefined, ended.access_token);
    clock += 15 * DAY_MS;
    const later = await refreshed(kept.refresh_token);
    clock = START + 30 * DAY_MS - 1;
    expect(await tidy()).toEqual({ revocations: 1 });
    clock = START + 30 * DAY_MS + 1_000;

    expect(await tidy()).toEqual({ refresh_tokens_of_ended_sessions: 2, sessions: 1 });
    const left = await world.database.session.findMany();
    expect(left.map(({ id }) => id)).toEqual([claimsOf(later.access_token).sid]);
  });

  test('a session that was not ended is deleted a month after its absolute end', async () => {
    await login();
    clock += 119 * DAY_MS;
    expect(await tidy()).toEqual({ refresh_tokens: 1 });
    clock += 2 * DAY_MS;

    expect(await tidy()).toEqual({ sessions: 1 });
    expect(await rows()).toEqual({ sessions: 0, tokens: 0, revocations: 0 });
  });

  test('a revocation stays until the last token that it is about has ended everywhere', async () => {
    const { access_token } = await login();
    await client.logout(undefined, access_token);
    const headers = { authorization: `Bearer ${REVOCATION_SECRET}` };
    const feed = async () =>
      (await (await fetch(`${world.service.url}/revocations`, { headers })).json()) as { revocations: unknown[] };
    await tidy();
    expect((await feed()).revocations).toHaveLength(1);
    clock += 2 * DAY_MS;

    expect((await feed()).revocations).toHaveLength(0);
    expect(await tidy()).toEqual({ revocations: 1 });
  });

  test('much is removed in small batches', async () => {
    await addExpiredTokens(25);
    const sizes: number[] = [];
    const [sweep] = endedSessionSweeps(world.doors, 30);
    for (let count = 10; count === 10; sizes.push(count)) count = (await sweep?.sweep(new Date(clock), 10)) ?? 0;

    expect(sizes).toEqual([10, 10, 5]);
    expect(await rows()).toMatchObject({ sessions: 1, tokens: 0 });
  });

  test('replicas that tidy up at once do not get into each other’s way', async () => {
    await addExpiredTokens(60);
    const replicas = [1, 2, 3].map(() => openDatabase(world.databaseUrl, { poolSize: 1 }));
    try {
      const removed = await Promise.all(replicas.map((replica) => tidy(7, replica)));
      // Who finds a batch half taken leaves the rest to the next round.
      removed.push(await tidy());

      expect(removed.reduce((sum, { refresh_tokens = 0 }) => sum + refresh_tokens, 0)).toBe(60);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  if (engine === 'postgres')
    test('locked rows are skipped until the next round', async () => {
      const [hash] = await addExpiredTokens(5);
      const other = new pg.Client({ connectionString: world.databaseUrl });
      await other.connect();
      try {
        await other.query('BEGIN');
        await other.query('SELECT 1 FROM refresh_tokens WHERE hash = $1 FOR UPDATE', [Buffer.from(hash ?? [])]);

        expect(await tidy()).toEqual({ refresh_tokens: 4 });
        await other.query('ROLLBACK');
        expect(await tidy()).toEqual({ refresh_tokens: 1 });
      } finally {
        await other.end();
      }
    });

  test('the service tidies up by itself, from time to time, and logs what it removed', async () => {
    await addExpiredTokens(3);
    const rounds: { milliseconds: number; action: () => Promise<void> }[] = [];
    const every = (milliseconds: number, action: () => Promise<void>) => {
      rounds.push({ milliseconds, action });
      return () => {};
    };
    const settings = { AUTH_HOUSEKEEPING_MINUTES: '60', AUTH_HOUSEKEEPING_BATCH_ROWS: '2' };
    const service = await startTestService(world.databaseUrl, settings, { every, now: () => new Date(clock) });
    try {
      const round = rounds.find(({ milliseconds }) => milliseconds >= 54 * 60_000 && milliseconds <= 66 * 60_000);
      await round?.action();

      expect(service.logs()).toMatch(/"removed":\{[^}]*"refresh_tokens":3[,}].*"event":"housekeeping.completed"/);
      expect(await rows()).toMatchObject({ tokens: 0 });
    } finally {
      await service.stop();
    }
  });
});

describe('a round', () => {
  const heard: { removed: Counts[]; failed: string[] } = { removed: [], failed: [] };
  const open = (sweeps: readonly Sweep[], isClockWrong = async () => false) =>
    openHousekeeping({
      sweeps,
      policy: { intervalMinutes: 10, batchRows: 10 },
      now: () => new Date(START),
      isClockWrong,
      random: () => 0,
      every: () => () => {},
      onRemoved: (counts) => heard.removed.push(counts),
      onFailed: (name) => heard.failed.push(name),
    });
  beforeEach(() => {
    heard.removed = [];
    heard.failed = [];
  });

  test('goes on behind a sweep that went wrong', async () => {
    const broken = { name: 'broken', sweep: () => Promise.reject(new Error('no')) };
    await open([broken, { name: 'whole', sweep: async () => 3 }]).run();

    expect(heard).toEqual({ removed: [{ whole: 3 }], failed: ['broken'] });
  });

  test('removes nothing while the clock is wrong', async () => {
    let sweeps = 0;
    const sweep = async () => {
      sweeps += 1;
      return 3;
    };
    await open([{ name: 'whole', sweep }], async () => true).run();

    expect([sweeps, heard]).toEqual([0, { removed: [], failed: [] }]);
  });

  test('says nothing when there was nothing', async () => {
    await open([{ name: 'whole', sweep: async () => 0 }]).run();

    expect(heard).toEqual({ removed: [], failed: [] });
  });

  test('that is under way when the service stops ends with its batch', async () => {
    let batches = 0;
    let finish: (count: number) => void = () => {};
    const endless: Sweep = {
      name: 'endless',
      sweep: () => {
        batches += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    };
    const housekeeping = open([endless, { name: 'behind it', sweep: async () => 1 }]);
    const round = housekeeping.run();
    await until('the first batch', () => batches === 1);
    let stopped = false;
    const stopping = housekeeping.stop().then(() => {
      stopped = true;
    });
    expect(stopped).toBe(false);
    finish(10);
    await Promise.all([round, stopping]);

    expect(batches).toBe(1);
    expect(heard.removed).toEqual([{ endless: 10 }]);
  });
});
