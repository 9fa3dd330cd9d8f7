import { z } from 'zod';
import { hasCredentials, setting } from '../../platform/index.ts';
import { parseJwtSecret, parseJwtSecrets } from '../access/session/index.ts';
import { json, OPEN_OR_CLOSED } from './types.ts';

function hasNoCredentials(text: string): boolean {
  return !URL.canParse(text) || !hasCredentials(new URL(text));
}

/** Authentication of callers, and detection of revoked tokens. */
export const authenticationSettings = {
  HASURA_GRAPHQL_JWT_SECRET: json(parseJwtSecret)
    .optional()
    .describe(
      'How bearer tokens are verified, in the format of Hasura, such as `{"jwk_url":"http://auth-service:4001/.well-known/jwks.json"}`. One of the JWT settings, the authentication hook or the admin secret is required.',
    ),
  HASURA_GRAPHQL_JWT_SECRETS: json(parseJwtSecrets)
    .optional()
    .describe('A list of such objects, for tokens from several issuers. Overrides `HASURA_GRAPHQL_JWT_SECRET`.'),
  HASURA_GRAPHQL_AUTH_HOOK: setting
    .httpUrl()
    .refine(hasNoCredentials, 'a user and password in the URL are not sent: remove them')
    .optional()
    .describe("URL of a webhook that returns the caller's session variables. Used instead of JWTs."),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z
    .enum(['GET', 'POST'], { error: 'expected GET or POST' })
    .default('GET')
    .describe('Method of the request to the authentication hook.'),
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: setting
    .flag(true)
    .describe('Whether the GraphQL request is sent to a hook that is called with POST.'),
  HASURA_GRAPHQL_ADMIN_SECRET: setting
    .text()
    .optional()
    .describe(
      'Admin secret. A request that sends it in `x-hasura-admin-secret` has the role `admin`, or the role in `x-hasura-role`. Without this setting, there is no admin. Requires at least 32 characters in production.',
    ),
  HASURA_GRAPHQL_ACCESS_KEY: setting
    .text()
    .optional()
    .describe("Hasura's old name for the admin secret. Used if `HASURA_GRAPHQL_ADMIN_SECRET` is not set."),
  PORTICO_UNSAFE_SHORT_ADMIN_SECRET: setting
    .flag(false)
    .describe(
      'Accepts an admin secret of fewer than 32 characters in production, for migrations from Hasura. A short secret can be guessed; replace it soon.',
    ),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: setting
    .text()
    .default('anonymous')
    .describe(
      'Role of requests without a token. See [permissions.md](permissions.md#public-fields-and-authentication-fields).',
    ),
  PORTICO_REVOCATION_URL: setting
    .httpUrl()
    .optional()
    .describe(
      "URL of the auth service's `/revocations`. Without it, access tokens are valid until they expire. See [sessions.md](sessions.md).",
    ),
  PORTICO_REVOCATION_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable characters without spaces')
    .optional()
    .meta({
      description: "Bearer credential for `PORTICO_REVOCATION_URL`: the auth service's `AUTH_REVOCATION_SECRET`.",
      required: 'in production, with `PORTICO_REVOCATION_URL`',
    }),
  PORTICO_REVOCATION_INTERVAL_SECONDS: setting
    .integer(2, 1, 3_600, 'seconds')
    .describe('How often the list of revocations is fetched.'),
  PORTICO_REVOCATION_MAX_AGE_SECONDS: setting
    .integer(300, 1, 86_400, 'seconds')
    .describe('How long the last list of revocations is used if no new list can be fetched.'),
  PORTICO_REVOCATION_WHEN_LOST: OPEN_OR_CLOSED.default('closed').describe(
    'What happens after `PORTICO_REVOCATION_MAX_AGE_SECONDS`: `closed` responds with 503 and `Retry-After`; `open` accepts tokens that are not known to be revoked.',
  ),
};

/** Access by browsers of other origins. */
export const browserSettings = {
  HASURA_GRAPHQL_CORS_DOMAIN: setting
    .origins({ subdomains: true })
    .default([])
    .describe(
      'Origins whose pages may call the gateway (CORS), such as `https://app.example.com` or `https://*.example.com`, or `*`.',
    ),
  HASURA_GRAPHQL_DISABLE_CORS: setting.flag(false).describe('Whether CORS is disabled for all origins.'),
};
