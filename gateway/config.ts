import { z } from 'zod';
import { readSettings, setting } from '../platform/index.ts';
import { type JwtSecret, parseJwtSecret } from './session/index.ts';

const jwtSecret = z
  .string({
    error: 'how bearer tokens are verified, such as {"jwk_url":"http://auth-service:4001/.well-known/jwks.json"}',
  })
  .transform((text, context): JwtSecret => {
    const secret = parseJwtSecret(text);
    if (!('problem' in secret)) return secret;
    context.addIssue(secret.problem);
    return z.NEVER;
  });

const variables = {
  HASURA_GRAPHQL_SERVER_HOST: setting.text().default('127.0.0.1'),
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080),
  HASURA_GRAPHQL_METADATA_DIR: setting.text().default('metadata'),
  HASURA_GRAPHQL_JWT_SECRET: jwtSecret,
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: setting.text().default('anonymous'),
  HASURA_GRAPHQL_CORS_DOMAIN: setting.list().default([]),
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel(),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting.integer(10, 0, 60),
  PORTICO_MAX_BODY_BYTES: setting.integer(1_048_576, 1_024, 104_857_600),
  PORTICO_MAX_BATCH: setting.integer(10, 1, 1_000),
  PORTICO_MAX_TOKENS: setting.integer(2_000, 10, 1_000_000),
  PORTICO_METADATA_WATCH: setting.flag(true),
  PORTICO_REFERENCE_ENVELOPE: setting.flag(true),
};

/** The gateway's settings. README has the table of what each one means. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** @throws SettingsError with everything that is missing or wrong. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  return { ...readSettings(variables, environment), environment };
}
