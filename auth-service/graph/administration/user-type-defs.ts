import { resultType } from './result-type.ts';

/** Users, their sessions and failed logins. */
export const userTypeDefs = /* GraphQL */ `
  extend type Query {
    "The users of a tenant, ordered by name. For administrators."
    auth_admin_user_list(
      "Defaults to the caller's own tenant. Required for operators."
      tenant_id: Int
      "The start of a username (case-insensitive), or the id of a user."
      search: String
      "true: disabled users. false: enabled users. Omit it to get all users."
      disabled: Boolean
      "The maximum number of entries: 1 to 200, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminUserPage
    "One user. For administrators."
    auth_admin_user_get(tenant_id: Int, user_id: ID): AuthAdminUser
    "The open sessions of a user, newest first. For administrators."
    auth_admin_session_list(
      tenant_id: Int
      user_id: ID
      "The maximum number of entries: 1 to 200, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminSessionPage
    "Users whose logins are temporarily rejected after too many failures. A page covers about 1,000 users, so it can be empty although there is a next page."
    auth_admin_throttled_list(
      tenant_id: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminThrottledPage
  }

  extend type Mutation {
    "Adds a user."
    auth_admin_user_create(data: AuthAdminUserCreateInput!): AuthAdminUserCreateResult!
    "Locks out a user immediately: logins are rejected, all sessions end, and all access tokens are revoked."
    auth_admin_user_disable(data: AuthAdminUserInput!): AuthAdminUserResult!
    "Lets a user log in again. Earlier sessions stay ended."
    auth_admin_user_enable(data: AuthAdminUserInput!): AuthAdminUserResult!
    "Sets the roles of a user. Replaces the current roles. Access tokens with a removed role are revoked."
    auth_admin_user_set_roles(data: AuthAdminUserSetRolesInput!): AuthAdminUserResult!
    "Sets the extra claims of a user. Replaces the current claims. Access tokens with a removed or changed claim are revoked."
    auth_admin_user_set_claims(data: AuthAdminUserSetClaimsInput!): AuthAdminUserResult!
    "Generates a new password for a user and ends all sessions of the user."
    auth_admin_user_reset_password(data: AuthAdminUserInput!): AuthAdminUserResetPasswordResult!
    "Deletes a user and all related data permanently. The audit log keeps its entries, with the user id only."
    auth_admin_user_delete(data: AuthAdminUserDeleteInput!): AuthAdminUserDeleteResult!
    "Clears the failed logins of a user, so that the user can log in immediately."
    auth_admin_user_release(data: AuthAdminUserInput!): AuthAdminUserReleaseResult!
    "Ends one session or all sessions of a user."
    auth_admin_session_revoke(data: AuthAdminSessionRevokeInput!): AuthAdminUserResult!
  }

  type AuthAdminUserPage {
    entries: [AuthAdminUser!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  "Times are in ISO 8601 format."
  type AuthAdminUser {
    tenant_id: Int!
    user_id: ID!
    username: String!
    allowed_roles: [String!]!
    default_role: String!
    "The user's own extra claims, without the claims of the tenant and the roles."
    claims: [AuthAdminClaim!]!
    created_at: String!
    "Null if the user is enabled."
    disabled_at: String
    "Whether the caller may change the user. Administrators of a tenant may not change a user who has a role or claim that they may not assign."
    manageable: Boolean!
  }

  type AuthAdminClaim {
    name: String!
    value: String!
  }

  input AuthAdminClaimInput {
    "For example x-hasura-department."
    name: String!
    value: String!
  }

  "The tenant is required for operators."
  input AuthAdminUserInput {
    tenant_id: Int
    "Required."
    user_id: ID
  }

  input AuthAdminUserCreateInput {
    tenant_id: Int
    "Required."
    username: String
    "Generated if omitted."
    password: String
    "Required."
    roles: [String!]
    "One of the roles. Defaults to the first role."
    default_role: String
    claims: [AuthAdminClaimInput!]
  }

  input AuthAdminUserSetRolesInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required."
    roles: [String!]
    "One of the roles. Defaults to the first role."
    default_role: String
  }

  input AuthAdminUserSetClaimsInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required. An empty list removes all claims."
    claims: [AuthAdminClaimInput!]
  }

  input AuthAdminUserDeleteInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Required. The name of this user, as a confirmation."
    username: String
  }

  input AuthAdminSessionRevokeInput {
    tenant_id: Int
    "Required."
    user_id: ID
    "Omit it to end all sessions of the user."
    session_id: ID
  }

  type AuthAdminSessionPage {
    entries: [AuthAdminSession!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  "Times are in ISO 8601 format."
  type AuthAdminSession {
    session_id: ID!
    created_at: String!
    last_used_at: String!
    "The time at which the session ends at the latest. A session ends earlier if it is not refreshed for a long time."
    expires_at: String!
    client_address: String
    user_agent: String
  }

  type AuthAdminThrottledPage {
    entries: [AuthAdminThrottledUser!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  type AuthAdminThrottledUser {
    user: AuthAdminUser!
    "The time, in ISO 8601 format, until which logins from devices that have not logged in before are rejected."
    waits_until: String!
  }

  type AuthAdminResetPassword {
    user: AuthAdminUser!
    "The password is returned only once."
    password: String!
    "The number of sessions that were ended."
    revoked_sessions: Int!
  }

  type AuthAdminDeletedUser {
    tenant_id: Int!
    user_id: ID!
    "The number of sessions that were ended."
    revoked_sessions: Int!
  }

  type AuthAdminReleasedUser {
    user: AuthAdminUser!
  }

  type AuthAdminCreatedUser {
    user: AuthAdminUser!
    "The generated password. It is returned only once. Null if the request contained a password."
    password: String
  }

  type AuthAdminChangedUser {
    user: AuthAdminUser!
    "The number of sessions that were ended."
    revoked_sessions: Int!
  }
  ${resultType('AuthAdminUserCreateResult', 'AuthAdminCreatedUser')}
  ${resultType('AuthAdminUserResult', 'AuthAdminChangedUser')}
  ${resultType('AuthAdminUserResetPasswordResult', 'AuthAdminResetPassword')}
  ${resultType('AuthAdminUserDeleteResult', 'AuthAdminDeletedUser')}
  ${resultType('AuthAdminUserReleaseResult', 'AuthAdminReleasedUser')}
`;
