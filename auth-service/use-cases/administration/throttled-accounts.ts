import type { ThrottledAccounts } from '../../throttle/index.ts';
import type { AdministeredTenants } from './administered-tenants.ts';
import { type AdministeredUser, findUsers, type UserInput, userFrom } from './administered-users.ts';
import type { Administrator } from './administrator.ts';
import { type ChangeUsersOptions, changeUser } from './change-users.ts';
import { decodeCursor, encodeCursor, type Page, readTenantId } from './input.ts';

/** Counters do not name their users, so the counters of all users are read, in batches of this size. */
const USERS_PER_PAGE = 1_000;

export interface ListThrottledInput {
  tenant_id?: number | null;
  /** `next` of the previous page. */
  after?: string | null;
}

/** A user whose password is currently not checked on devices that have not logged in before. */
export interface ThrottledUser {
  user: AdministeredUser;
  waitsUntil: Date;
}

export interface ThrottledUsersOptions extends Pick<ChangeUsersOptions, 'tenants' | 'roles' | 'now'> {
  readonly throttledAccounts: ThrottledAccounts;
}

/** Lists the throttled accounts of a tenant by name. A page covers about 1,000 users, so an empty page may have a next one. */
export function createListThrottled({ tenants, now, throttledAccounts }: ThrottledUsersOptions) {
  return async (administrator: Administrator, input: ListThrottledInput): Promise<Page<ThrottledUser>> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const after = decodeCursor(input.after) ?? '';
    const users = await readUsers(tenants, administrator, { tenantId, after });
    const page = users.slice(0, USERS_PER_PAGE);
    const waits = await throttledAccounts.waitsOf(page, now());
    const last = users.length > USERS_PER_PAGE ? page.at(-1) : undefined;
    return {
      entries: page.flatMap((user, index) => {
        const waitsUntil = waits[index];
        return waitsUntil === undefined ? [] : [{ user, waitsUntil }];
      }),
      next: last === undefined ? null : encodeCursor(last.username),
    };
  };
}

/** Lets a throttled account log in again immediately. @throws AdministrationError */
export function createReleaseAccount(options: ThrottledUsersOptions) {
  return async (administrator: Administrator, input: UserInput): Promise<AdministeredUser> => {
    const { user, addresses } = await changeUser(options, administrator, input, async (change) => {
      await change.record('account.release', {});
      return { user: change.user, addresses: await change.sessionAddresses() };
    });
    await options.throttledAccounts.release(user, addresses);
    return user;
  };
}

function readUsers(
  tenants: AdministeredTenants,
  administrator: Administrator,
  { tenantId, after }: { tenantId: number; after: string },
): Promise<AdministeredUser[]> {
  return tenants.read(tenantId, async (transaction, tenant) => {
    const limit = USERS_PER_PAGE + 1;
    const rows = await findUsers(transaction, { tenantId, which: { everybody: true }, after, limit });
    return rows.map((row) => userFrom(row, administrator, tenant));
  });
}
