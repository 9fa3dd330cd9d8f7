import { resultType } from './result-type.ts';

/** Tenants, service accounts, signing keys and the audit log. */
export const tenantTypeDefs = /* GraphQL */ `
  extend type Query {
    "What the caller administers. For administrators."
    auth_admin_me: AuthAdminMe
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
    "The service accounts of a tenant, the newest first. For administrators."
    auth_admin_client_list(
      tenant_id: Int
      "How many at most: 1 to 200, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminClientPage
    "The signing keys, the oldest first. For operators."
    auth_admin_key_list: [AuthAdminKey!]
    "What happened that matters to security, the newest first: in one tenant, or for operators who name none, everywhere."
    auth_admin_audit_log(
      tenant_id: Int
      filter: AuthAuditLogFilter
      "How many entries at most: 1 to 500, 50 if left out."
      first: Int
      "The next of the page before."
      after: ID
    ): AuthAdminAuditPage
  }

  extend type Mutation {
    "Adds a tenant. For operators, as are the others of tenants."
    auth_admin_tenant_create(data: AuthAdminTenantCreateInput!): AuthAdminTenantResult!
    "Locks a whole tenant out at once: no login, no refresh, all sessions ended, all access tokens revoked."
    auth_admin_tenant_disable(data: AuthAdminTenantInput!): AuthAdminTenantResult!
    "Lets the users of a tenant log in again. The sessions from before stay ended."
    auth_admin_tenant_enable(data: AuthAdminTenantInput!): AuthAdminTenantResult!
    "Sets what administrators of a tenant may give to its users and service accounts. A list that is left out stays."
    auth_admin_tenant_set_assignable(data: AuthAdminTenantSetAssignableInput!): AuthAdminTenantResult!
    "Sets the extra claims of all users of a tenant, in place of the present ones."
    auth_admin_tenant_set_claims(data: AuthAdminTenantSetClaimsInput!): AuthAdminTenantResult!
    "Sets the extra claims of all users with a role in a tenant, in place of the present ones."
    auth_admin_role_set_claims(data: AuthAdminRoleSetClaimsInput!): AuthAdminTenantResult!
    "Adds a service account."
    auth_admin_client_create(data: AuthAdminClientCreateInput!): AuthAdminClientCreateResult!
    "Makes the secret and all tokens of a service account worthless, for good."
    auth_admin_client_revoke(data: AuthAdminClientInput!): AuthAdminClientResult!
    "Publishes a new signing key, which signs once every verifier knows it. For operators."
    auth_admin_key_rotate: AuthAdminKeyRotateResult!
    "Removes a key that does not sign; tokens that it signed are refused within minutes. For operators."
    auth_admin_key_retire(data: AuthAdminKeyInput!): AuthAdminKeyRetireResult!
  }

  type AuthAdminMe {
    "tenant-administrator or platform-operator."
    acting_as: String!
    "The tenant that is administered. Null for operators, who administer all."
    tenant: AuthAdminTenant
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
    "The extra claims of all users of the tenant."
    claims: [AuthAdminClaim!]!
    "What the tenant's administrators may give to users and service accounts."
    assignable_roles: [String!]!
    "Names of extra claims."
    assignable_claims: [String!]!
    assignable_scopes: [String!]!
  }

  "Required."
  input AuthAdminTenantInput {
    tenant_id: Int
  }

  "Both are required. The id is what callers log in with."
  input AuthAdminTenantCreateInput {
    tenant_id: Int
    name: String
  }

  input AuthAdminTenantSetAssignableInput {
    "Required."
    tenant_id: Int
    roles: [String!]
    "Names of extra claims."
    claims: [String!]
    scopes: [String!]
  }

  "Both are required. An empty list takes all away."
  input AuthAdminTenantSetClaimsInput {
    tenant_id: Int
    claims: [AuthAdminClaimInput!]
  }

  "All are required. An empty list takes all away."
  input AuthAdminRoleSetClaimsInput {
    tenant_id: Int
    role: String
    claims: [AuthAdminClaimInput!]
  }

  type AuthAdminClientPage {
    entries: [AuthAdminClient!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  "A service account. Times are in ISO 8601."
  type AuthAdminClient {
    tenant_id: Int!
    client_id: ID!
    name: String!
    allowed_roles: [String!]!
    default_role: String!
    scopes: [String!]!
    created_at: String!
    "Null for one that may get tokens."
    revoked_at: String
    "Whether the caller may revoke it."
    manageable: Boolean!
  }

  input AuthAdminClientCreateInput {
    tenant_id: Int
    "Required."
    name: String
    "Required."
    roles: [String!]
    "One of the roles; the first of them where it is left out."
    default_role: String
    "What it may ask for; nothing where it is left out."
    scopes: [String!]
  }

  input AuthAdminClientInput {
    tenant_id: Int
    "Required."
    client_id: ID
  }

  type AuthAdminCreatedClient {
    client: AuthAdminClient!
    "It cannot be read again."
    client_secret: String!
  }

  type AuthAdminRevokedClient {
    client: AuthAdminClient!
  }

  type AuthAdminChangedTenant {
    tenant: AuthAdminTenant!
  }

  "Times are in ISO 8601."
  type AuthAdminKey {
    kid: ID!
    algorithm: String!
    "next, active or retired."
    state: String!
    created_at: String!
    signs_from: String!
    signed_until: String
    "When its last token has ended."
    removed_at: String
  }

  input AuthAdminKeyInput {
    "Required."
    kid: ID
  }

  type AuthAdminRotatedKey {
    kid: ID!
    "False when a rotation was under way; then it is that one."
    begun: Boolean!
    "In ISO 8601."
    signs_from: String!
  }

  type AuthAdminRetiredKey {
    kid: ID!
  }

  type AuthAdminAuditPage {
    entries: [AuthAdminAuditEntry!]!
    "For after, to get the next page. Null on the last one."
    next: ID
  }

  "As AuthAuditEntry."
  type AuthAdminAuditEntry {
    "0: the platform."
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
