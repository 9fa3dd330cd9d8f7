import type { ExtraClaims } from '../../tokens/index.ts';
import type { AdministeredTenant } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { refusal } from './errors.ts';

/** The current or intended rights of a user or service account. Absent members are not checked. */
export interface Rights {
  readonly allowedRoles?: readonly string[];
  readonly claims?: ExtraClaims;
  readonly scopes?: readonly string[];
}

/** Returns the problem if the administrator may not give one of the rights. Operators may give all rights. */
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

/** @throws AdministrationError if the administrator may not give one of these rights. */
export function requireAssignable(administrator: Administrator, tenant: AdministeredTenant, rights: Rights): void {
  const problem = rightsProblem(administrator, tenant, rights);
  if (problem) throw refusal(problem);
}

/**
 * A tenant's administrator may change a user only if the tenant's administrators may give all of the user's rights. An
 * administrator who resets a password could otherwise log in as the user, and would have these rights.
 *
 * @throws AdministrationError if the administrator may not change a user with these rights.
 */
export function requireManageable(administrator: Administrator, tenant: AdministeredTenant, rights: Rights): void {
  if (rightsProblem(administrator, tenant, rights)) throw refusal('user-not-manageable');
}
