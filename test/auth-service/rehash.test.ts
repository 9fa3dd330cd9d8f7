import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashSync } from 'bcryptjs';
import { availableEngines } from '../database/index.ts';
import { configFor, startTestService, type TestService } from './service.ts';
import { createWorld, type World } from './world.ts';

const FIRST = 'the first pepper, which is long enough';
const SECOND = 'the second pepper, which is long enough';
const PASSWORD = 'a password that stays the same';
const OURS = /^\$portico1\$p(\d+)\$2b\$(\d\d)\$/;

describe.each(await availableEngines())('a hash that is not like new ones, on %s', (engine) => {
  let world: World;
  let changed: TestService;
  let users = 0;

  // The world's users are made with the first pepper at cost 4; the other service has both peppers and cost 5.
  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_PASSWORD_PEPPER: FIRST });
    await world.addTenant(1, 'acme');
    changed = await startTestService(world.databaseUrl, {
      AUTH_PASSWORD_PEPPER: '',
      AUTH_PASSWORD_PEPPERS: JSON.stringify({ 1: FIRST, 2: SECOND }),
      AUTH_BCRYPT_COST: '5',
    });
  });
  afterAll(async () => {
    await changed.stop();
    await world.close();
  });

  async function newUser(passwordHash?: string) {
    users += 1;
    const username = `bob ${users}`;
    const id = await world.addUser(1, username, PASSWORD);
    const where = { tenantId_id: { tenantId: 1, id } };
    if (passwordHash !== undefined) await world.database.user.update({ where, data: { passwordHash } });
    return {
      id,
      login: async (service: TestService, password = PASSWORD) =>
        (await service.login({ username, password, tenant_id: 1 })).body.data?.auth_user_login?.success,
      stored: async () => (await world.database.user.findUniqueOrThrow({ where })).passwordHash,
      store: (hash: string) => world.database.user.update({ where, data: { passwordHash: hash } }),
    };
  }

  const made = async (stored: Promise<string>) => OURS.exec(await stored)?.slice(1);

  test('is replaced at the first login, with the current pepper and cost, and not again', async () => {
    const user = await newUser();
    expect(await made(user.stored())).toEqual(['1', '04']);
    const before = changed.hashes();

    expect(await user.login(changed)).toBe(true);
    expect(changed.hashes() - before).toBe(2);
    const replaced = await user.stored();
    expect(OURS.exec(replaced)?.slice(1)).toEqual(['2', '05']);

    expect(await user.login(changed)).toBe(true);
    expect(changed.hashes() - before).toBe(3);
    expect(await user.stored()).toBe(replaced);
  });

  test('is not replaced by a wrong password, which costs one computation', async () => {
    const user = await newUser();
    const [stored, before] = [await user.stored(), changed.hashes()];

    expect(await user.login(changed, 'another password')).toBe(false);
    expect(changed.hashes() - before).toBe(1);
    expect(await user.stored()).toBe(stored);
  });

  test('is not replaced for a disabled user, who costs one computation', async () => {
    const user = await newUser();
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 1, id: user.id } },
      data: { disabledAt: new Date() },
    });
    const [stored, before] = [await user.stored(), changed.hashes()];

    expect(await user.login(changed)).toBe(false);
    expect(changed.hashes() - before).toBe(1);
    expect(await user.stored()).toBe(stored);
  });

  test.each(['2a', '2b', '2y'])('and is an imported $%s$ one is replaced too', async (version) => {
    const user = await newUser(hashSync(PASSWORD, 6).replace('$2b$', `$${version}$`));

    expect(await user.login(changed, `${PASSWORD}!`)).toBe(false);
    expect(await user.login(changed)).toBe(true);
    expect(await made(user.stored())).toEqual(['2', '05']);
    expect(await user.login(changed)).toBe(true);
    expect(await user.login(changed, `${PASSWORD}!`)).toBe(false);
  });

  test('an imported hash knows 72 bytes of a password, as where it comes from, and its replacement all of them', async () => {
    const long = 'x'.repeat(72);
    const user = await newUser(hashSync(long, 4));

    expect(await user.login(changed, `${long} and more`)).toBe(true);
    expect(await user.login(changed, `${long} and less`)).toBe(false);
    expect(await user.login(changed, `${long} and more`)).toBe(true);
  });

  test('a change of the password that comes first is not overwritten', async () => {
    const user = await newUser();
    changed.duringNextHash(async () => {
      await user.store('changed meanwhile');
    });

    expect(await user.login(changed)).toBe(false);
    expect(await user.stored()).toBe('changed meanwhile');
  });

  test('of ten logins at once all succeed, and one replacement stays', async () => {
    const user = await newUser();
    const results = await Promise.all(Array.from({ length: 10 }, () => user.login(changed)));

    expect(results).toEqual(Array.from({ length: 10 }, () => true));
    expect(await made(user.stored())).toEqual(['2', '05']);
  });

  test('is left for the next login when the hash queue is full', async () => {
    const user = await newUser();
    const crowded = await startTestService(
      world.databaseUrl,
      { AUTH_PASSWORD_PEPPER: FIRST, AUTH_BCRYPT_COST: '5', AUTH_HASH_THREADS: '1', AUTH_HASH_QUEUE_LIMIT: '0' },
      {
        aroundBcrypt: (bcrypt) => ({
          async hash(text, cost) {
            const other = bcrypt.compare('x', hashSync('x', 4));
            try {
              return await bcrypt.hash(text, cost);
            } finally {
              await other;
            }
          },
          compare: bcrypt.compare,
        }),
      },
    );
    expect(await user.login(crowded)).toBe(true);
    expect(await made(user.stored())).toEqual(['1', '04']);
    await crowded.stop();
  });

  test('opens nothing without its pepper, at the price of one computation like any other', async () => {
    const user = await newUser();
    const without = await startTestService(world.databaseUrl, {
      AUTH_PASSWORD_PEPPER: '',
      AUTH_PASSWORD_PEPPERS: JSON.stringify({ 2: SECOND }),
    });
    expect(await user.login(without)).toBe(false);
    expect(without.hashes()).toBe(1);
    await without.stop();
    expect(await user.login(world.service)).toBe(true);
  });

  test('peppers can be made known before the new one is used', async () => {
    const user = await newUser();
    const known = {
      AUTH_PASSWORD_PEPPER: '',
      AUTH_PASSWORD_PEPPERS: JSON.stringify({ 1: FIRST, 2: SECOND }),
      AUTH_PASSWORD_PEPPER_VERSION: '1',
    };
    expect(configFor(world.databaseUrl, known).passwords.peppers.current).toBe(1);
    const prepared = await startTestService(world.databaseUrl, known);
    expect(await user.login(prepared)).toBe(true);
    expect(await made(user.stored())).toEqual(['1', '04']);
    await user.login(changed);
    expect(await made(user.stored())).toEqual(['2', '05']);
    expect(await user.login(prepared)).toBe(true);
    await prepared.stop();
  });
});
