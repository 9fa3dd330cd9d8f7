import { TENANT_FRAGMENT } from '../../administration/index.ts';
import { graphql } from '../../api/index.ts';

export const TENANT_DETAILS = graphql(
  `
    query auth_admin_tenant_get($tenant_id: Int) {
      auth_admin_tenant_get(tenant_id: $tenant_id) {
        ...AdministeredTenant
      }
    }
  `,
  [TENANT_FRAGMENT],
);

export const CREATE_TENANT = graphql(`
  mutation auth_admin_tenant_create($data: AuthAdminTenantCreateInput!) {
    result: auth_admin_tenant_create(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);

export const DISABLE_TENANT = graphql(`
  mutation auth_admin_tenant_disable($data: AuthAdminTenantInput!) {
    result: auth_admin_tenant_disable(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);

export const ENABLE_TENANT = graphql(`
  mutation auth_admin_tenant_enable($data: AuthAdminTenantInput!) {
    result: auth_admin_tenant_enable(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);

export const SET_ASSIGNABLE = graphql(`
  mutation auth_admin_tenant_set_assignable($data: AuthAdminTenantSetAssignableInput!) {
    result: auth_admin_tenant_set_assignable(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);

export const SET_TENANT_CLAIMS = graphql(`
  mutation auth_admin_tenant_set_claims($data: AuthAdminTenantSetClaimsInput!) {
    result: auth_admin_tenant_set_claims(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);

export const SET_ROLE_CLAIMS = graphql(`
  mutation auth_admin_role_set_claims($data: AuthAdminRoleSetClaimsInput!) {
    result: auth_admin_role_set_claims(data: $data) {
      success
      error_code
      error_message
      data {
        tenant {
          tenant_id
          name
        }
      }
    }
  }
`);
