import type { Administration, IdentifyAdministrator } from '../../use-cases/index.ts';
import { pageAnswer, tenantAnswer, userAnswer } from './answers.ts';
import { createResolve } from './resolve.ts';

export interface AdministrationUseCases {
  identifyAdministrator: IdentifyAdministrator;
  administration: Administration;
}

/** The fields of administrators. Each of them decides by the caller's own token, see `createIdentifyAdministrator`. */
export function createAdministrationFields({ identifyAdministrator, administration }: AdministrationUseCases) {
  const { query, mutation } = createResolve(identifyAdministrator);
  const changedUser = ({ user, ended }: Awaited<ReturnType<Administration['disableUser']>>) => ({
    user: userAnswer(user),
    revoked_sessions: ended,
  });

  return {
    Query: {
      auth_admin_me: query(administration.describe, ({ actingAs, tenant }) => ({
        acting_as: actingAs,
        tenant: tenant && tenantAnswer(tenant),
      })),
      auth_admin_user_list: query(administration.listUsers, (page) => pageAnswer(page, userAnswer)),
      auth_admin_user_get: query(administration.getUser, userAnswer),
      auth_admin_tenant_list: query(administration.listTenants, (page) => pageAnswer(page, tenantAnswer)),
      auth_admin_tenant_get: query(administration.getTenant, tenantAnswer),
    },
    Mutation: {
      auth_admin_user_create: mutation(
        'auth_admin_user_create',
        administration.createUser,
        ({ user, generatedPassword }) => ({ user: userAnswer(user), password: generatedPassword ?? null }),
      ),
      auth_admin_user_disable: mutation('auth_admin_user_disable', administration.disableUser, changedUser),
      auth_admin_user_enable: mutation('auth_admin_user_enable', administration.enableUser, changedUser),
      auth_admin_user_set_roles: mutation('auth_admin_user_set_roles', administration.setRoles, changedUser),
      auth_admin_user_set_claims: mutation('auth_admin_user_set_claims', administration.setClaims, changedUser),
    },
  };
}
