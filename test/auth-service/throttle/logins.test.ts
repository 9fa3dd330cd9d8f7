import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService, THROTTLED } from '../service.ts';
import { sessionClient } from '../session-client.ts';
import { loginAt, type Outcome, openThrottledWorld, statuses, type ThrottledWorld, times } from './callers.ts';

const HOME = '203.0.113.7';
const ATTACKER = '198.51.100.1';

/** Addresses that nobody else in these tests has. */
let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `10.1.${addresses >> 8}.${addresses & 255}`;
};

describe('guessing passwords', () => {
  let world: ThrottledWorld;
  /** A service that lets an address fail eight times only, so that fewer guesses show what counts for an address. */
  let strict: TestService;
  let people = 0;

  beforeAll(async () => {
    world = await openThrottledWorld();
    strict = await start({ AUTH_THROTTLE_ADDRESS: 'free=8' });
  });
  afterAll(async () => {
    await strict.stop();
    await world.close();
  });

  const start = (changes: Record<string, string>) =>
    startTestService(world.databaseUrl, { ...THROTTLED, ...changes }, { now: world.clock.now });
  const loginStrictly = (username: string, password: string, address: string) =>
    loginAt(strict.url, username, password, address);

  async function newUser(tenantId = 1): Promise<string> {
    people += 1;
    const username = `somebody ${people} ${Math.random()}`;
    await world.addUser(tenantId, username, 'right');
    return username;
  }

  test('many guesses at one account are no more than a handful of hashes', async () => {
    const [username, address] = [await newUser(), newAddress()];
    const before = world.service.hashes();
    const outcomes = await times(20, (index) => world.login(username, `guess ${index}`, address));

    expect(statuses(outcomes)).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
    expect(world.service.hashes() - before).toBe(5);
  });

  test('each wait is longer than the one before, and over exactly when the answer says', async () => {
    const [username, address] = [await newUser(), newAddress()];
    await times(5, () => world.login(username, 'wrong', address));
    const told: (number | undefined)[] = [];
    for (let round = 0; round < 12; round += 1) {
      const refused = await world.login(username, 'wrong', address);
      told.push(refused.retryAfter);
      world.clock.advance((refused.retryAfter ?? 0) - 0.5);
      expect(await world.login(username, 'wrong', address)).toMatchObject({ status: 429, retryAfter: 1 });
      world.clock.advance(0.5);
      expect((await world.login(username, 'wrong', address)).status).toBe(401);
    }

    expect(told).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  test('attempts during a wait make it no longer, and compute nothing', async () => {
    const [username, address] = [await newUser(), newAddress()];
    await times(8, (index) => {
      if (index > 4) world.clock.advance(60);
      return world.login(username, 'wrong', address);
    });
    const before = world.service.hashes();
    const waits = await times(20, () => {
      world.clock.advance(0.1);
      return world.login(username, 'right', address);
    });

    expect(waits.map(({ retryAfter }) => retryAfter)).toEqual([...Array(9).fill(8), ...Array(10).fill(7), 6]);
    expect(world.service.hashes()).toBe(before);
  });

  test('after the wait the right password is accepted, and the failures are cleared', async () => {
    const [username, address, elsewhere] = [await newUser(), newAddress(), newAddress()];
    await world.login('somebody else', 'wrong', elsewhere);
    await times(8, (index) => {
      if (index > 4) world.clock.advance(60);
      return world.login(username, 'wrong', address);
    });
    world.clock.advance(8);

    expect((await world.login(username, 'right', address)).status).toBe(200);
    expect(statuses(await times(6, () => world.login(username, 'wrong', elsewhere)))).toEqual([
      ...Array(5).fill(401),
      429,
    ]);
  });

  test('a throttled login has the same response for an account that does not exist', async () => {
    const username = await newUser();
    const outcomesOf = async (name: string, tenantId: number) => {
      const [before, address] = [world.service.hashes(), newAddress()];
      const outcomes = await times(8, () => world.login(name, 'wrong', address, tenantId));
      return { outcomes, hashes: world.service.hashes() - before };
    };
    const real = await outcomesOf(username, 1);

    expect(await outcomesOf('nobody at all', 1)).toEqual(real);
    expect(await outcomesOf(username, 99)).toEqual(real);
    expect(real.hashes).toBe(5);
    expect(real.outcomes.at(-1)).toEqual({
      status: 429,
      retryAfter: 1,
      answer: { success: false, error_message: 'Too many failed attempts, try again later', data: null },
    } satisfies Outcome);
    // They are asked for in both kinds of test from here on.
    world.clock.advance(86_400);
  });

  test('another way to write the name is no other account', async () => {
    const [username, address] = [await newUser(), newAddress()];
    const ways = [`${username}\u00e9`, `${username}e\u0301`];

    expect(statuses(await times(6, (index) => world.login(ways[index % 2] ?? '', 'wrong', address)))).toEqual([
      ...Array(5).fill(401),
      429,
    ]);
  });

  test('the same name in another tenant is another account', async () => {
    const [username, address] = [await newUser(), newAddress()];
    await times(6, () => world.login(username, 'wrong', address));

    expect((await world.login(username, 'wrong', address, 2)).status).toBe(401);
  });

  test('guesses at the same time are no more than the allowance, however many come', async () => {
    const [username, address] = [await newUser(), newAddress()];
    await world.login('somebody else', 'wrong', address);
    const before = world.service.hashes();
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => world.login(username, `guess ${index}`, address)),
    );

    expect(statuses(outcomes).filter((status) => status === 401)).toHaveLength(5);
    expect(statuses(outcomes).filter((status) => status === 429)).toHaveLength(25);
    expect(world.service.hashes() - before).toBe(5);
  });

  test('a right one among many concurrent attempts is accepted only if it was among the first', async () => {
    const [username, address] = [await newUser(), newAddress()];
    await times(4, () => world.login(username, 'wrong', address));
    const outcomes = await Promise.all([
      world.login(username, 'wrong', address),
      ...Array.from({ length: 8 }, () => world.login(username, 'wrong', address)),
    ]);

    expect(statuses(outcomes).sort()).toEqual([401, ...Array(8).fill(429)]);
  });

  test('concurrent logins of several tabs with the right password are all accepted', async () => {
    const username = await newUser();
    const address = newAddress();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.login(username, 'right', address)));

    expect(statuses(outcomes)).toEqual(Array(20).fill(200));
  });

  test('frequent successful logins are never counted', async () => {
    const username = await newUser();

    expect(statuses(await times(15, () => world.login(username, 'right', HOME)))).toEqual(Array(15).fill(200));
  });

  describe('at a device with an earlier login', () => {
    test('they are accepted whatever other devices do', async () => {
      const [username, address] = [await newUser(), newAddress()];
      await world.login(username, 'right', HOME);
      const attack = await times(15, () => world.login(username, 'wrong', address));
      expect(statuses(attack.slice(5))).toEqual(Array(10).fill(429));

      expect((await world.login(username, 'right', HOME)).status).toBe(200);
      expect((await world.login(username, 'right', address)).status).toBe(429);
      // And that did the attacker no good.
      expect((await world.login(username, 'wrong', address)).status).toBe(429);
    });

    test('there is an allowance of its own, which ends too', async () => {
      const username = await newUser();
      const address = newAddress();
      await world.login(username, 'right', address);
      const before = world.service.hashes();
      const outcomes = await times(20, () => world.login(username, 'wrong', address));

      expect(statuses(outcomes)).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
      expect(world.service.hashes() - before).toBe(10);
      expect((await world.login(username, 'wrong', newAddress())).status).toBe(401);
    });

    test('a user is not throttled by failures of others at the address', async () => {
      const [address, username] = [newAddress(), await newUser()];
      await loginStrictly(username, 'right', address);
      const spray = await times(12, (index) => loginStrictly(`target ${index}`, 'wrong', address));
      expect(statuses(spray)).toEqual([...Array(8).fill(401), ...Array(4).fill(429)]);

      expect((await loginStrictly(username, 'right', address)).status).toBe(200);
    });

    test('the failures of all accounts count for the address', async () => {
      const address = newAddress();
      const users = await times(4, () => newUser());
      for (const username of users) await loginStrictly(username, 'right', address);
      for (const username of users) await times(2, () => loginStrictly(username, 'wrong', address));

      expect((await loginStrictly('a stranger', 'wrong', address)).status).toBe(429);
    });

    test('it is forgotten after three months without a login', async () => {
      const [username, address, elsewhere] = [await newUser(), newAddress(), newAddress()];
      await world.login(username, 'right', address);
      const underAttack = async () => {
        await times(6, () => world.login(username, 'wrong', elsewhere));
        // It is no clean address either.
        await world.login('somebody else', 'wrong', address);
        return (await world.login(username, 'right', address)).status;
      };
      world.clock.advance(89 * 86_400);
      expect(await underAttack()).toBe(200);
      world.clock.advance(89 * 86_400);
      expect(await underAttack()).toBe(200);
      world.clock.advance(91 * 86_400);
      expect(await underAttack()).toBe(429);
    });
  });

  describe('from one address', () => {
    test('many accounts are slowed down, and other addresses are not', async () => {
      const [address, username] = [newAddress(), await newUser()];
      const outcomes = await times(40, (index) => world.login(`victim ${index}`, 'wrong', address));

      expect(statuses(outcomes)).toEqual([...Array(30).fill(401), ...Array(10).fill(429)]);
      expect((await world.login(username, 'right', address)).status).toBe(429);
      expect((await world.login(username, 'right', newAddress())).status).toBe(200);
    });

    test('guesses at one account leave room for others who share it', async () => {
      const [address, username] = [newAddress(), await newUser()];
      // More than the address may fail, were they to count for it.
      await times(12, () => loginStrictly('the target', 'wrong', address));

      expect((await loginStrictly(username, 'right', address)).status).toBe(200);
    });

    test('accounts of one’s own do not clear the address', async () => {
      const address = newAddress();
      // Each is logged in to once: from the second time on it would count by itself.
      const own = await times(3, () => newUser());
      const outcomes = await times(12, async (index) => {
        if (index % 2 === 1 && index < 6) await loginStrictly(own[(index - 1) / 2] ?? '', 'right', address);
        return loginStrictly(`another victim ${index}`, 'wrong', address);
      });

      expect(statuses(outcomes)).toEqual([...Array(8).fill(401), ...Array(4).fill(429)]);
    });

    test('what stands to the left in X-Forwarded-For is not looked at', async () => {
      const address = newAddress();
      const outcomes = await times(10, (index) =>
        loginStrictly(`spoofed ${index}`, 'wrong', `${newAddress()}, ${address}`),
      );

      expect(statuses(outcomes)).toEqual([...Array(8).fill(401), 429, 429]);
    });

    test('a whole IPv6 network is one address', async () => {
      const network = `2001:db8:${(people + 1).toString(16)}:7`;
      const outcomes = await times(10, (index) => loginStrictly(`v6 ${index}`, 'wrong', `${network}::${index}`));

      expect(statuses(outcomes)).toEqual([...Array(8).fill(401), 429, 429]);
    });
  });

  test('guesses at a password that is to be changed count too', async () => {
    const [username, address, dirty] = [await newUser(), newAddress(), newAddress()];
    await world.login('somebody else', 'wrong', dirty);
    const { answer } = await world.login(username, 'right', address);
    const token = answer?.data?.access_token;
    const client = sessionClient(world.service.url);
    const change = async (current: string) => {
      const { text } = await client.changePassword(current, 'another password altogether', token);
      return JSON.parse(text);
    };
    const before = world.service.hashes();
    const outcomes = await times(8, () => change('wrong'));

    expect(outcomes.map(({ extensions }) => extensions.http.status)).toEqual([...Array(5).fill(403), 429, 429, 429]);
    expect(world.service.hashes() - before).toBe(5);
    expect(outcomes.at(-1)).toEqual({
      data: {
        auth_user_change_password: {
          success: false,
          error_message: 'Too many failed attempts, try again later',
          data: null,
        },
      },
      extensions: { http: { status: 429, headers: { 'retry-after': '1' } } },
    });
    // At the login they count as well, and the other way round.
    expect((await world.login(username, 'wrong', dirty)).status).toBe(429);
    expect((await world.login(username, 'right', address)).status).toBe(200);
  });

  test('all of a tenant is slowed down when it is attacked from everywhere', async () => {
    await world.addTenant(3, 'initech');
    await world.addTenant(4, 'hooli');
    await world.addUser(3, 'known', 'right');
    await world.addUser(4, 'neighbour', 'right');
    const service = await start({ AUTH_THROTTLE_TENANT: 'free=20' });
    const login = (username: string, password: string, address: string, tenantId = 3) =>
      loginAt(service.url, username, password, address, tenantId);
    const attackers = await times(5, async () => newAddress());
    const attack = (index: number) => login(`member ${index}`, 'wrong', attackers[index % 5] ?? '');
    try {
      await login('known', 'right', HOME);
      const outcomes = await times(25, attack);

      expect(statuses(outcomes)).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
      expect((await login('known', 'right', HOME)).status).toBe(200);
      expect((await login('neighbour', 'right', newAddress(), 4)).status).toBe(200);
      expect((await login('known', 'right', attackers[0] ?? '')).status).toBe(429);
      world.clock.advance(1);
      expect((await login('known', 'right', attackers[0] ?? '')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  describe('strangers who use up the allowance', () => {
    test('of a tenant keep no right password out that comes from a new address', async () => {
      await world.addTenant(5, 'umbrella');
      await world.addUser(5, 'member', 'right');
      const service = await start({ AUTH_THROTTLE_TENANT: 'free=20' });
      const login = (username: string, password: string, address: string) =>
        loginAt(service.url, username, password, address, 5);
      const attackers = await times(3, async () => newAddress());
      const guess = (index: number) => login(`guess ${index}`, 'wrong', attackers[index % 3] ?? '');
      try {
        await times(20, guess);
        const found = await times(15, async (index) => {
          // One guess at the end of each wait is enough to begin the next one.
          const guessed = await guess(index);
          const entered = await login('member', 'right', newAddress());
          world.clock.advance(10);
          return [guessed.status, entered.status];
        });

        expect(found.map(([, entered]) => entered)).toEqual(Array(15).fill(200));
        expect(found.slice(1).map(([guessed]) => guessed)).toEqual(Array(14).fill(401));
      } finally {
        await service.stop();
      }
    });

    test('of an account keep no right password out that comes from a new address', async () => {
      const [username, attacker] = [await newUser(), newAddress()];
      const found = await times(12, async () => {
        const guesses = await times(5, () => world.login(username, 'wrong', attacker));
        const entered = await world.login(username, 'right', newAddress());
        world.clock.advance(10);
        return [guesses.at(-1)?.status, entered.status];
      });

      expect(found.map(([, entered]) => entered)).toEqual(Array(12).fill(200));
    });

    test('get one guess more from each of their addresses, however they hurry', async () => {
      const username = await newUser();
      const fresh = await times(8, async () => newAddress());
      await times(6, () => world.login(username, 'wrong', fresh[0] ?? ''));
      const before = world.service.hashes();
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, (_, index) => world.login(username, 'wrong', fresh[index % 8] ?? '')),
      );

      expect(statuses(outcomes).filter((status) => status === 401)).toHaveLength(7);
      expect(world.service.hashes() - before).toBe(7);
      expect((await world.login(username, 'right', fresh[7] ?? '')).status).toBe(429);
      expect((await world.login(username, 'right', newAddress())).status).toBe(200);
    });

    test('have failed for a day, also where nothing was throttled', async () => {
      const [username, attacker, failed] = [await newUser(), newAddress(), newAddress()];
      await world.login('somebody else', 'wrong', failed);
      const underAttack = async () => {
        await times(6, () => world.login(username, 'wrong', attacker));
        return (await world.login(username, 'right', failed)).status;
      };
      expect(await underAttack()).toBe(429);
      world.clock.advance(86_399);
      expect(await underAttack()).toBe(429);
      world.clock.advance(1);
      expect(await underAttack()).toBe(200);
    });

    test('from one site of IPv6 get a bounded number more', async () => {
      const [username, attacker] = [await newUser(), newAddress()];
      const site = `2001:db8:${(0x1000 + people).toString(16)}`;
      await times(6, () => world.login(username, 'wrong', attacker));
      const subnets = await times(300, (index) => world.login(username, 'wrong', `${site}:${index.toString(16)}::1`));

      // Four of a /56, sixteen of the /48.
      expect(subnets.flatMap(({ status }, index) => (status === 401 ? [index >> 8] : []))).toEqual([
        ...Array(4).fill(0),
        ...Array(4).fill(1),
      ]);
      const more = await times(12, (index) =>
        world.login(username, 'wrong', `${site}:${(index + 2).toString(16)}00::1`),
      );
      expect(statuses(more)).toEqual([...Array(8).fill(401), ...Array(4).fill(429)]);
      expect((await world.login(username, 'right', '2001:db8:ffff::1')).status).toBe(200);
    });

    test('wait in turn when the second allowance is used up too', async () => {
      const username = await newUser();
      const service = await start({ AUTH_THROTTLE_CLEAN_ACCOUNT: 'free=2 first=900 longest=900' });
      try {
        const attacker = newAddress();
        await times(6, () => loginAt(service.url, username, 'wrong', attacker));
        const outcomes = await times(4, () => loginAt(service.url, username, 'wrong', newAddress()));

        expect(outcomes.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
          [401, undefined],
          [401, undefined],
          [429, 900],
          [429, 900],
        ]);
      } finally {
        await service.stop();
      }
    });
  });

  test('no name that was tried can be found where they are counted', async () => {
    await world.login('hunter2 typed in the wrong field', 'wrong', ATTACKER);
    const rows = await world.database.$queryRaw<{ row: string }[]>`
      SELECT login_attempts::text AS row FROM login_attempts UNION ALL SELECT known_devices::text FROM known_devices`;

    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) {
      expect(row).not.toContain('hunter2');
      expect(row).not.toContain(ATTACKER);
      expect(row).not.toContain(HOME);
    }
    expect(world.service.logs()).not.toContain('hunter2');
  });
});
