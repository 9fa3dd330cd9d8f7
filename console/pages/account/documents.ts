import { graphql } from '../../api/index.ts';

export const ACCOUNT = graphql(`
  query auth_user_me {
    auth_user_me {
      user_id
      username
      tenant_id
      tenant_name
      allowed_roles
    }
    auth_session_list {
      session_id
      created_at
      last_used_at
      client_address
      user_agent
      current
    }
  }
`);

export const END_SESSION = graphql(`
  mutation auth_session_revoke($data: AuthSessionRevokeInput!) {
    auth_session_revoke(data: $data) {
      success
      error_message
    }
  }
`);
