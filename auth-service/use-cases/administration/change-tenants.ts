import { type AuditDetails, type AuditEvent, type AuditSubject, recordAudit } from '../../audit/index.ts';
import type { Database, Transaction } from '../../database/index.ts';
import { mergeClaims, ROLE_NAME, takesAway } from '../../tokens/index.ts';
import { readSharedClaims } from '../account.ts';
import { isLegible, LEGIBLE } from '../legible-name.ts';
import { isTooFarAhead, revokeTokensOfTenant } from '../revocations.ts';
import { createDisableTenant, createEnableTenant } from '../switch-tenant.ts';
import type { AdministeredTenants } from './administered-tenants.ts';
import type { AdministrationUseCase, Administrator } from './administrator.ts';
import { invalidField, missingField, refusal } from './errors.ts';
import {
  MAX_TENANT_ID,
  type NamedClaim,
  readClaimNames,
  readExtraClaims,
  readRoles,
  readScopes,
  readTenantId,
} from './input.ts';
import { requireOperator } from './signing-keys.ts';
import { lockAdministration, lockAsOperator } from './still-administrator.ts';
import { createGetTenant, type ListedTenant, type TenantInput } from './tenant-list.ts';

export interface CreateTenantInput extends TenantInput {
  name?: string | null;
}

export interface SetTenantClaimsInput extends TenantInput {
  claims?: readonly NamedClaim[] | null;
}

export interface SetRoleClaimsInput extends SetTenantClaimsInput {
  role?: string | null;
}

/** Each list replaces the current one. Absent lists stay unchanged. */
export interface SetAssignableInput extends TenantInput {
  roles?: readonly string[] | null;
  /** Names of extra claims. */
  claims?: readonly string[] | null;
  scopes?: readonly string[] | null;
}

export interface ChangeTenantsOptions {
  readonly database: Database;
  readonly tenants: AdministeredTenants;
  now(): Date;
}

const MAX_TENANT_NAME_LENGTH = 255;
/** Hasura's role that sees everything. No tenant's administrator may give it. */
const HASURA_ADMIN_ROLE = 'admin';
const PLATFORM_SCOPES = 'platform:';

/** The change of a tenant that an input describes. */
interface TenantChange {
  /** Defaults to the tenant. */
  readonly subject?: AuditSubject;
  readonly details: AuditDetails;
  /** @returns whether the change removes claims from tokens. */
  update(transaction: Transaction, tenantId: number): Promise<boolean>;
}

/** Creates use cases for operators, each of which returns the changed tenant. @throws AdministrationError from each of them. */
export function createChangeTenants({ database, tenants, now }: ChangeTenantsOptions) {
  const getTenant = createGetTenant(database);

  /** Creates a use case that changes an existing tenant and records the change in the audit log. */
  function changing<Input extends TenantInput>(
    event: AuditEvent,
    read: (input: Input) => TenantChange,
  ): AdministrationUseCase<Input, ListedTenant> {
    return async (administrator, input) => {
      requireOperator(administrator);
      const tenantId = readTenantId(administrator, input.tenant_id);
      const { subject = { kind: 'tenant', id: String(tenantId) }, details, update } = read(input);
      await tenants.change(administrator, tenantId, async (transaction) => {
        if (await update(transaction, tenantId)) await revokeAccessTokens(transaction, tenantId);
        const what = { at: now(), event, outcome: 'success', tenantId, subject, details } as const;
        await recordAudit(transaction, { ...administrator.author, ...what });
      });
      return getTenant(administrator, { tenant_id: tenantId });
    };
  }

  /**
   * Revokes the access tokens of everyone in the tenant that were issued before now. Sessions stay, and a refresh returns a
   * token with the current claims.
   */
  async function revokeAccessTokens(transaction: Transaction, tenantId: number): Promise<void> {
    const { at, before } = await revokeTokensOfTenant(transaction, tenantId, now);
    if (isTooFarAhead(before, at, 'tenant')) throw refusal('changed-too-often');
  }

  /** Creates a use case from a change that consists of several transactions. */
  function switching(create: typeof createDisableTenant): AdministrationUseCase<TenantInput, ListedTenant> {
    return async (administrator, input) => {
      requireOperator(administrator);
      const tenantId = readTenantId(administrator, input.tenant_id);
      const allow = async (transaction: Transaction) => {
        await lockAdministration(transaction, administrator, tenantId);
        await lockAsOperator(transaction, administrator);
      };
      if (!(await create(database, now, administrator.author, allow)(tenantId))) throw refusal('unknown-tenant');
      return getTenant(administrator, { tenant_id: tenantId });
    };
  }

  return {
    async createTenant(administrator: Administrator, input: CreateTenantInput): Promise<ListedTenant> {
      requireOperator(administrator);
      const id = readNewTenantId(input.tenant_id);
      const name = readTenantName(input.name);
      const added = await database.inTenant(
        id,
        async (transaction) => {
          await lockAsOperator(transaction, administrator);
          const at = now();
          const data = [{ id, name, createdAt: at }];
          const { count } = await transaction.tenant.createMany({ data, skipDuplicates: true });
          const subject = { kind: 'tenant', id: String(id) } as const;
          const what = { at, event: 'tenant.add', outcome: 'success', tenantId: id, subject } as const;
          if (count > 0) await recordAudit(transaction, { ...administrator.author, ...what, details: { name } });
          return count > 0;
        },
        { operation: 'change-administration' },
      );
      if (!added) throw refusal('tenant-taken');
      return getTenant(administrator, { tenant_id: id });
    },

    /**
     * Locks out a whole tenant immediately: no login, no refresh, all access tokens revoked, all sessions ended permanently.
     */
    disableTenant: switching(createDisableTenant),
    /** Lets the tenant's users log in again. Earlier sessions stay ended. */
    enableTenant: switching(createEnableTenant),

    /** Sets the rights that administrators of a tenant may give to its users and service accounts. */
    setAssignable: changing('tenant.set-assignable', changeOfAssignable),

    /**
     * Replaces the extra claims of all users of a tenant. If a claim is removed or changed, the access tokens of all users are
     * revoked.
     */
    setTenantClaims: changing('tenant.set-claims', changeOfTenantClaims),

    /**
     * Replaces the extra claims of all users with a role in a tenant. If a claim is removed or changed, the access tokens of
     * the whole tenant are revoked, since users with the role are not searched for.
     */
    setRoleClaims: changing('role.set-claims', changeOfRoleClaims),
  };
}

