import type { Database } from '../database/index.ts';
import { HashQueueFullError, type Passwords } from '../passwords/index.ts';
import { endSessions } from './end-sessions.ts';
import type { Caller } from './identify-caller.ts';

/** In the order in which a missing one is named. */
const REQUIRED = ['current_password', 'new_password'] as const;

export type ChangePasswordField = (typeof REQUIRED)[number];

export interface ChangePasswordInput {
  current_password?: string | null;
  new_password?: string | null;
}

export type ChangePasswordResult =
  | { outcome: 'success'; ended: number }
  | {
      outcome: 'refused';
      reason:
        | { kind: 'missing-field'; field: ChangePasswordField }
        | { kind: 'current-password' }
        | { kind: 'new-password' }
        /** The session ended, or the password was changed by somebody else, while this was under way. */
        | { kind: 'overtaken' };
    }
  | { outcome: 'busy'; retryAfterSeconds: number };

export interface ChangePasswordOptions {
  database: Database;
  passwords: Passwords;
  now(): Date;
}

export type ChangePassword = (input: ChangePasswordInput, caller: Caller) => Promise<ChangePasswordResult>;

/** Gives the caller a new password, for the current one, and ends all of the caller's other sessions. */
export function createChangePassword({ database, passwords, now }: ChangePasswordOptions): ChangePassword {
  return async (input, caller) => {
    const { current_password: current, new_password: next } = input;
    if (current == null || next == null) {
      const field = REQUIRED.find((name) => input[name] == null) ?? REQUIRED[0];
      return { outcome: 'refused', reason: { kind: 'missing-field', field } };
    }
    const { account, sessionId } = caller;
    const hash = await newHash(passwords, current, next, account.passwordHash);
    if (typeof hash !== 'string') return hash;

    const { tenantId, userId } = account;
    const at = now();
    const ended = await database
      .$transaction(async (transaction) => {
        // The hashes took their time. Only the password that was checked is replaced, by a session that is still alive.
        const { count: replaced } = await transaction.user.updateMany({
          where: { tenantId, id: userId, passwordHash: account.passwordHash, disabledAt: null },
          data: { passwordHash: hash },
        });
        if (replaced === 0) return undefined;
        const { count: alive } = await transaction.session.updateMany({
          where: { tenantId, id: sessionId, revokedAt: null, expiresAt: { gt: at } },
          data: { lastUsedAt: at },
        });
        if (alive === 0) throw new Overtaken();
        return endSessions(transaction, { tenantId, userId, exceptSessionId: sessionId }, at);
      })
      .catch((error: unknown) => {
        if (error instanceof Overtaken) return undefined;
        throw error;
      });
    if (ended === undefined) return { outcome: 'refused', reason: { kind: 'overtaken' } };
    return { outcome: 'success', ended };
  };
}

/** Rolls a transaction back. */
class Overtaken extends Error {}

/** The text to store for the new password, or why there is none. */
async function newHash(
  passwords: Passwords,
  current: string,
  next: string,
  stored: string,
): Promise<string | Exclude<ChangePasswordResult, { outcome: 'success' }>> {
  try {
    if (!(await passwords.verify(current, stored))) return { outcome: 'refused', reason: { kind: 'current-password' } };
    return await passwords.hash(next);
  } catch (error) {
    if (error instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: error.retryAfterSeconds };
    if (error instanceof RangeError) return { outcome: 'refused', reason: { kind: 'new-password' } };
    throw error;
  }
}
