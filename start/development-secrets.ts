import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { StartSettings } from './config.ts';
import { isSet } from './given-settings.ts';
import { readOrCreateSecrets } from './secret-file.ts';

const developmentSecretsShape = z.object({
  AUTH_PASSWORD_PEPPER: z.string().min(1),
  AUTH_KEY_ENCRYPTION_KEY: z.string().min(1),
});

/** In a separate file: it was added later, and the other file must not change. */
const revocationSecretShape = z.object({ AUTH_REVOCATION_SECRET: z.string().min(1) });

/**
 * The secrets that the auth service needs and the environment does not set: generated once on a development machine and
 * kept in the data directory, beside the database that cannot be used without them. None in production.
 *
 * @throws StartError when the file exists but cannot be used; new secrets would lock all users out permanently.
 */
export function developmentSecretsFor({ production, environment, dataDir }: StartSettings): Record<string, string> {
  if (production) return {};
  const names = developmentSecretsShape.keyof().options;
  // AUTH_PASSWORD_PEPPERS holds peppers by version and replaces the single one.
  const missing = names.filter(
    (name) =>
      !isSet(environment, name) && !(name === 'AUTH_PASSWORD_PEPPER' && isSet(environment, 'AUTH_PASSWORD_PEPPERS')),
  );
  if (missing.length === 0) return {};
  const secrets = readOrCreateSecrets(dataDir, 'secrets.json', developmentSecretsShape, () => ({
    AUTH_PASSWORD_PEPPER: randomText(),
    AUTH_KEY_ENCRYPTION_KEY: randomText(),
  }));
  return Object.fromEntries(missing.map((name) => [name, secrets[name]]));
}

/** The secret with which the gateway reads the auth service's revocations, as variables of both. */
export interface RevocationSecrets {
  readonly authService: Record<string, string>;
  readonly gateway: Record<string, string>;
}

const AUTH_SERVICE_VARIABLE = 'AUTH_REVOCATION_SECRET';
const GATEWAY_VARIABLE = 'PORTICO_REVOCATION_SECRET';

/**
 * The secret that gateway and auth service share. If the environment sets it for one of them, in a variable or in a file,
 * the other gets the same; if for neither, it is generated once and kept in the data directory. None in production.
 *
 * @throws StartError when the file is there but cannot be used.
 */
export function revocationSecretsFor({ production, environment, dataDir }: StartSettings): RevocationSecrets {
  const textOf = (name: string) => (environment[name] ? { suffix: '', value: environment[name] } : undefined);
  const fileOf = (name: string) => {
    const value = environment[`${name}_FILE`];
    return value ? { suffix: '_FILE', value } : undefined;
  };
  const ofAuthService = textOf(AUTH_SERVICE_VARIABLE) ?? fileOf(AUTH_SERVICE_VARIABLE);
  const ofGateway = textOf(GATEWAY_VARIABLE) ?? fileOf(GATEWAY_VARIABLE);
  const given =
    ofAuthService ?? ofGateway ?? (production ? undefined : { suffix: '', value: keptRevocationSecret(dataDir) });
  const variable = (name: string) => (given ? { [`${name}${given.suffix}`]: given.value } : {});
  return {
    authService: ofAuthService ? {} : variable(AUTH_SERVICE_VARIABLE),
    gateway: ofGateway ? {} : variable(GATEWAY_VARIABLE),
  };
}

function keptRevocationSecret(dataDir: string): string {
  return readOrCreateSecrets(dataDir, 'revocation-secret.json', revocationSecretShape, () => ({
    AUTH_REVOCATION_SECRET: randomText(),
  })).AUTH_REVOCATION_SECRET;
}

/** In a separate file, as above. */
const assertionKeyShape = z.object({ PORTICO_ASSERTION_KEY: z.string().min(1) });

/**
 * The key with which the gateway signs assertions for its services if the environment sets none: generated once and kept in
 * the data directory. None in production.
 *
 * @throws StartError when the file is there but cannot be used.
 */
export function assertionKeyFor({ production, environment, dataDir }: StartSettings): Record<string, string> {
  if (production || isSet(environment, 'PORTICO_ASSERTION_KEY')) return {};
  return readOrCreateSecrets(dataDir, 'assertion-key.json', assertionKeyShape, () => ({
    PORTICO_ASSERTION_KEY: randomText(),
  }));
}

/** 32 random bytes. */
function randomText(): string {
  return randomBytes(32).toString('base64');
}
