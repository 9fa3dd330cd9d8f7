import type { AdministeredUser, ListedTenant, NamedClaim, Page } from '../../use-cases/index.ts';

export function pageAnswer<Entry, Answer>({ entries, next }: Page<Entry>, answer: (entry: Entry) => Answer) {
  return { entries: entries.map(answer), next };
}

export function userAnswer(user: AdministeredUser) {
  return {
    tenant_id: user.tenantId,
    user_id: user.userId,
    username: user.username,
    allowed_roles: user.allowedRoles,
    default_role: user.defaultRole,
    claims: claimAnswers(user.claims),
    created_at: user.createdAt.toISOString(),
    disabled_at: user.disabledAt?.toISOString() ?? null,
    manageable: user.manageable,
  };
}

export function tenantAnswer(tenant: ListedTenant) {
  return {
    tenant_id: tenant.tenantId,
    name: tenant.name,
    created_at: tenant.createdAt.toISOString(),
    disabled_at: tenant.disabledAt?.toISOString() ?? null,
    claims: claimAnswers(tenant.claims),
    assignable_roles: tenant.assignable.roles,
    assignable_claims: tenant.assignable.claims,
    assignable_scopes: tenant.assignable.scopes,
  };
}

function claimAnswers(claims: Readonly<Record<string, string>>): NamedClaim[] {
  return Object.entries(claims).map(([name, value]) => ({ name, value }));
}
