import { addDays } from '../../../platform/index.ts';
import { type AuditDetails, type AuditEvent, recordAudit } from '../../audit/index.ts';
import type { Transaction } from '../../database/index.ts';
import type { PasswordPolicy } from '../../passwords/index.ts';
import { type ExtraClaims, takesAway } from '../../tokens/index.ts';
import { extraClaimsOf, readSharedClaims } from '../account.ts';
import { endSessions } from '../end-sessions.ts';
import { addUser, generatePassword } from '../manage-users.ts';
import { isTooFarAhead, readTokensValidFrom, recordRevocations, revokedBefore } from '../revocations.ts';
import type { AdministeredTenants } from './administered-tenants.ts';
import { type AdministeredUser, createGetUser, lockAdministeredUser, type UserInput } from './administered-users.ts';
import type { Administrator } from './administrator.ts';
import { requireAssignable, requireManageable } from './assignable-rights.ts';
import { refusal, unusablePassword } from './errors.ts';
import type { HashPassword } from './hash-password.ts';
import {
  type NamedClaim,
  type RoleSet,
  readExtraClaims,
  readNewUsername,
  readRoleSet,
  readTenantId,
  readUserId,
} from './input.ts';

export interface CreateUserInput {
  tenant_id?: number | null;
  username?: string | null;
  /** Generated if absent. */
  password?: string | null;
  roles?: readonly string[] | null;
  /** One of the roles. Defaults to the first one. */
  default_role?: string | null;
  claims?: readonly NamedClaim[] | null;
}

export interface SetRolesInput extends UserInput {
  roles?: readonly string[] | null;
  default_role?: string | null;
}

export interface SetClaimsInput extends UserInput {
  claims?: readonly NamedClaim[] | null;
}

export interface ChangeUsersOptions {
  readonly tenants: AdministeredTenants;
  readonly hashPassword: HashPassword;
  readonly policy: PasswordPolicy;
  /** A user with one of these roles administers their own tenant. */
  readonly roles: readonly string[];
  now(): Date;
}

/** The changed user, and how many sessions the change ended. */
export interface ChangedUser {
  user: AdministeredUser;
  ended: number;
}

/** `generatedPassword` is undefined if the administrator provided one. It cannot be read again. */
export interface CreatedUser {
  user: AdministeredUser;
  generatedPassword: string | undefined;
}

/** A user with a new password, which cannot be read again. */
export interface PasswordReset extends ChangedUser {
  password: string;
}

/** Adds a user. @throws AdministrationError, HashQueueFullError */
export function createCreateUser({ tenants, hashPassword, policy, now }: ChangeUsersOptions) {
  return async (administrator: Administrator, input: CreateUserInput): Promise<CreatedUser> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const username = readNewUsername(input.username);
    const roles = readRoleSet(input.roles, input.default_role);
    const claims = readExtraClaims(input.claims ?? []);
    const generatedPassword = input.password == null ? generatePassword() : undefined;
    const password = input.password ?? generatedPassword ?? '';
    const name = await tenants.read(tenantId, async (_transaction, tenant) => {
      requireAssignable(administrator, tenant, { ...roles, claims });
      return tenant.name;
    });
    const problem = policy.problemWith(password, { username, tenantName: name });
    if (problem) throw unusablePassword(problem);
    // Computed before the transaction, which would otherwise block the tenant's other administrators for as long.
    const passwordHash = await hashPassword(administrator, password);
    return tenants.change(administrator, tenantId, async (transaction, tenant) => {
      requireAssignable(administrator, tenant, { ...roles, claims });
      const added = { tenantId, username, passwordHash, claims, ...roles };
      const userId = await addUser(transaction, added, now(), administrator.author);
      if (userId === undefined) throw refusal('name-taken');
      return { user: await lockAdministeredUser(transaction, administrator, tenant, userId), generatedPassword };
    });
  };
}

/**
 * Locks out a user immediately: no login, no refresh, all sessions ended, all access tokens revoked. @throws
 * AdministrationError
 */
