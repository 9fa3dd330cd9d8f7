import type { ThrottledAccounts } from '../../throttle/index.ts';
import type { UserInput } from './administered-users.ts';
import type { Administrator } from './administrator.ts';
import { type ChangeUsersOptions, changeUser } from './change-users.ts';
import { invalidField, missingField } from './errors.ts';

export interface DeleteUserInput extends UserInput {
  /** The user's name, as confirmation. */
  username?: string | null;
}

export interface DeletedUser {
  tenantId: number;
  userId: string;
  /** The number of ended sessions. */
  ended: number;
}

export interface DeleteUserOptions extends Pick<ChangeUsersOptions, 'tenants' | 'roles' | 'now'> {
  readonly throttledAccounts: ThrottledAccounts;
}

/**
 * Deletes a user permanently: the account with its name, hash and claims, its sessions with addresses and user agents, the
 * counters of its failed logins, and its known devices. The audit log keeps the entries with the user's id, which can no longer
 * be related to a name, until the end of its retention.
 *
 * @throws AdministrationError
 */
export function createDeleteUser(options: DeleteUserOptions) {
  return async (administrator: Administrator, input: DeleteUserInput): Promise<DeletedUser> => {
    const { deleted, account, addresses } = await changeUser(options, administrator, input, async (change) => {
      const { tenantId, userId, username } = change.user;
      if (input.username == null) throw missingField('username');
      if (input.username.normalize('NFKC') !== username) throw invalidField('username', 'the name of this user');
      await change.keepAnAdministrator();
      const ended = await change.endSessions();
      await change.revokeAccessTokens();
      const addresses = await change.sessionAddresses();
      // Everything that belongs to the user is deleted with the row.
      await change.transaction.user.delete({ where: { tenantId_id: { tenantId, id: userId } } });
      await change.record('user.delete', { ended_sessions: ended });
      return { deleted: { tenantId, userId, ended }, account: { tenantId, username }, addresses };
    });
    await options.throttledAccounts.forget(account, addresses);
    return deleted;
  };
}
