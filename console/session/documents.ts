import { graphql } from '../api/index.ts';

export const LOGIN = graphql(`
  mutation auth_user_login($data: AuthUserLoginInput!) {
    auth_user_login(data: $data) {
      success
      error_message
      data {
        access_token
        expires_in
        refresh_token
      }
    }
  }
`);

export const REFRESH = graphql(`
  mutation auth_token_refresh($data: AuthTokenRefreshInput!) {
    auth_token_refresh(data: $data) {
      success
      error_message
      data {
        access_token
        expires_in
        refresh_token
      }
    }
  }
`);

export const LOGOUT = graphql(`
  mutation auth_user_logout($data: AuthUserLogoutInput) {
    auth_user_logout(data: $data) {
      success
      error_message
    }
  }
`);
