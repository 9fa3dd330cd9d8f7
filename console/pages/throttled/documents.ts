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