function changeOfAssignable(input: SetAssignableInput): TenantChange {
  const { roles, claims, scopes } = readAssignable(input);
  return {
    details: { ...(roles && { roles }), ...(claims && { claims }), ...(scopes && { scopes }) },
    update: async (transaction, id) => {
      await transaction.tenant.update({
        where: { id },
        data: {
          ...(roles && { assignableRoles: [...roles] }),
          ...(claims && { assignableClaims: [...claims] }),
          ...(scopes && { assignableScopes: [...scopes] }),
        },
      });
      return false;
    },
  };
}

function changeOfTenantClaims(input: SetTenantClaimsInput): TenantChange {
  const claims = readExtraClaims(input.claims);
  return {
    details: { claims: Object.keys(claims) },
    update: async (transaction, id) => {
      const before = await readSharedClaims(transaction, id);
      await transaction.tenant.update({ where: { id }, data: { claims } });
      return takesAway(mergeClaims(before.claims), claims);
    },
  };
}

function changeOfRoleClaims({ role, claims: given }: SetRoleClaimsInput): TenantChange {
  if (role == null) throw missingField('role');
  if (!ROLE_NAME.test(role)) throw invalidField('role', 'the name of a role');
  const claims = readExtraClaims(given);
  return {
    subject: { kind: 'role', id: role },
    details: { claims: Object.keys(claims) },
    update: async (transaction, tenantId) => {
      const { claims: ofTenant, roleClaims } = await readSharedClaims(transaction, tenantId);
      const where = { tenantId_role: { tenantId, role } };
      await transaction.roleClaims.upsert({ where, create: { tenantId, role, claims }, update: { claims } });
      const replaced = roleClaims.find((one) => one.role === role)?.claims;
      // The role's claims override those of the tenant, and those of other roles that users may also have.
      const below = [{}, ...roleClaims.filter((one) => one.role !== role).map((one) => one.claims)];
      return below.some((one) => takesAway(mergeClaims(ofTenant, one, replaced), mergeClaims(ofTenant, one, claims)));
    },
  };
}

function readAssignable(input: SetAssignableInput) {
  const roles = input.roles == null ? undefined : readRoles('roles', input.roles);
  if (roles?.includes(HASURA_ADMIN_ROLE)) throw invalidField('roles', `other roles than ${HASURA_ADMIN_ROLE}`);
  const claims = input.claims == null ? undefined : readClaimNames(input.claims);
  const scopes = input.scopes == null ? undefined : readScopes(input.scopes);
  if (scopes?.some((scope) => scope.startsWith(PLATFORM_SCOPES)))
    throw invalidField('scopes', `other scopes than ${PLATFORM_SCOPES}…`);
  return { roles, claims, scopes };
}

function readNewTenantId(tenantId: number | null | undefined): number {
  if (tenantId == null) throw missingField('tenant_id');
  if (tenantId < 1 || tenantId > MAX_TENANT_ID) throw invalidField('tenant_id', `1 to ${MAX_TENANT_ID}`);
  return tenantId;
}

function readTenantName(given: string | null | undefined): string {
  if (given == null) throw missingField('name');
  const name = given.normalize('NFKC');
  const isName = name.length <= MAX_TENANT_NAME_LENGTH && isLegible(name);
  // A name of only digits could be confused with an id.
  if (!isName || /^\d+$/.test(name))
    throw invalidField(
      'name',
      `a name that is not a number, with at most ${MAX_TENANT_NAME_LENGTH} characters, ${LEGIBLE}`,
    );
  return name;
}
