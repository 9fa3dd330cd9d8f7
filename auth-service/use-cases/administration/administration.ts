import {
  type AuditEntry,
  type AuditEvent,
  PLATFORM,
  type ReadEntry,
  readAuditOfTenant,
  readWholeAudit,
} from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import type { PasswordPolicy, Passwords } from '../../passwords/index.ts';
import type { ThrottledAccounts } from '../../throttle/index.ts';
import { type ReadAuditInput, readAuditRequest } from '../read-audit.ts';
import { createCreateClient, createListClients, createRevokeClient } from './administered-clients.ts';
import { createListUserSessions, createRevokeSessions } from './administered-sessions.ts';
import { createAdministeredTenants } from './administered-tenants.ts';
import { createGetUser, createListUsers } from './administered-users.ts';
import type { AdministrationUseCase, Administrator } from './administrator.ts';
import { createChangeTenants } from './change-tenants.ts';
import {
  createCreateUser,
  createDisableUser,
  createEnableUser,
  createResetPassword,
  createSetClaims,
  createSetRoles,
} from './change-users.ts';
import { createDeleteUser } from './delete-user.ts';
import { AdministrationError, invalidField, isAboutRights } from './errors.ts';
import { createHashPassword } from './hash-password.ts';
import { type Page, readTenantId } from './input.ts';
import { createListKeys, createRetireKey, createRotateKeys, type SigningKeysOptions } from './signing-keys.ts';
import { createDescribeAdministrator, createGetTenant, createListTenants } from './tenant-list.ts';
import { createListThrottled, createReleaseAccount } from './throttled-accounts.ts';

export interface AdministrationOptions extends SigningKeysOptions {
  readonly database: Database;
  passwords(): Promise<Passwords>;
  readonly policy: PasswordPolicy;
  readonly throttledAccounts: ThrottledAccounts;
  /** A user with one of these roles administers their own tenant. */
  readonly roles: readonly string[];
  /** Records an administrator's attempt at something without the required right. */
  recordRefusal(entry: AuditEntry): Promise<void>;
  now(): Date;
}

export type Administration = ReturnType<typeof createAdministration>;

/**
 * Creates the use cases of administrators, for the API and for operators' commands. Each checks the administrator's rights, and
 * records its change in the audit log in the same transaction.
 *
 * @throws AdministrationError from each of them, and HashQueueFullError from those that set a password.
 */
export function createAdministration(options: AdministrationOptions) {
  const { database, recordRefusal, now } = options;
  const tenants = createAdministeredTenants(options);
  const users = { ...options, tenants, hashPassword: createHashPassword(() => options.passwords()) };
  const changeTenants = createChangeTenants(users);

  function audited<Input, Value>(
    event: AuditEvent,
    useCase: AdministrationUseCase<Input, Value>,
  ): AdministrationUseCase<Input, Value> {
    return async (administrator, input) => {
      try {
        return await useCase(administrator, input);
      } catch (error) {
        if (error instanceof AdministrationError && isAboutRights(error))
          await recordRefusal({
            ...administrator.author,
            at: now(),
            event,
            outcome: 'refused',
            // Never the tenant in the input, which may belong to someone else or not exist.
            tenantId: administrator.kind === 'tenant' ? administrator.tenantId : PLATFORM,
            details: { reason: error.code },
          });
        throw error;
      }
    };
  }

  return {
    describe: createDescribeAdministrator(database),

    listUsers: createListUsers(tenants),
    getUser: createGetUser(tenants),
    createUser: audited('user.add', createCreateUser(users)),
    disableUser: audited('user.disable', createDisableUser(users)),
    enableUser: audited('user.enable', createEnableUser(users)),
    setRoles: audited('user.set-roles', createSetRoles(users)),
    setClaims: audited('user.set-claims', createSetClaims(users)),
    resetPassword: audited('password.reset', createResetPassword(users)),
    deleteUser: audited('user.delete', createDeleteUser(users)),

    listSessions: createListUserSessions(tenants, now),
    revokeSessions: audited('session.revoke', createRevokeSessions(users)),
    listThrottled: createListThrottled(users),
    releaseAccount: audited('account.release', createReleaseAccount(users)),

    listTenants: createListTenants(database),
    getTenant: createGetTenant(database),
    createTenant: audited('tenant.add', changeTenants.createTenant),
    disableTenant: audited('tenant.disable', changeTenants.disableTenant),
    enableTenant: audited('tenant.enable', changeTenants.enableTenant),
    setAssignable: audited('tenant.set-assignable', changeTenants.setAssignable),
    setTenantClaims: audited('tenant.set-claims', changeTenants.setTenantClaims),
    setRoleClaims: audited('role.set-claims', changeTenants.setRoleClaims),

    listClients: createListClients(users),
    createClient: audited('client.add', createCreateClient(users)),
    revokeClient: audited('client.revoke', createRevokeClient(users)),

    listKeys: createListKeys(options),
    rotateKeys: audited('key.publish', createRotateKeys(options)),
    retireKey: audited('key.remove', createRetireKey(options)),

    readAuditLog: createReadAuditLog(database),
  };
}

interface AdministratorsAuditInput extends ReadAuditInput {
  /** Operators omit it for all tenants and the platform. */
  tenant_id?: number | null;
}

/** Reads the audit log, the newest entries first: of one tenant, or everything for operators. @throws AdministrationError */
function createReadAuditLog(database: Database) {
  return async (administrator: Administrator, input: AdministratorsAuditInput): Promise<Page<ReadEntry>> => {
    const everywhere = administrator.kind === 'platform' && input.tenant_id == null;
    const tenantId = everywhere ? undefined : readTenantId(administrator, input.tenant_id);
    const request = readAuditRequest(input);
    if ('field' in request) throw invalidField(request.field, 'something else, see docs/audit-log.md');
    // One row more than requested shows whether there is another page.
    const wanted = { ...request, first: request.first + 1 };
    const found =
      tenantId === undefined
        ? await readWholeAudit(database, wanted)
        : await readAuditOfTenant(database, tenantId, wanted);
    const entries = found.slice(0, request.first);
    return { entries, next: found.length > request.first ? (entries.at(-1)?.id ?? null) : null };
  };
}
