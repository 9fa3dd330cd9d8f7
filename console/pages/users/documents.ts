import { graphql, type ResultOf } from '../../api/index.ts';

const USER = graphql(`
  fragment AdministeredUser on AuthAdminUser @_unmask {
    tenant_id
    user_id
    username
    allowed_roles
    default_role
    claims {
      name
      value
    }
    created_at
    disabled_at
    manageable
  }
`);

export type User = ResultOf<typeof USER>;

export const USER_LIST = graphql(
  `
    query auth_admin_user_list($tenant_id: Int, $search: String, $disabled: Boolean, $after: ID) {
      auth_admin_user_list(tenant_id: $tenant_id, search: $search, disabled: $disabled, after: $after) {
        entries {
          ...AdministeredUser
        }
        next
      }
    }
  `,
  [USER],
);

export const USER_DETAILS = graphql(
  `
    query auth_admin_user_get($tenant_id: Int, $user_id: ID) {
      auth_admin_user_get(tenant_id: $tenant_id, user_id: $user_id) {
        ...AdministeredUser
      }
      auth_admin_session_list(tenant_id: $tenant_id, user_id: $user_id) {
        entries {
          session_id
          created_at
          last_used_at
          expires_at
          client_address
          user_agent
        }
        next
      }
    }
  `,
  [USER],
);

type UserDetailsResult = ResultOf<typeof USER_DETAILS>;
export type SessionPage = UserDetailsResult['auth_admin_session_list'];
export type UserSession = NonNullable<SessionPage>['entries'][number];

export const CREATE_USER = graphql(`
  mutation auth_admin_user_create($data: AuthAdminUserCreateInput!) {
    result: auth_admin_user_create(data: $data) {
      success
      error_code
      error_message
      data {
        user {
          user_id
          username
        }
        password
      }
    }
  }
`);

export const DISABLE_USER = graphql(`
  mutation auth_admin_user_disable($data: AuthAdminUserInput!) {
    result: auth_admin_user_disable(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);

export const ENABLE_USER = graphql(`
  mutation auth_admin_user_enable($data: AuthAdminUserInput!) {
    result: auth_admin_user_enable(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);

export const SET_ROLES = graphql(`
  mutation auth_admin_user_set_roles($data: AuthAdminUserSetRolesInput!) {
    result: auth_admin_user_set_roles(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);

export const SET_USER_CLAIMS = graphql(`
  mutation auth_admin_user_set_claims($data: AuthAdminUserSetClaimsInput!) {
    result: auth_admin_user_set_claims(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);

export const RESET_PASSWORD = graphql(`
  mutation auth_admin_user_reset_password($data: AuthAdminUserInput!) {
    result: auth_admin_user_reset_password(data: $data) {
      success
      error_code
      error_message
      data {
        password
      }
    }
  }
`);

export const DELETE_USER = graphql(`
  mutation auth_admin_user_delete($data: AuthAdminUserDeleteInput!) {
    result: auth_admin_user_delete(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);

export const END_SESSIONS = graphql(`
  mutation auth_admin_session_revoke($data: AuthAdminSessionRevokeInput!) {
    result: auth_admin_session_revoke(data: $data) {
      success
      error_code
      error_message
      data {
        revoked_sessions
      }
    }
  }
`);
