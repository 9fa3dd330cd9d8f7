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
  /** Generated where it is left out. */
  password?: string | null;
  roles?: readonly string[] | null;
  /** One of the roles; the first of them where it is left out. */
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

/** What happened to a user, and how many of the user's sessions ended by it. */
export interface ChangedUser {
  user: AdministeredUser;
  ended: number;
}

/** `generatedPassword` is undefined where the administrator gave one. It cannot be read again. */
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
    // Before the transaction, which would hold up the tenant's other administrators for as long.
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

/** Locks a user out at once: no login, no refresh, all sessions ended, all access tokens revoked. @throws AdministrationError */
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

/** Lets a user log in again. The sessions from before stay ended. @throws AdministrationError */
export function createEnableUser(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: UserInput): Promise<ChangedUser> =>
    changeUser(options, administrator, input, async (change) => {
      await change.update({ disabledAt: null });
      await change.record('user.enable', {});
      return { user: await change.read(), ended: 0 };
    });
}

/**
 * Gives a user other roles in place of the present ones. They count from the next login or refresh on; when one is taken
 * away, or a claim with it, access tokens that have it are revoked. @throws AdministrationError
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
 * Gives a user other extra claims in place of the present ones. They count from the next login or refresh on; when one
 * is taken away or changed, access tokens that have it are revoked. @throws AdministrationError
 */
export function createSetClaims(options: ChangeUsersOptions) {
  return (administrator: Administrator, input: SetClaimsInput): Promise<ChangedUser> => {
    const claims = readExtraClaims(input.claims);
    return changeUser(options, administrator, input, async (change) => {
      change.requireAssignable({ claims });
      await change.update({ claims });
      await change.revokeOutdatedTokens({ claims });
      // Their names; the values are the tenant's business.
      await change.record('user.set-claims', { claims: Object.keys(claims) });
      return { user: await change.read(), ended: 0 };
    });
  };
}

/**
 * Gives a user another password, which the administrator does not choose, and ends all of the user's sessions
 * (OWASP ASVS 5, 6.4.6). @throws AdministrationError, HashQueueFullError
 */
export function createResetPassword(options: ChangeUsersOptions) {
  const getUser = createGetUser(options.tenants);
  return async (administrator: Administrator, input: UserInput): Promise<PasswordReset> => {
    // A hash is not computed for nothing.
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

/** A change of a user who is locked, in a transaction. */
export interface UserChange {
  /** As the user was before. */
  readonly user: AdministeredUser;
  requireAssignable(rights: Partial<RoleSet & { claims: ExtraClaims }>): void;
  /** @throws AdministrationError when the user is the tenant's only administrator, unless an operator wants it so. */
  keepAnAdministrator(): Promise<void>;
  update(data: UserUpdate): Promise<void>;
  /** Ends all sessions, or one. @returns how many were alive. */
  endSessions(sessionId?: string): Promise<number>;
  /** The client addresses of the user's sessions, ended ones included. */
  sessionAddresses(): Promise<readonly string[]>;
  /**
   * Access tokens of before now are void; sessions stay, and a refresh gives a token with the present rights.
   *
   * @throws AdministrationError when that happens more than once a second for a while.
   */
  revokeAccessTokens(): Promise<void>;
  /** The same where they have a role or claim that new tokens lack, or a claim that has another value in these. */
  revokeOutdatedTokens(next: Partial<RoleSet & { claims: ExtraClaims }>): Promise<void>;
  record(event: AuditEvent, details: AuditDetails): Promise<void>;
  /** The user as changed. */
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
        // No access token lives longer than a day, whatever the settings were when it was issued.
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
