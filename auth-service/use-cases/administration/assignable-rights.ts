import type { ExtraClaims } from '../../tokens/index.ts';
import type { AdministeredTenant } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { refusal } from './errors.ts';

/** The roles and claims of a user. */
export interface UserRights {
  readonly allowedRoles: readonly string[];
  readonly claims: ExtraClaims;
}

/**
 * Whether the administrator may change this user. One of a tenant may only where the tenant may give all that the user
 * has: who resets a password can log in as its user, and would have the user's rights.
 */
export function isManageable(administrator: Administrator, tenant: AdministeredTenant, user: UserRights): boolean {
  return administrator.kind === 'platform' || notAssignable(tenant, user) === undefined;
}

/** @throws AdministrationError unless `isManageable`. */
export function requireManageable(administrator: Administrator, tenant: AdministeredTenant, user: UserRights): void {
  if (!isManageable(administrator, tenant, user)) throw refusal('user-not-manageable');
}

/** @throws AdministrationError when the administrator's tenant may not have one of these. */
export function requireAssignable(
  administrator: Administrator,
  tenant: AdministeredTenant,
  { allowedRoles = [], claims = {} }: Partial<UserRights>,
): void {
  const problem = administrator.kind === 'platform' ? undefined : notAssignable(tenant, { allowedRoles, claims });
  if (problem) throw refusal(problem);
}

function notAssignable({ assignable }: AdministeredTenant, { allowedRoles, claims }: UserRights) {
  if (!allowedRoles.every((role) => assignable.roles.includes(role))) return 'role-not-assignable';
  if (!Object.keys(claims).every((name) => assignable.claims.includes(name))) return 'claim-not-assignable';
  return undefined;
}
