import type { Administration, IdentifyAdministrator, ListedTenant } from '../../use-cases/index.ts';
import { sessionAnswer } from '../session-answer.ts';
import {
  auditAnswer,
  clientAnswer,
  keyAnswer,
  pageAnswer,
  tenantAnswer,
  throttledAnswer,
  userAnswer,
} from './answers.ts';
import { createResolve } from './resolve.ts';

export interface AdministrationUseCases {
  identifyAdministrator: IdentifyAdministrator;
  administration: Administration;
}

/** Creates the fields of administrators. Each checks the caller's own token, see `createIdentifyAdministrator`. */
export function createAdministrationFields({ identifyAdministrator, administration }: AdministrationUseCases) {
  const { query, mutation } = createResolve(identifyAdministrator);
  return {
    Query: {
      auth_admin_me: query(administration.describe, ({ actingAs, tenant }) => ({
        acting_as: actingAs,
        tenant: tenant && tenantAnswer(tenant),
      })),
      auth_admin_user_list: query(administration.listUsers, (page) => pageAnswer(page, userAnswer)),
      auth_admin_user_get: query(administration.getUser, userAnswer),
      auth_admin_session_list: query(administration.listSessions, (page) => pageAnswer(page, sessionAnswer)),
      auth_admin_throttled_list: query(administration.listThrottled, (page) => pageAnswer(page, throttledAnswer)),
      auth_admin_tenant_list: query(administration.listTenants, (page) => pageAnswer(page, tenantAnswer)),
      auth_admin_tenant_get: query(administration.getTenant, tenantAnswer),
      auth_admin_client_list: query(administration.listClients, (page) => pageAnswer(page, clientAnswer)),
      auth_admin_key_list: query(administration.listKeys, (keys) => keys.map(keyAnswer)),
      auth_admin_audit_log: query(administration.readAuditLog, (page) => pageAnswer(page, auditAnswer)),
    },
    Mutation: {
      auth_admin_user_create: mutation(administration.createUser, ({ user, generatedPassword }) => ({
        user: userAnswer(user),
        password: generatedPassword ?? null,
      })),
      auth_admin_user_disable: mutation(administration.disableUser, changedUser),
      auth_admin_user_enable: mutation(administration.enableUser, changedUser),
      auth_admin_user_set_roles: mutation(administration.setRoles, changedUser),
      auth_admin_user_set_claims: mutation(administration.setClaims, changedUser),
      auth_admin_user_reset_password: mutation(administration.resetPassword, ({ password, ...changed }) => ({
        ...changedUser(changed),
        password,
      })),
      auth_admin_user_delete: mutation(administration.deleteUser, ({ tenantId, userId, ended }) => ({
        tenant_id: tenantId,
        user_id: userId,
        revoked_sessions: ended,
      })),
      auth_admin_user_release: mutation(administration.releaseAccount, (user) => ({ user: userAnswer(user) })),
      auth_admin_session_revoke: mutation(administration.revokeSessions, changedUser),
      auth_admin_tenant_create: mutation(administration.createTenant, changedTenant),
      auth_admin_tenant_disable: mutation(administration.disableTenant, changedTenant),
      auth_admin_tenant_enable: mutation(administration.enableTenant, changedTenant),
      auth_admin_tenant_set_assignable: mutation(administration.setAssignable, changedTenant),
      auth_admin_tenant_set_claims: mutation(administration.setTenantClaims, changedTenant),
      auth_admin_role_set_claims: mutation(administration.setRoleClaims, changedTenant),
      auth_admin_client_create: mutation(administration.createClient, ({ client, clientSecret }) => ({
        client: clientAnswer(client),
        client_secret: clientSecret,
      })),
      auth_admin_client_revoke: mutation(administration.revokeClient, (client) => ({ client: clientAnswer(client) })),
      auth_admin_key_rotate: mutation(administration.rotateKeys, ({ kid, begun, activatesAt }) => ({
        kid,
        begun,
        signs_from: activatesAt.toISOString(),
      })),
      auth_admin_key_retire: mutation(administration.retireKey, ({ kid }) => ({ kid })),
    },
  };
}

function changedUser({ user, ended }: Awaited<ReturnType<Administration['disableUser']>>) {
  return { user: userAnswer(user), revoked_sessions: ended };
}

function changedTenant(tenant: ListedTenant) {
  return { tenant: tenantAnswer(tenant) };
}
