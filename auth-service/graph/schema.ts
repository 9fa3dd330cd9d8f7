import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { ApiError } from '../errors.ts';
import type { Login, LoginInput, LoginResult, ReadUser } from '../use-cases/index.ts';
import type { GraphContext, HttpHint } from './context.ts';

/** Root fields that check a password or a token. An operation may hold one of them. */
export const AUTHENTICATION_FIELDS: ReadonlySet<string> = new Set(['auth_user_login']);

const typeDefs = /* GraphQL */ `
  type Query {
    "The caller's own account."
    auth_user_me: AuthUser
  }

  type Mutation {
    "Trades a username, a password and a tenant id for tokens. A refusal is a result, not an error."
    auth_user_login(data: AuthUserLoginInput!): AuthUserLoginResult!
  }

  "Every field is required. A missing one is answered by a refusal that names it."
  input AuthUserLoginInput {
    username: String
    password: String
    tenant_id: Int
  }

  type AuthUserLoginResult {
    success: Boolean!
    "Null on success."
    error_message: String
    "Null when refused."
    data: AuthTokens
  }

  type AuthTokens {
    "A JWT, sent as the bearer token of later requests."
    access_token: String!
    "Lifetime of the access token, in seconds."
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
`;

interface LoginAnswer {
  success: boolean;
  error_message: string | null;
  data: { access_token: string; expires_in: number; refresh_token: string } | null;
}

export interface UseCases {
  login: Login;
  readUser: ReadUser;
}

/** The auth service's part of the unified graph. */
export function createSchema({ login, readUser }: UseCases): GraphQLSchema {
  return makeExecutableSchema<GraphContext>({
    typeDefs,
    resolvers: {
      Query: {
        async auth_user_me(_root: unknown, _args: unknown, { caller }: GraphContext) {
          const account = caller && (await readUser(caller));
          if (!account) throw new ApiError('access-denied');
          return {
            user_id: account.userId,
            username: account.username,
            tenant_id: account.tenantId,
            tenant_name: account.tenantName,
            default_role: account.defaultRole,
            allowed_roles: account.allowedRoles,
          };
        },
      },
      Mutation: {
        async auth_user_login(_root: unknown, { data }: { data: LoginInput }, context: GraphContext) {
          const result = await login(data, context.client);
          context.logger.info({ tenant_id: data.tenant_id, ...whatToLog(result) }, 'login');
          const { answer, http } = answerOf(result);
          if (http) context.http = http;
          return answer;
        },
      },
    },
  });
}

function answerOf(result: LoginResult): { answer: LoginAnswer; http?: HttpHint } {
  if (result.outcome === 'success') {
    const { accessToken, expiresIn, refreshToken } = result.tokens;
    const data = { access_token: accessToken, expires_in: expiresIn, refresh_token: refreshToken };
    return { answer: { success: true, error_message: null, data } };
  }
  if (result.outcome === 'busy') {
    const headers = { 'retry-after': String(result.retryAfterSeconds) };
    return refusal('Too many logins at the moment, try again later', { status: 503, headers });
  }
  if (result.reason.kind === 'missing-field') return refusal(`${result.reason.field} is required`, { status: 400 });
  return refusal('Invalid username, password or tenant', { status: 401 });
}

function refusal(message: string, http: HttpHint): { answer: LoginAnswer; http: HttpHint } {
  return { answer: { success: false, error_message: message, data: null }, http };
}

/** Never the username: people type their password into that field. */
function whatToLog(result: LoginResult) {
  if (result.outcome === 'success')
    return { outcome: result.outcome, user_id: result.account.userId, session_id: result.sessionId };
  return { outcome: result.outcome === 'refused' ? result.reason.kind : result.outcome };
}
