const RESULT_FIELDS = `
    success: Boolean!
    "A stable name of the refusal, see docs/administration.md. Null on success."
    error_code: String
    "Null on success."
    error_message: String`;

/** A mutation's result around `data`, a type's name. */
function resultType(name: string, data: string): string {
  return `
  type ${name} {${RESULT_FIELDS}
    "Null when refused."
    data: ${data}
  }`;
}

export const administrationTypeDefs = /* GraphQL */ `
  extend type Query {
    "What the caller administers. For administrators."
    auth_admin_me: AuthAdminMe
    "The users of a tenant by name. For administrators."
    auth_admin_user_list(
      "Of the caller's own tenant where it is left out; operators have to name one."
      tenant_id: Int
      "The beginning of usernames, in upper or lower case, or the id of a user."
      search: String
      "How many at most: 1 to 200, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminUserPage
    "One user. For administrators."
    auth_admin_user_get(tenant_id: Int, user_id: ID): AuthAdminUser
    "The tenants by id: all of them for operators, their own for administrators of one."
    auth_admin_tenant_list(
      "A part of the name in upper or lower case, or the id."
      search: String
      "How many at most: 1 to 200, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminTenantPage
    "One tenant. For administrators."
    auth_admin_tenant_get(tenant_id: Int): AuthAdminTenant
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
  }

  type AuthAdminMe {
    "tenant-administrator or platform-operator."
    acting_as: String!
    "The tenant that is administered. Null for operators, who administer all."
    tenant: AuthAdminTenant
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

  type AuthAdminTenantPage {
    entries: [AuthAdminTenant!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  "Times are in ISO 8601."
  type AuthAdminTenant {
    tenant_id: Int!
    name: String!
    created_at: String!
    disabled_at: String
    "The extra claims of everybody in the tenant."
    claims: [AuthAdminClaim!]!
    "What the tenant's administrators may give to users and service accounts."
    assignable_roles: [String!]!
    "Names of extra claims."
    assignable_claims: [String!]!
    assignable_scopes: [String!]!
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
`;