export function createDisableUser(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: UserInput): Promise<ChangedUser> =>
    changeUser(options, administrator, input, async (change) => {
      await change.keepAnAdministrator();
      await change.update({ disabledAt: options.now() });
      const ended = await change.endSessions();
      await change.record('user.disable', { ended_sessions: ended });
      return { user: await change.read(), ended };
    });
}

/** Lets a user log in again. Earlier sessions stay ended. @throws AdministrationError */
export function createEnableUser(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: UserInput): Promise<ChangedUser> =>
    changeUser(options, administrator, input, async (change) => {
      await change.update({ disabledAt: null });
      await change.record('user.enable', {});
      return { user: await change.read(), ended: 0 };
    });
}

/**
 * Replaces a user's roles. The new ones apply from the next login or refresh on. If a role is removed, or a claim with it,
 * access tokens with it are revoked. @throws AdministrationError
 */
export function createSetRoles(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: SetRolesInput): Promise<ChangedUser> => {
    const { allowedRoles, defaultRole } = readRoleSet(input.roles, input.default_role);
    return changeUser(options, administrator, input, async (change) => {
      const { user, requireAssignable } = change;
      requireAssignable({ allowedRoles });
      if (!allowedRoles.some((role) => options.roles.includes(role))) await change.keepAnAdministrator();
      await change.update({ allowedRoles: [...allowedRoles], defaultRole });
      await change.revokeOutdatedTokens({ allowedRoles, defaultRole });
      const details = { roles: allowedRoles, default_role: defaultRole, previous_roles: user.allowedRoles };
      await change.record('user.set-roles', details);
      return { user: await change.read(), ended: 0 };
    });
  };
}

/**
 * Replaces a user's extra claims. The new ones apply from the next login or refresh on. If a claim is removed or changed,
 * access tokens with it are revoked. @throws AdministrationError
 */
export function createSetClaims(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: SetClaimsInput): Promise<ChangedUser> => {
    const claims = readExtraClaims(input.claims);
    return changeUser(options, administrator, input, async (change) => {
      change.requireAssignable({ claims });
      await change.update({ claims });
      await change.revokeOutdatedTokens({ claims });
      // Only the names are recorded: the values are the tenant's business.
      await change.record('user.set-claims', { claims: Object.keys(claims) });
      return { user: await change.read(), ended: 0 };
    });
  };
}

/**
 * Gives a user a generated password, which the administrator does not choose, and ends all of the user's sessions (OWASP ASVS
 * 5, 6.4.6). @throws AdministrationError, HashQueueFullError
 */
export function createResetPassword(options: ChangeUsersOptions) {
  const getUser = createGetUser(options.tenants);
  return async (administrator: Administrator, input: UserInput): Promise<PasswordReset> => {
    // Checked first, so that no hash is computed in vain.
    if (!(await getUser(administrator, input)).manageable) throw refusal('user-not-manageable');
    const password = generatePassword();
    const passwordHash = await options.hashPassword(administrator, password);
    return changeUser(options, administrator, input, async (change) => {
      await change.update({ passwordHash });
      const ended = await change.endSessions();
      await change.record('password.reset', { ended_sessions: ended });
      return { user: change.user, ended, password };
    });
  };
}

interface UserUpdate {
  disabledAt?: Date | null;
  allowedRoles?: string[];
  defaultRole?: string;
  claims?: ExtraClaims;
  passwordHash?: string;
}

