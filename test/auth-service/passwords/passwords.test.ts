import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type BcryptPool,
  createPasswords,
  openBcryptPool,
  type Passwords,
} from '../../../auth-service/passwords/index.ts';

const SECRET = 'a pepper that is long enough for tests';
const PEPPERS = { current: 1, secrets: new Map([[1, SECRET]]) };

describe('passwords', () => {
  let pool: BcryptPool;
  let passwords: Passwords;
  let computed: { text: string; hash: string }[];

  beforeAll(() => {
    pool = openBcryptPool({ threads: 2, queueLimit: 20, cost: 4 });
    computed = [];
    passwords = createPasswords({
      peppers: PEPPERS,
      cost: 4,
      bcrypt: {
        hash: pool.hash,
        compare(text, hash) {
          computed.push({ text, hash });
          return pool.compare(text, hash);
        },
      },
    });
  });
  afterAll(() => pool.close());

  const matches = async (password: string, other: string) => passwords.verify(other, await passwords.hash(password));

  test('the right password matches and a wrong one does not', async () => {
    expect(await matches('correct horse', 'correct horse')).toBe(true);
    expect(await matches('correct horse', 'correct horsf')).toBe(false);
    expect(await matches('', '')).toBe(true);
    expect(await matches('', ' ')).toBe(false);
  });

  test('the stored hash names scheme, pepper version and cost, and differs each time', async () => {
    const first = await passwords.hash('same');
    const second = await passwords.hash('same');

    expect(first).toMatch(/^\$portico1\$p1\$2b\$04\$[./A-Za-z0-9]{53}$/);
    expect(first).not.toBe(second);
  });

  test.each([
    ['beyond 72 bytes', `${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
    ['in the last of 64 emoji', '🦊'.repeat(64), `${'🦊'.repeat(63)}🐻`],
    ['after a NUL', 'pass\u0000word', 'pass\u0000ward'],
    ['in its 1,024th byte', `${'x'.repeat(1023)}a`, `${'x'.repeat(1023)}b`],
  ])('a difference %s is a difference', async (_where, password, other) => {
    expect(await matches(password, password)).toBe(true);
    expect(await matches(password, other)).toBe(false);
  });

  test('the same text from two keyboards is one password', async () => {
    expect(await matches('caf\u00e9', 'cafe\u0301')).toBe(true);
    expect(await matches('\uff21', 'A')).toBe(true);
  });

  test('another pepper knows no password', async () => {
    const stored = await passwords.hash('secret');
    const other = createPasswords({
      peppers: { current: 1, secrets: new Map([[1, `${SECRET}!`]]) },
      cost: 4,
      bcrypt: pool,
    });

    expect(await other.verify('secret', stored)).toBe(false);
  });

  test.each([
    ['there is no account', 'x', () => undefined],
    ['the stored text is empty', 'x', () => ''],
    ['the stored text is of another scheme', 'x', () => '$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA'],
    ['the stored hash is cut off', 'x', () => '$portico1$p1$2b$04$abc'],
    ['the stored hash would cost minutes', 'x', () => `$portico1$p1$2b$31$${'a'.repeat(53)}`],
    ['the stored hash has another pepper version', 'x', () => `$portico1$p2$2b$04$${'a'.repeat(53)}`],
    ['the password is of a megabyte', 'x'.repeat(1_048_576), (right: string) => right],
    ['the password is one byte too long', 'x'.repeat(1025), (right: string) => right],
    ['the password is too long in bytes, not in characters', '🦊'.repeat(257), (right: string) => right],
    ['the password has a lone surrogate', 'x\ud800', (right: string) => right],
    ['the password is empty', '', (right: string) => right],
    ['everything is right', 'right', (right: string) => right],
  ])('one computation of the current cost is made when %s', async (_what, password, stored) => {
    const right = await passwords.hash('right');
    computed.length = 0;

    expect(await passwords.verify(password, stored(right))).toBe(password === 'right');
    expect(computed).toHaveLength(1);
    expect(computed[0]?.hash).toMatch(/^\$2b\$04\$.{53}$/);
    expect(computed[0]?.text).toHaveLength(64);
  });

  test('a password that could never be used is not stored', async () => {
    await expect(passwords.hash('x'.repeat(1025))).rejects.toThrow(RangeError);
    await expect(passwords.hash('🦊'.repeat(257))).rejects.toThrow(RangeError);
    await expect(passwords.hash('🦊'.repeat(256))).resolves.toBeDefined();
    await expect(passwords.hash('\udc00')).rejects.toThrow(RangeError);
  });

  test('a computation over the queue limit is refused with a time to try again', async () => {
    const small = openBcryptPool({ threads: 1, queueLimit: 1, cost: 4 });
    const hashing = [1, 2, 3, 4].map(() => small.hash('x', 4));
    expect(small.usage()).toMatchObject({ threads: 1, running: 1, queued: 1, queueLimit: 1, refused: 2 });
    const results = await Promise.allSettled(hashing);
    const refused = results.filter(({ status }) => status === 'rejected');

    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: { name: 'HashQueueFullError', retryAfterSeconds: 1 } });
    await expect(small.hash('x', 4)).resolves.toMatch(/^\$2b\$04\$/);
    const { running, queued, waits, computations } = small.usage();
    expect([running, queued]).toEqual([0, 0]);
    const counted = ({ buckets }: typeof waits) => buckets.reduce((sum, number) => sum + number, 0);
    expect([counted(waits), counted(computations)]).toEqual([3, 3]);
    expect(computations.sumMs).toBeGreaterThan(0);
    await small.close();
  });
});
