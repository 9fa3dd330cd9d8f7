import { resultType } from './result-type.ts';

/** Tenants, service accounts, signing keys and the audit log. */
export const tenantTypeDefs = /* GraphQL */ `
  extend type Query {
    "The administration rights of the caller. For administrators."
    auth_admin_me: AuthAdminMe
    "The tenants, ordered by id. Operators see all tenants; administrators of a tenant see only their own."
    auth_admin_tenant_list(
      "A part of the name (case-insensitive), or the id."
      search: String
      "The maximum number of entries: 1 to 200, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminTenantPage
    "One tenant. For administrators."
    auth_admin_tenant_get(tenant_id: Int): AuthAdminTenant
    "The service accounts of a tenant, newest first. For administrators."
    auth_admin_client_list(
      tenant_id: Int
      "The maximum number of entries: 1 to 200, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminClientPage
    "The signing keys, oldest first. For operators."
    auth_admin_key_list: [AuthAdminKey!]
    "The security events of one tenant, newest first. Operators who omit the tenant get the events of all tenants and the platform."
    auth_admin_audit_log(
      tenant_id: Int
      filter: AuthAuditLogFilter
      "The maximum number of entries: 1 to 500, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAdminAuditPage
  }

  extend type Mutation {
    "Adds a tenant. For operators, like all mutations of tenants."
    auth_admin_tenant_create(data: AuthAdminTenantCreateInput!): AuthAdminTenantResult!
    "Locks out all users of a tenant immediately: logins are rejected, all sessions end, and all access tokens are revoked."
    auth_admin_tenant_disable(data: AuthAdminTenantInput!): AuthAdminTenantResult!
    "Lets the users of a tenant log in again. Earlier sessions stay ended."
    auth_admin_tenant_enable(data: AuthAdminTenantInput!): AuthAdminTenantResult!
    "Sets the roles, claims and scopes that administrators of a tenant may assign to its users and service accounts. An omitted list is not changed."
    auth_admin_tenant_set_assignable(data: AuthAdminTenantSetAssignableInput!): AuthAdminTenantResult!
    "Sets the extra claims of all users of a tenant. Replaces the current claims."
    auth_admin_tenant_set_claims(data: AuthAdminTenantSetClaimsInput!): AuthAdminTenantResult!
    "Sets the extra claims of all users with a role in a tenant. Replaces the current claims."
    auth_admin_role_set_claims(data: AuthAdminRoleSetClaimsInput!): AuthAdminTenantResult!
    "Adds a service account."
    auth_admin_client_create(data: AuthAdminClientCreateInput!): AuthAdminClientCreateResult!
    "Revokes a service account permanently. Its secret and all its tokens stop working."
    auth_admin_client_revoke(data: AuthAdminClientInput!): AuthAdminClientResult!
    "Publishes a new signing key. It is used for signing once every verifier knows it. For operators."
    auth_admin_key_rotate: AuthAdminKeyRotateResult!
    "Removes a key that is not in use for signing. Tokens signed with it are rejected within minutes. For operators."
    auth_admin_key_retire(data: AuthAdminKeyInput!): AuthAdminKeyRetireResult!
  }

  type AuthAdminMe {
    "One of tenant-administrator or platform-operator."
    acting_as: String!
    "The tenant that the caller administers. Null for operators, who administer all tenants."
    tenant: AuthAdminTenant
  }

  type AuthAdminTenantPage {
    entries: [AuthAdminTenant!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  "Times are in ISO 8601 format."
  type AuthAdminTenant {
    tenant_id: Int!
    name: String!
    created_at: String!
    disabled_at: String
    "The extra claims of all users of the tenant."
    claims: [AuthAdminClaim!]!
    "The roles that administrators of the tenant may assign to users and service accounts."
    assignable_roles: [String!]!
    "The names of extra claims."
    assignable_claims: [String!]!
    assignable_scopes: [String!]!
  }

  "The tenant is required."
  input AuthAdminTenantInput {
    tenant_id: Int
  }

  "Both fields are required. Users enter the id when they log in."
  input AuthAdminTenantCreateInput {
    tenant_id: Int
    name: String
  }

  input AuthAdminTenantSetAssignableInput {
    "Required."
    tenant_id: Int
    roles: [String!]
    "The names of extra claims."
    claims: [String!]
    scopes: [String!]
  }

  "Both fields are required. An empty list removes all claims."
  input AuthAdminTenantSetClaimsInput {
    tenant_id: Int
    claims: [AuthAdminClaimInput!]
  }

  "All fields are required. An empty list removes all claims."
  input AuthAdminRoleSetClaimsInput {
    tenant_id: Int
    role: String
    claims: [AuthAdminClaimInput!]
  }

  type AuthAdminClientPage {
    entries: [AuthAdminClient!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  "A service account. Times are in ISO 8601 format."
  type AuthAdminClient {
    tenant_id: Int!
    client_id: ID!
    name: String!
    allowed_roles: [String!]!
    default_role: String!
    scopes: [String!]!
    created_at: String!
    "Null if the service account is not revoked."
    revoked_at: String
    "Whether the caller may revoke the service account."
    manageable: Boolean!
  }

  input AuthAdminClientCreateInput {
    tenant_id: Int
    "Required."
    name: String
    "Required."
    roles: [String!]
    "One of the roles. Defaults to the first role."
    default_role: String
    "The scopes that the service account may request. Empty by default."
    scopes: [String!]
  }

  input AuthAdminClientInput {
    tenant_id: Int
    "Required."
    client_id: ID
  }

  type AuthAdminCreatedClient {
    client: AuthAdminClient!
    "The secret is returned only once."
    client_secret: String!
  }

  type AuthAdminRevokedClient {
    client: AuthAdminClient!
  }

  type AuthAdminChangedTenant {
    tenant: AuthAdminTenant!
  }

  "Times are in ISO 8601 format."
  type AuthAdminKey {
    kid: ID!
    algorithm: String!
    "One of next, active or retired."
    state: String!
    created_at: String!
    signs_from: String!
    signed_until: String
    "The time at which the last token that the key signed expires."
    removed_at: String
  }

  input AuthAdminKeyInput {
    "Required."
    kid: ID
  }

  type AuthAdminRotatedKey {
    kid: ID!
    "False if a rotation was already in progress. The result then describes that rotation."
    begun: Boolean!
    "A time in ISO 8601 format."
    signs_from: String!
  }

  type AuthAdminRetiredKey {
    kid: ID!
  }

  type AuthAdminAuditPage {
    entries: [AuthAdminAuditEntry!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  "An entry of the audit log. See AuthAuditEntry."
  type AuthAdminAuditEntry {
    "The id of the tenant, or 0 for the platform."
    tenant_id: Int!
    id: ID!
    at: String!
    event: String!
    outcome: String!
    actor_kind: String!
    actor_id: String
    subject_kind: String
    subject_id: String
    client_address: String
    user_agent: String
    request_id: String
    details: [AuthAuditDetail!]!
  }
  ${resultType('AuthAdminTenantResult', 'AuthAdminChangedTenant')}
  ${resultType('AuthAdminClientCreateResult', 'AuthAdminCreatedClient')}
  ${resultType('AuthAdminClientResult', 'AuthAdminRevokedClient')}
  ${resultType('AuthAdminKeyRotateResult', 'AuthAdminRotatedKey')}
  ${resultType('AuthAdminKeyRetireResult', 'AuthAdminRetiredKey')}
`;
