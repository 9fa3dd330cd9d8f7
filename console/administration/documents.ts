import { graphql, type ResultOf } from '../api/index.ts';

export const TENANT_FRAGMENT = graphql(`
  fragment AdministeredTenant on AuthAdminTenant @_unmask {
    tenant_id
    name
    created_at
    disabled_at
    claims {
      name
      value
    }
    assignable_roles
    assignable_claims
    assignable_scopes
  }
`);

export type Tenant = ResultOf<typeof TENANT_FRAGMENT>;

export const ADMINISTRATOR = graphql(
  `
    query auth_admin_me($tenant_id: Int, $names_tenant: Boolean!) {
      auth_admin_me {
        acting_as
        tenant {
          ...AdministeredTenant
        }
      }
      auth_admin_tenant_get(tenant_id: $tenant_id) @include(if: $names_tenant) {
        ...AdministeredTenant
      }
    }
  `,
  [TENANT_FRAGMENT],
);

export const TENANT_LIST = graphql(
  `
    query auth_admin_tenant_list($search: String, $after: ID) {
      auth_admin_tenant_list(search: $search, after: $after) {
        entries {
          ...AdministeredTenant
        }
        next
      }
    }
  `,
  [TENANT_FRAGMENT],
);

export const RELEASE_USER = graphql(`
  mutation auth_admin_user_release($data: AuthAdminUserInput!) {
    result: auth_admin_user_release(data: $data) {
      success
      error_code
      error_message
      data {
        user {
          user_id
        }
      }
    }
  }
`);
