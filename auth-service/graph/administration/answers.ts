import type {
  AdministeredClient,
  AdministeredKey,
  AdministeredUser,
  ListedTenant,
  NamedClaim,
  Page,
  ReadEntry,
  ThrottledUser,
} from '../../use-cases/index.ts';
import { entryAnswer } from '../audit-field.ts';

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

export function throttledAnswer({ user, waitsUntil }: ThrottledUser) {
  return { user: userAnswer(user), waits_until: waitsUntil.toISOString() };
}

export function clientAnswer(client: AdministeredClient) {
  return {
    tenant_id: client.tenantId,
    client_id: client.clientId,
    name: client.name,
    allowed_roles: client.allowedRoles,
    default_role: client.defaultRole,
    scopes: client.scopes,
    created_at: client.createdAt.toISOString(),
    revoked_at: client.revokedAt?.toISOString() ?? null,
    manageable: client.manageable,
  };
}

export function keyAnswer(key: AdministeredKey) {
  return {
    kid: key.kid,
    algorithm: key.algorithm,
    state: key.state,
    created_at: key.createdAt.toISOString(),
    signs_from: key.signsFrom.toISOString(),
    signed_until: key.signedUntil?.toISOString() ?? null,
    removed_at: key.removedAt?.toISOString() ?? null,
  };
}

export function auditAnswer(entry: ReadEntry) {
  return { tenant_id: entry.tenantId, ...entryAnswer(entry) };
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
