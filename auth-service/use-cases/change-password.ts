import { type Audit, type AuditEntry, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { HashQueueFullError, type PasswordPolicy, type PasswordProblem, type Passwords } from '../passwords/index.ts';
import type { Throttle, Throttled } from '../throttle/index.ts';
import { endSessions } from './end-sessions.ts';
import type { AuthenticatedCaller } from './identify-caller.ts';
import type { RequestOrigin } from './login.ts';

/** In the order in which missing ones are reported. */
const CHANGE_PASSWORD_FIELDS = ['current_password', 'new_password'] as const;

export type ChangePasswordField = (typeof CHANGE_PASSWORD_FIELDS)[number];

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
        | { kind: 'new-password'; problem: PasswordProblem }
        /** The session ended, or another request changed the password, while this one ran. */
        | { kind: 'overtaken' };
    }
  | { outcome: 'busy'; retryAfterSeconds: number }
  | Throttled;

export interface ChangePasswordOptions {
  database: Database;
  audit: Audit;
  passwords: Passwords;
  policy: PasswordPolicy;
  throttle: Throttle;
  now(): Date;
}

export type ChangePassword = (
  input: ChangePasswordInput,
  caller: AuthenticatedCaller,
  client: RequestOrigin,
) => Promise<ChangePasswordResult>;

/**
 * Replaces the caller's password, and ends all of the caller's other sessions. Requires the current password. Wrong ones count
 * like those of logins, since a holder of a stolen access token may guess here.
 */
export function createChangePassword(options: ChangePasswordOptions): ChangePassword {
  return async (input, caller, client) => {
    const { current_password: current, new_password: next } = input;
    if (current == null || next == null) {
      const field = CHANGE_PASSWORD_FIELDS.find((name) => input[name] == null) ?? CHANGE_PASSWORD_FIELDS[0];
      return { outcome: 'refused', reason: { kind: 'missing-field', field } };
    }
    const entry = passwordChangeEntry(caller, client, options.now());
    // Checked before any hash is computed. It reveals nothing about the current password.
    const problem = options.policy.problemWith(next, caller.account);
    if (problem) {
      await options.audit.recordDeduplicated({ ...entry, outcome: 'refused', details: { reason: problem.code } });
      return { outcome: 'refused', reason: { kind: 'new-password', problem } };
    }
    const { tenantId, username } = caller.account;
    const result = await options.throttle.guard(
      { subject: { kind: 'account', tenantId, username }, address: client.address },
      () => replacePassword(options, current, next, caller, entry),
      verdictOf,
    );
    if (result.outcome === 'refused')
      await options.audit.record({ ...entry, outcome: 'refused', details: { reason: result.reason.kind } });
    else if (result.outcome !== 'success')
      await options.audit.recordDeduplicated({ ...entry, outcome: result.outcome });
    return result;
  };
}

function passwordChangeEntry(
  { account, sessionId }: AuthenticatedCaller,
  origin: RequestOrigin,
  at: Date,
): Omit<AuditEntry, 'outcome'> {
  const user = { kind: 'user', id: account.userId } as const;
  const details = { session_id: sessionId };
  return { at, event: 'password.change', tenantId: account.tenantId, actor: user, subject: user, origin, details };
}

type UnthrottledChangeResult = Exclude<ChangePasswordResult, Throttled>;

function verdictOf(result: UnthrottledChangeResult) {
  if (result.outcome === 'success') return 'right';
  return result.outcome === 'refused' && result.reason.kind === 'current-password' ? 'wrong' : 'unread';
}

async function replacePassword(
  { database, passwords, now }: ChangePasswordOptions,
  current: string,
  next: string,
  caller: AuthenticatedCaller,
  entry: Omit<AuditEntry, 'outcome'>,
): Promise<UnthrottledChangeResult> {
  const { account, sessionId } = caller;
  const hash = await newHash(passwords, current, next, account.passwordHash);
  if (typeof hash !== 'string') return hash;

  const { tenantId, userId } = account;
  const at = now();
  const ended = await database
    .inTenant(
      tenantId,
      async (transaction) => {
        // Hashing takes a while. Only the verified password is replaced, by a session that is still active.
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
        const count = await endSessions(transaction, { tenantId, userId, exceptSessionId: sessionId }, at);
        const details = { session_id: sessionId, ended_sessions: count };
        await recordAudit(transaction, { ...entry, at, outcome: 'success', details });
        return count;
      },
      { operation: 'change-password' },
    )
    .catch((error: unknown) => {
      if (error instanceof Overtaken) return undefined;
      throw error;
    });
  if (ended === undefined) return { outcome: 'refused', reason: { kind: 'overtaken' } };
  return { outcome: 'success', ended };
}

/** Rolls back a transaction. */
class Overtaken extends Error {}

/** Returns the text to store for the new password, or why there is none. */
async function newHash(
  passwords: Passwords,
  current: string,
  next: string,
  stored: string,
): Promise<string | Exclude<UnthrottledChangeResult, { outcome: 'success' }>> {
  try {
    if (!(await passwords.verify(current, stored))) return { outcome: 'refused', reason: { kind: 'current-password' } };
    return await passwords.hash(next);
  } catch (error) {
    if (error instanceof HashQueueFullError) return { outcome: 'busy', retryAfterSeconds: error.retryAfterSeconds };
    throw error;
  }
}
