import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../../auth-service/database/index.ts';
import {
  beginRotation,
  createSealer,
  openRefreshTokens,
  refreshTokenKeySweep,
  resealKeys,
} from '../../../auth-service/tokens/index.ts';
import { availableEngines, type TestClient } from '../../database/index.ts';
import { OPERATOR } from '../operator.ts';
import { KEY_ENCRYPTION_KEY } from '../service.ts';
import { claimsOf, sessionClient } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld } from '../world.ts';
import { DAY, KEY_POLICY, type KeysDatabase, openKeysDatabase, START } from './keys-database.ts';

const POLICY = { reloadSeconds: 15 };
/** Twice 15 s until the last replica has read a new key, 60 s that clocks may differ. */
const UNTIL_ALL_HAVE_IT = 90;
const CLOCK_SKEW = 60;
const TOKEN = { tenantId: 1, sessionId: '01234567-89ab-4def-8123-456789abcdef', generation: 5 };

const engines = await availableEngines();

describe.each(engines)('the keys of refresh tokens, on %s', (engine) => {
  let opened: KeysDatabase;
  let database: Database;
  let client: TestClient;
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const sealer = createSealer(oldKey);
  let seconds = 0;
  const now = () => new Date(START + seconds * 1000);

  beforeAll(async () => {
    opened = await openKeysDatabase(engine);
    ({ database, client } = opened);
  });
  beforeEach(async () => {
    seconds = 0;
    await opened.clear();
  });
  afterAll(() => opened.close());

  async function replica(policy = POLICY) {
    let reload = async () => {};
    const every = (_: number, action: () => Promise<void>) => {
      reload = action;
      return () => {};
    };
    const onReloadFailed = (error: unknown) => {
      throw error;
    };
    const tokens = openRefreshTokens({ database, sealer, now, randomBytes, policy, every, onReloadFailed });
    await tokens.load();
    return { issue: () => tokens.issue(TOKEN), read: tokens.read, reload: () => reload() };
  }

  const rotate = () => beginRotation(database, sealer, KEY_POLICY, now(), OPERATOR);
  const ids = async () => {
    const rows = await database.withoutTenant(({ refreshTokenKey }) =>
      refreshTokenKey.findMany({ orderBy: { id: 'asc' } }),
    );
    return rows.map(({ id }) => id);
  };
  const known = expect.arrayContaining([expect.objectContaining({ generation: TOKEN.generation })]);

  test('a rotation makes a new one, which makes tokens once every replica can read them', async () => {
    const replicas = [await replica(), await replica()] as const;
    const old = replicas[0].issue();
    seconds = 100;
    const { refreshTokenKey } = await rotate();
    expect(refreshTokenKey).toEqual({
      id: 2,
      begun: true,
      issuesFrom: new Date(START + (100 + UNTIL_ALL_HAVE_IT) * 1000),
    });

    await replicas[0].reload();
    seconds += UNTIL_ALL_HAVE_IT - 1;
    expect(replicas[0].issue()).toBe(old);
    await replicas[1].reload();
    seconds += 1;
    const young = replicas[0].issue();
    expect(young).not.toBe(old);
    expect(replicas[1].issue()).toBe(young);
    for (const { read } of replicas) expect([read(old), read(young)]).toEqual([known, known]);
  });

  test('a second rotation meanwhile finds the one that is under way', async () => {
    await replica();
    seconds = 100;
    const rotations = await Promise.all([rotate(), rotate()]);
    expect(rotations.map(({ refreshTokenKey }) => refreshTokenKey.begun).sort()).toEqual([false, true]);
    expect(new Set(rotations.map(({ refreshTokenKey }) => refreshTokenKey.id))).toEqual(new Set([2]));
    seconds += UNTIL_ALL_HAVE_IT;
    expect((await rotate()).refreshTokenKey).toMatchObject({ id: 3, begun: true });
  });

  const tidy = (limit = 500) => refreshTokenKeySweep(database, sealer, POLICY).sweep(now(), limit);

  /** A session that begins now. */
  async function addSession(days: number) {
    const userId = randomUUID();
    await client.tenant.upsert({ where: { id: 1 }, create: { id: 1, name: 'acme' }, update: {} });
    await client.user.create({
      data: {
        tenantId: 1,
        id: userId,
        username: userId,
        passwordHash: 'none',
        allowedRoles: ['user'],
        defaultRole: 'user',
      },
    });
    const [createdAt, expiresAt] = [now(), new Date(now().getTime() + days * DAY * 1000)];
    await client.session.create({
      data: { tenantId: 1, id: randomUUID(), userId, createdAt, lastUsedAt: createdAt, expiresAt },
    });
  }

  test('an old one is kept while a session lives that began before its last token, and is then deleted', async () => {
    const one = await replica();
    const old = one.issue();
    await addSession(90);
    await rotate();
    // Sessions of today end sooner than those that began before the rotation.
    seconds = 89 * DAY;
    await addSession(7);
    expect(await tidy()).toBe(0);
    seconds = 90 * DAY + CLOCK_SKEW - 1;
    expect(await tidy()).toBe(0);
    await one.reload();
    expect(await ids()).toEqual([1, 2]);
    expect(one.read(old)).toEqual(known);

    seconds += 1;
    expect(await tidy()).toBe(1);
    await one.reload();
    expect(await ids()).toEqual([2]);
    expect(one.read(old)).not.toEqual(known);
    expect(one.read(one.issue())).toEqual(known);
    const audited = await client.auditEntry.findMany({ where: { event: 'key.remove' } });
    expect(audited.map(({ subjectId }) => subjectId)).toEqual(['refresh token key 1']);
  });

  test('an old one is kept, without any session, until every replica has read its successor', async () => {
    await replica();
    await rotate();
    // The last replica may make a token with the old one until it has read the new one.
    seconds = 2 * UNTIL_ALL_HAVE_IT - 1;
    expect(await tidy()).toBe(0);
    await addSession(1);
    seconds += 1;
    expect(await tidy()).toBe(0);
    seconds += 2 * DAY;
    expect(await tidy()).toBe(1);
    expect(await ids()).toEqual([2]);
  });

  test('of several old ones no more are deleted at a time than the batch has room for', async () => {
    await replica();
    for (let rotations = 0; rotations < 2; rotations++) {
      await rotate();
      seconds += 2 * UNTIL_ALL_HAVE_IT;
    }
    expect([await tidy(1), await tidy(1), await tidy(1)]).toEqual([1, 1, 0]);
    expect(await ids()).toEqual([3]);
  });

  // PGlite has a single connection, so that transactions never overlap.
  (engine === 'postgres' ? test : test.skip)(
    'are encrypted again while the housekeeping deletes one of them',
    async () => {
      await replica();
      await rotate();
      seconds = 2 * UNTIL_ALL_HAVE_IT;
      const progress = new EventEmitter();
      const [deleted, mayCommit] = [once(progress, 'deleted'), once(progress, 'may commit')];
      const slow: Database = {
        ...database,
        acrossTenants: (reason, work) =>
          database.acrossTenants(reason, async (transaction) => {
            const result = await work(transaction);
            progress.emit('deleted');
            await mayCommit;
            return result;
          }),
      };
      const sweeping = refreshTokenKeySweep(slow, sealer, POLICY).sweep(now(), 500);
      await deleted;
      const resealing = resealKeys(database, createSealer(newKey, oldKey), now(), OPERATOR);
      await until('the other transaction waits', async () => {
        const waiting = await client.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
      progress.emit('may commit');
      expect(await sweeping).toBe(1);
      // The signing key, and the key of refresh tokens that is left.
      expect(await resealing).toEqual({ resealed: 2, unopened: [] });
    },
  );

  test('one that this process does not open is left for those that do', async () => {
    await replica();
    const wrong = createSealer(randomBytes(32));
    const options = { database, now, randomBytes, policy: POLICY, every: () => () => {} };
    await openRefreshTokens({ ...options, sealer: wrong }).load();
    seconds = 1000 * DAY;
    expect(await refreshTokenKeySweep(database, wrong, POLICY).sweep(now(), 500)).toBe(0);
    expect(await ids()).toEqual([1, 2]);
  });
});

describe.each(engines)('sessions while the key of refresh tokens is replaced, on %s', (engine) => {
  test('go on, with tokens of the new key, and the reuse of a token of the old key still ends them', async () => {
    let clock = Date.now();
    const actions: (() => Promise<void>)[] = [];
    const surroundings = {
      now: () => new Date(clock),
      every(_: number, action: () => Promise<void>) {
        actions.push(action);
        return () => {};
      },
    };
    const world = await createWorld(engine, {}, surroundings);
    try {
      const client = sessionClient(world.service.url);
      await world.addTenant(1, 'acme');
      await world.addUser(1, 'alice', 'a password of alice that is long');
      const refreshed = async (token: string) => {
        const { data } = (await client.refresh(token)).result;
        if (!data) throw new Error('refused');
        return data;
      };
      const [one, other] = [
        await client.login('alice', 'a password of alice that is long', 1),
        await client.login('alice', 'a password of alice that is long', 1),
      ];
      const sealer = createSealer(Buffer.from(KEY_ENCRYPTION_KEY, 'base64'));
      await beginRotation(world.doors, sealer, KEY_POLICY, new Date(clock), OPERATOR);
      for (const action of actions) await action();
      clock += UNTIL_ALL_HAVE_IT * 1000;

      const second = await refreshed(one.refresh_token);
      const third = await refreshed(second.refresh_token);
      expect((await refreshed(other.refresh_token)).access_token).toBeDefined();
      // What the old key alone makes is found no more: the new key does.
      await world.database.refreshTokenKey.deleteMany({ where: { id: 1 } });
      for (const action of actions) await action();
      const fourth = await refreshed(third.refresh_token);
      await refreshed(fourth.refresh_token);
      expect((await client.refresh(second.refresh_token)).result.success).toBe(false);
      const { sid } = claimsOf(one.access_token);
      await until('the session has ended', async () => {
        const row = await world.database.session.findUniqueOrThrow({
          where: { tenantId_id: { tenantId: 1, id: sid } },
        });
        return row.revokedAt !== null;
      });
    } finally {
      await world.close();
    }
  });
});