/** The change of a locked user in a transaction. */
export interface UserChange {
  /** The user before the change. */
  readonly user: AdministeredUser;
  requireAssignable(rights: Partial<RoleSet & { claims: ExtraClaims }>): void;
  /** @throws AdministrationError if the user is the tenant's only administrator, unless an operator makes the change. */
  keepAnAdministrator(): Promise<void>;
  update(data: UserUpdate): Promise<void>;
  /** Ends all sessions, or one. @returns how many were active. */
  endSessions(sessionId?: string): Promise<number>;
  /** Returns the client addresses of the user's sessions, including ended ones. */
  sessionAddresses(): Promise<readonly string[]>;
  /**
   * Revokes the access tokens issued before now. Sessions stay, and a refresh returns a token with the current rights.
   *
   * @throws AdministrationError if this happens more than once a second for a while.
   */
  revokeAccessTokens(): Promise<void>;
  /**
   * Like `revokeAccessTokens`, but only if the tokens have a role or claim that `next` lacks, or a claim with another value.
   */
  revokeOutdatedTokens(next: Partial<RoleSet & { claims: ExtraClaims }>): Promise<void>;
  record(event: AuditEvent, details: AuditDetails): Promise<void>;
  /** Returns the changed user. */
  read(): Promise<AdministeredUser>;
  readonly transaction: Transaction;
}

/** @throws AdministrationError unless the administrator may change the user. */
export function changeUser<Value>(
  { tenants, roles, now }: Pick<ChangeUsersOptions, 'tenants' | 'roles' | 'now'>,
  administrator: Administrator,
  input: UserInput,
  work: (change: UserChange) => Promise<Value>,
): Promise<Value> {
  const tenantId = readTenantId(administrator, input.tenant_id);
  const userId = readUserId(input.user_id);
  return tenants.change(administrator, tenantId, async (transaction, tenant) => {
    const read = () => lockAdministeredUser(transaction, administrator, tenant, userId);
    const user = await read();
    requireManageable(administrator, tenant, user);
    const at = now();
    const change: UserChange = {
      transaction,
      user,
      read,
      requireAssignable: (rights) => requireAssignable(administrator, tenant, rights),
      async keepAnAdministrator() {
        const isOne = user.disabledAt === null && user.allowedRoles.some((role) => roles.includes(role));
        if (administrator.kind === 'platform' || !isOne) return;
        const other = await transaction.user.findFirst({
          where: { tenantId, NOT: { id: userId }, disabledAt: null, allowedRoles: { hasSome: [...roles] } },
          select: { id: true },
        });
        if (!other) throw refusal('last-administrator');
      },
      async update(data) {
        await transaction.user.update({ where: { tenantId_id: { tenantId, id: userId } }, data });
      },
      endSessions: (sessionId) =>
        endSessions(transaction, { tenantId, userId, ...(sessionId !== undefined && { sessionId }) }, at),
      async sessionAddresses() {
        const sessions = await transaction.session.findMany({
          where: { tenantId, userId, clientAddress: { not: null } },
          distinct: ['clientAddress'],
          select: { clientAddress: true },
        });
        return sessions.flatMap(({ clientAddress }) => clientAddress ?? []);
      },
      async revokeAccessTokens() {
        const before = revokedBefore(at, await readTokensValidFrom(transaction, tenantId, userId));
        if (isTooFarAhead(before, at, 'user')) throw refusal('changed-too-often');
        await transaction.user.update({
          where: { tenantId_id: { tenantId, id: userId } },
          data: { tokensValidFrom: before },
        });
        // Access tokens live for a day at most, whatever the settings were when they were issued.
        await recordRevocations(transaction, [{ tenantId, userId, before, until: addDays(at, 1) }], at);
      },
      async revokeOutdatedTokens(rights) {
        const next = { ...user, ...rights };
        const shared = await readSharedClaims(transaction, tenantId);
        const claimsOf = (one: typeof next) => extraClaimsOf(shared, one, one.claims);
        const keepsRoles = user.allowedRoles.every((role) => next.allowedRoles.includes(role));
        if (!keepsRoles || takesAway(claimsOf(user), claimsOf(next))) await change.revokeAccessTokens();
      },
      record: (event, details) =>
        recordAudit(transaction, {
          ...administrator.author,
          at,
          event,
          outcome: 'success',
          tenantId,
          subject: { kind: 'user', id: userId },
          details,
        }),
    };
    return work(change);
  });
}
