import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { missingField, REFUSALS } from '../errors.ts';
import type { LogEvent } from '../http/index.ts';
import type { Login, LoginInput, LoginResult, ReadAudit } from '../use-cases/index.ts';
import {
  type AdministrationUseCases,
  administrationTypeDefs,
  createAdministrationFields,
} from './administration/index.ts';
import { auditTypeDefs, createAuditField } from './audit-field.ts';
import type { GraphContext } from './context.ts';
import { busy, refusedResult, throttledResult, tokensAnswer } from './mutation-result.ts';
import { createSessionFields, type SessionUseCases } from './session-fields.ts';

/** Root fields that check a password or a token. An operation may have only one of them. */
export const AUTHENTICATION_FIELDS: ReadonlySet<string> = new Set([
  'auth_token_refresh',
  'auth_user_change_password',
  'auth_user_login',
  'auth_user_logout',
]);

const typeDefs = /* GraphQL */ `
  type Query {
    "The caller's own account."
    auth_user_me: AuthUser
    "The caller's open sessions, most recently used first."
    auth_session_list: [AuthSession!]
  }

  type Mutation {
    "Logs in with a username, a password and a tenant id, and returns tokens. A rejected login is a result with success false, not a GraphQL error."
    auth_user_login(data: AuthUserLoginInput!): AuthUserLoginResult!
    "Exchanges a refresh token for new tokens. A refresh token can be used once. Repeating the request immediately returns the same new token."
    auth_token_refresh(data: AuthTokenRefreshInput!): AuthTokenRefreshResult!
    "Ends the session of the refresh token. Without a refresh token, ends the session of the bearer token."
    auth_user_logout(data: AuthUserLogoutInput): AuthUserLogoutResult!
    "Ends one of the caller's sessions."
    auth_session_revoke(data: AuthSessionRevokeInput!): AuthSessionRevokeResult!
    "Changes the caller's password and ends all other sessions of the caller."
    auth_user_change_password(data: AuthUserChangePasswordInput!): AuthUserChangePasswordResult!
  }

  "All fields are required. If a field is missing, the error message of the result names it."
  input AuthUserLoginInput {
    username: String
    password: String
    tenant_id: Int
  }

  type AuthUserLoginResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: AuthTokens
  }

  input AuthTokenRefreshInput {
    "Required."
    refresh_token: String
  }

  type AuthTokenRefreshResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: AuthTokens
  }

  input AuthUserLogoutInput {
    refresh_token: String
    "Whether to end all sessions of the user, on all devices."
    all: Boolean
  }

  type AuthUserLogoutResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: AuthRevokedSessions
  }

  input AuthSessionRevokeInput {
    "Required."
    session_id: ID
  }

  type AuthSessionRevokeResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: AuthRevokedSessions
  }

  "Both fields are required."
  input AuthUserChangePasswordInput {
    current_password: String
    new_password: String
  }

  type AuthUserChangePasswordResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: AuthRevokedSessions
  }

  type AuthRevokedSessions {
    "The number of sessions that were ended."
    revoked_sessions: Int!
  }

  type AuthTokens {
    "A JWT. Send it as the bearer token of later requests."
    access_token: String!
    "The lifetime of the access token in seconds."
    expires_in: Int!
    refresh_token: String!
  }

  type AuthUser {
    user_id: ID!
    username: String!
    tenant_id: Int!
    tenant_name: String!
    default_role: String!
    allowed_roles: [String!]!
  }

  "Times are in ISO 8601 format."
  type AuthSession {
    session_id: ID!
    created_at: String!
    last_used_at: String!
    "The time at which the session ends at the latest. A session ends earlier if it is not refreshed for a long time."
    expires_at: String!
    client_address: String
    user_agent: String
    "Whether this session belongs to the current request."
    current: Boolean!
  }
`;

const allTypeDefs = [typeDefs, auditTypeDefs, administrationTypeDefs];

/** The SDL of the auth service's part of the graph. */
export const AUTH_TYPE_DEFINITIONS = allTypeDefs.join('\n');

export interface UseCases extends SessionUseCases, AdministrationUseCases {
  login: Login;
  readAudit: ReadAudit;
}

/**
 * Creates the schema of the auth service's part of the graph.
 *
 * @throws Error if a resolver has no field
 */
export function createSchema({ login, readAudit, ...sessionUseCases }: UseCases): GraphQLSchema {
  const { callerOf, ...sessionFields } = createSessionFields(sessionUseCases);
  const loginField = async (_root: unknown, { data }: { data: LoginInput }, context: GraphContext) => {
    const result = await login(data, context.client);
    context.logger.info(
      { event: LOGIN_EVENTS[result.outcome], tenant_id: data.tenant_id, ...loginLogFields(result) },
      'login',
    );
    return loginResult(result, context);
  };
  return makeExecutableSchema<GraphContext>({
    typeDefs: allTypeDefs,
    resolvers: [
      { Mutation: { auth_user_login: loginField } },
      sessionFields,
      { Query: { auth_audit_log: createAuditField(readAudit, callerOf) } },
      createAdministrationFields(sessionUseCases),
    ],
    // Nothing else uses the schema yet, and copying it takes as long as building it.
    updateResolversInPlace: true,
    assumeValidSDL: true,
    noLocation: true,
  });
}

function loginResult(result: LoginResult, context: GraphContext) {
  if (result.outcome === 'success') return tokensAnswer(result.tokens);
  if (result.outcome === 'busy') return busy(context, result.retryAfterSeconds);
  if (result.outcome === 'throttled') return throttledResult(context, result.retryAfterSeconds);
  if (result.reason.kind === 'missing-field') return refusedResult(context, missingField(result.reason.field));
  return refusedResult(context, REFUSALS.wrongCredentials);
}

const LOGIN_EVENTS = {
  success: 'login.succeeded',
  refused: 'login.refused',
  throttled: 'login.throttled',
  busy: 'login.busy',
} as const satisfies Record<LoginResult['outcome'], LogEvent>;

/** Never the username: people type their password into that field. */
function loginLogFields(result: LoginResult) {
  if (result.outcome === 'success')
    return { outcome: result.outcome, user_id: result.account.userId, session_id: result.sessionId };
  if (result.outcome === 'throttled') return { outcome: result.outcome, counter: result.counter };
  return { outcome: result.outcome === 'refused' ? result.reason.kind : result.outcome };
}
