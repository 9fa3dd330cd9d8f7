import type { ExtraClaims } from '../../tokens/index.ts';
import type { AdministeredTenant } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { refusal } from './errors.ts';

/** The rights that a user or service account has, or will have. An absent member is not checked. */
export interface Rights {
  readonly allowedRoles?: readonly string[];
  readonly claims?: ExtraClaims;
  readonly scopes?: readonly string[];
}

/** Which of these the administrator may not give. Operators may give everything. */
export function rightsProblem(
  administrator: Administrator,
  { assignable }: AdministeredTenant,
  { allowedRoles = [], claims = {}, scopes = [] }: Rights,
) {
  if (administrator.kind === 'platform') return undefined;
  if (!allowedRoles.every((role) => assignable.roles.includes(role))) return 'role-not-assignable';
  if (!Object.keys(claims).every((name) => assignable.claims.includes(name))) return 'claim-not-assignable';
  if (!scopes.every((scope) => assignable.scopes.includes(scope))) return 'scope-not-assignable';
  return undefined;
}

/** @throws AdministrationError when the administrator may not give one of these. */
export function requireAssignable(administrator: Administrator, tenant: AdministeredTenant, rights: Rights): void {
  const problem = rightsProblem(administrator, tenant, rights);
  if (problem) throw refusal(problem);
}

/**
 * One of a tenant may change a user only where the tenant may give all that the user has: who resets a password can log in
 * as its user, and would have the user's rights.
 *
 * @throws AdministrationError when the administrator may not change a user with these rights.
 */
export function requireManageable(administrator: Administrator, tenant: AdministeredTenant, rights: Rights): void {
  if (rightsProblem(administrator, tenant, rights)) throw refusal('user-not-manageable');
}
