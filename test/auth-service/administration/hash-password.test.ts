import { expect, test } from '@jest/globals';
import { HashQueueFullError, type Passwords } from '../../../auth-service/passwords/index.ts';
import type { Administrator } from '../../../auth-service/use-cases/administration/administrator.ts';
import { createHashPassword } from '../../../auth-service/use-cases/administration/hash-password.ts';

const author = { actor: { kind: 'user', id: 'u' }, origin: {} } as unknown as Administrator['author'];
const administratorOf = (tenantId: number): Administrator => ({
  kind: 'tenant',
  tenantId,
  userId: 'u',
  sessionId: 's',
  author,
});

/** Hashes that end when `finish` is called. */
function slowPasswords() {
  const waiting: (() => void)[] = [];
  const hash = (password: string) =>
    new Promise<string>((resolve) => waiting.push(() => resolve(`hash of ${password}`)));
  const finish = () => {
    for (const end of waiting.splice(0)) end();
  };
  return { passwords: async () => ({ hash }) as unknown as Passwords, finish };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('administrators of a tenant have two hashes under way at most, whatever those of others have', async () => {
  const { passwords, finish } = slowPasswords();
  const hashPassword = createHashPassword(passwords);
  const [one, other] = [administratorOf(1), administratorOf(2)];
  const accepted = [hashPassword(one, 'a'), hashPassword(one, 'b'), hashPassword(other, 'c')];
  await expect(hashPassword(one, 'd')).rejects.toThrow(HashQueueFullError);
  await turn();
  finish();
  expect(await Promise.all(accepted)).toEqual(['hash of a', 'hash of b', 'hash of c']);

  const next = hashPassword(one, 'e');
  await turn();
  finish();
  expect(await next).toBe('hash of e');
});

test('a hash that fails leaves its place to the next one', async () => {
  const failing = async () => ({ hash: () => Promise.reject(new Error('no memory')) }) as unknown as Passwords;
  const hashPassword = createHashPassword(failing);
  for (let time = 0; time < 3; time++) await expect(hashPassword(administratorOf(1), 'a')).rejects.toThrow('no memory');
});
