import { graphql, type ResultOf } from '../../api/index.ts';

export const CLIENT_LIST = graphql(`
  query auth_admin_client_list($tenant_id: Int, $after: ID) {
    auth_admin_client_list(tenant_id: $tenant_id, after: $after) {
      entries {
        tenant_id
        client_id
        name
        allowed_roles
        default_role
        scopes
        created_at
        revoked_at
        manageable
      }
      next
    }
  }
`);

export type ClientEntry = NonNullable<ResultOf<typeof CLIENT_LIST>['auth_admin_client_list']>['entries'][number];

export const CREATE_CLIENT = graphql(`
  mutation auth_admin_client_create($data: AuthAdminClientCreateInput!) {
    result: auth_admin_client_create(data: $data) {
      success
      error_code
      error_message
      data {
        client {
          client_id
          name
        }
        client_secret
      }
    }
  }
`);

export const REVOKE = graphql(`
  mutation auth_admin_client_revoke($data: AuthAdminClientInput!) {
    result: auth_admin_client_revoke(data: $data) {
      success
      error_code
      error_message
      data {
        client {
          client_id
        }
      }
    }
  }
`);
