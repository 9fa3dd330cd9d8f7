import { graphql, type ResultOf } from '../../api/index.ts';

export const KEY_LIST = graphql(`
  query auth_admin_key_list {
    auth_admin_key_list {
      kid
      algorithm
      state
      created_at
      signs_from
      signed_until
      removed_at
    }
  }
`);

export type Key = NonNullable<ResultOf<typeof KEY_LIST>['auth_admin_key_list']>[number];

export const ROTATE = graphql(`
  mutation auth_admin_key_rotate {
    result: auth_admin_key_rotate {
      success
      error_code
      error_message
      data {
        kid
        begun
        signs_from
      }
    }
  }
`);

export const RETIRE = graphql(`
  mutation auth_admin_key_retire($data: AuthAdminKeyInput!) {
    result: auth_admin_key_retire(data: $data) {
      success
      error_code
      error_message
      data {
        kid
      }
    }
  }
`);
