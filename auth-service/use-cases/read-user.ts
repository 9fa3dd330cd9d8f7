import type { Database } from '../database/index.ts';
import { type Account, findAccountById } from './account.ts';

/** Whom the gateway says that it has let in. */
export interface Caller {
  tenantId: number;
  userId: string;
}

export type ReadUser = (caller: Caller) => Promise<Account | undefined>;

/** The caller's own account; undefined when there is none any more, or it is disabled. */
export function createReadUser(database: Database): ReadUser {
  return async ({ tenantId, userId }) => {
    const account = await findAccountById(database, tenantId, userId);
    return account?.disabled ? undefined : account;
  };
}
