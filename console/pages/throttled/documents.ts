import { graphql } from '../../api/index.ts';

export const THROTTLED_LIST = graphql(`
  query auth_admin_throttled_list($tenant_id: Int, $after: ID) {
    auth_admin_throttled_list(tenant_id: $tenant_id, after: $after) {
      entries {
        user {
          user_id
          username
          manageable
        }
        waits_until
      }
      next
    }
  }
`);

export const RELEASE_THROTTLED_USER = graphql(`
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
