import { recordAudit } from '../../audit/index.ts';
import type { AdministeredTenants, AssignableRights } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { invalidField, refusal } from './errors.ts';
import { readClaimNames, readRoles, readScopes, readTenantId } from './input.ts';
import type { TenantInput } from './tenant-list.ts';

/** Each list replaces the present one; one that is left out stays. */
export interface SetAssignableInput extends TenantInput {
  roles?: readonly string[] | null;
  /** Names of extra claims. */
  claims?: readonly string[] | null;
  scopes?: readonly string[] | null;
}

export interface ChangeTenantsOptions {
  readonly tenants: AdministeredTenants;
  now(): Date;
}

/** Hasura's role that sees everything; it is no tenant's to give. */
const ADMIN_ROLE = 'admin';
const PLATFORM_SCOPES = 'platform:';

/** Sets what administrators of a tenant may give to its users and service accounts. For operators. @throws AdministrationError */
export function createSetAssignable({ tenants, now }: ChangeTenantsOptions) {
  return async (administrator: Administrator, input: SetAssignableInput): Promise<AssignableRights> => {
    if (administrator.kind !== 'platform') throw refusal('operators-only');
    const tenantId = readTenantId(administrator, input.tenant_id);
    const roles = input.roles == null ? undefined : readRoles('roles', input.roles);
    if (roles?.includes(ADMIN_ROLE)) throw invalidField('roles', `other roles than ${ADMIN_ROLE}`);
    const claims = input.claims == null ? undefined : readClaimNames(input.claims);
    const scopes = input.scopes == null ? undefined : readScopes(input.scopes);
    if (scopes?.some((scope) => scope.startsWith(PLATFORM_SCOPES)))
      throw invalidField('scopes', `other scopes than ${PLATFORM_SCOPES}…`);
    return tenants.change(administrator, tenantId, async (transaction, { assignable: present }) => {
      const assignable = {
        roles: roles ?? present.roles,
        claims: claims ?? present.claims,
        scopes: scopes ?? present.scopes,
      };
      await transaction.tenant.update({
        where: { id: tenantId },
        data: {
          assignableRoles: [...assignable.roles],
          assignableClaims: [...assignable.claims],
          assignableScopes: [...assignable.scopes],
        },
      });
      await recordAudit(transaction, {
        ...administrator.author,
        at: now(),
        event: 'tenant.set-assignable',
        outcome: 'success',
        tenantId,
        subject: { kind: 'tenant', id: String(tenantId) },
        details: assignable,
      });
      return assignable;
    });
  };
}
