import { resultType } from './result-type.ts';

/** Users, their sessions and failed logins. */
export const userTypeDefs = /* GraphQL */ `
  extend type Query {
    "The users of a tenant by name. For administrators."
    auth_admin_user_list(
      "Of the caller's own tenant where it is left out; operators have to name one."
      tenant_id: Int
      "The beginning of usernames, in upper or lower case, or the id of a user."
      search: String
      "true: those who are locked out, false: those who may log in; all where it is left out."
      disabled: Boolean
      "How many at most: 1 to 200, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminUserPage
    "One user. For administrators."
    auth_admin_user_get(tenant_id: Int, user_id: ID): AuthAdminUser
    "The living sessions of a user, the newest first. For administrators."
    auth_admin_session_list(
      tenant_id: Int
      user_id: ID
      "How many at most: 1 to 200, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminSessionPage
    "Users whose logins are refused after too many failures. A page is of about 1,000 users, so it may be empty and have a next one."
    auth_admin_throttled_list(
      tenant_id: Int
      "The next of the page before."
      after: ID
    ): AuthAdminThrottledPage
  }

  extend type Mutation {
    "Adds a user."
    auth_admin_user_create(data: AuthAdminUserCreateInput!): AuthAdminUserCreateResult!
    "Locks a user out at once: no login, no refresh, all sessions ended, all access tokens revoked."
    auth_admin_user_disable(data: AuthAdminUserInput!): AuthAdminUserResult!
    "Lets a user log in again. The sessions from before stay ended."
    auth_admin_user_enable(data: AuthAdminUserInput!): AuthAdminUserResult!
    "Gives a user these roles in place of the present ones. Access tokens that have a role which was taken away are revoked."
    auth_admin_user_set_roles(data: AuthAdminUserSetRolesInput!): AuthAdminUserResult!
    "Gives a user these extra claims in place of the present ones. Access tokens that have others are revoked."
    auth_admin_user_set_claims(data: AuthAdminUserSetClaimsInput!): AuthAdminUserResult!
    "Gives a user a generated password and ends all of the user's sessions."
    auth_admin_user_reset_password(data: AuthAdminUserInput!): AuthAdminUserResetPasswordResult!
    "Deletes a user for good, with all that is stored of them. The audit log keeps what happened, by the user's id."
    auth_admin_user_delete(data: AuthAdminUserDeleteInput!): AuthAdminUserDeleteResult!
    "Forgets failed logins of a user, so that the right password is accepted at once."
    auth_admin_user_release(data: AuthAdminUserInput!): AuthAdminUserReleaseResult!
    "Ends one session of a user, or all of them."
    auth_admin_session_revoke(data: AuthAdminSessionRevokeInput!): AuthAdminUserResult!
  }

  type AuthAdminUserPage {
    entries: [AuthAdminUser!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  "Times are in ISO 8601."
  type AuthAdminUser {
    tenant_id: Int!
    user_id: ID!
    username: String!
    allowed_roles: [String!]!
    default_role: String!
    "The user's own extra claims, without those of the tenant and of roles."
    claims: [AuthAdminClaim!]!
    created_at: String!
    "Null for one who may log in."
    disabled_at: String
    "Whether the caller may change the user: administrators of a tenant may not where the user has a role or claim that they may not give."
    manageable: Boolean!
  }

  type AuthAdminClaim {
    name: String!
    value: String!
  }

  input AuthAdminClaimInput {
    "Such as x-hasura-department."
    name: String!
    value: String!
  }

  "Operators have to name a tenant."
  input AuthAdminUserInput {
    tenant_id: Int
    "Required."
    user_id: ID
  }

  input AuthAdminUserCreateInput {
    tenant_id: Int
    "Required."
    username: String
    "Generated where it is left out."
    password: String
    "Required."
    roles: [String!]
    "One of the roles; the first of them where it is left out."
    default_role: String
    claims: [AuthAdminClaimInput!]
  }

  input AuthAdminUserSetRolesInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required."
    roles: [String!]
    "One of the roles; the first of them where it is left out."
    default_role: String
  }

  input AuthAdminUserSetClaimsInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required. An empty list takes all away."
    claims: [AuthAdminClaimInput!]
  }

  input AuthAdminUserDeleteInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required: the name of this user, as a confirmation."
    username: String
  }

  input AuthAdminSessionRevokeInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "All of the user's where it is left out."
    session_id: ID
  }

  type AuthAdminSessionPage {
    entries: [AuthAdminSession!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  "Times are in ISO 8601."
  type AuthAdminSession {
    session_id: ID!
    created_at: String!
    last_used_at: String!
    "The absolute end. A session that is not refreshed for long ends before."
    expires_at: String!
    client_address: String
    user_agent: String
  }

  type AuthAdminThrottledPage {
    entries: [AuthAdminThrottledUser!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  type AuthAdminThrottledUser {
    user: AuthAdminUser!
    "Until when passwords are not checked, on devices that have not logged in before. In ISO 8601."
    waits_until: String!
  }

  type AuthAdminResetPassword {
    user: AuthAdminUser!
    "It cannot be read again."
    password: String!
    "How many sessions ended."
    revoked_sessions: Int!
  }

  type AuthAdminDeletedUser {
    tenant_id: Int!
    user_id: ID!
    "How many sessions ended."
    revoked_sessions: Int!
  }

  type AuthAdminReleasedUser {
    user: AuthAdminUser!
  }

  type AuthAdminCreatedUser {
    user: AuthAdminUser!
    "The generated password, which cannot be read again. Null where one was given."
    password: String
  }

  type AuthAdminChangedUser {
    user: AuthAdminUser!
    "How many sessions ended."
    revoked_sessions: Int!
  }
  ${resultType('AuthAdminUserCreateResult', 'AuthAdminCreatedUser')}
  ${resultType('AuthAdminUserResult', 'AuthAdminChangedUser')}
  ${resultType('AuthAdminUserResetPasswordResult', 'AuthAdminResetPassword')}
  ${resultType('AuthAdminUserDeleteResult', 'AuthAdminDeletedUser')}
  ${resultType('AuthAdminUserReleaseResult', 'AuthAdminReleasedUser')}
`;
