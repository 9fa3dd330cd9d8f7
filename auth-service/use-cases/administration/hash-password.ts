import { HashQueueFullError, type Passwords } from '../../passwords/index.ts';
import type { Administrator } from './administrator.ts';

/** The most concurrent hashes for administrators of one tenant, since the queue is for logins of all tenants. */
const MOST_AT_ONCE = 2;

export type HashPassword = (administrator: Administrator, password: string) => Promise<string>;

/** Hashes passwords that administrators set. @throws HashQueueFullError if their tenant has reached the limit. */
export function createHashPassword(passwords: () => Promise<Passwords>): HashPassword {
  const underWay = new Map<number | 'platform', number>();
  return async (administrator, password) => {
    const key = administrator.kind === 'tenant' ? administrator.tenantId : 'platform';
    const count = underWay.get(key) ?? 0;
    if (count >= MOST_AT_ONCE) throw new HashQueueFullError(1);
    underWay.set(key, count + 1);
    try {
      return await (await passwords()).hash(password);
    } finally {
      const left = (underWay.get(key) ?? 1) - 1;
      if (left === 0) underWay.delete(key);
      else underWay.set(key, left);
    }
  };
}
