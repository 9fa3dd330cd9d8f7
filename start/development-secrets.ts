import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { StartSettings } from './config.ts';
import { keptIn } from './kept-secrets.ts';

const developmentSecrets = z.object({
  AUTH_PASSWORD_PEPPER: z.string().min(1),
  AUTH_KEY_ENCRYPTION_KEY: z.string().min(1),
});

/** In a file of its own: it was added later, and the other file has to stay as it is. */
const revocationSecret = z.object({ AUTH_REVOCATION_SECRET: z.string().min(1) });

/**
 * The secrets that the auth service needs and the environment does not set: made once on a development machine and
 * kept in the data directory, beside the database that is of no use without them. None in production.
 *
 * @throws StartError when the file is there but cannot be used; a new one would lock everybody out for good.
 */
export function developmentSecretsFor({ production, environment, dataDir }: StartSettings): Record<string, string> {
  if (production) return {};
  const names = developmentSecrets.keyof().options;
  const isSet = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`]);
  // Peppers by their versions are there in place of the one.
  const missing = names.filter(
    (name) => !isSet(name) && !(name === 'AUTH_PASSWORD_PEPPER' && isSet('AUTH_PASSWORD_PEPPERS')),
  );
  if (missing.length === 0) return {};
  const secrets = keptIn(dataDir, 'secrets.json', developmentSecrets, () => ({
    AUTH_PASSWORD_PEPPER: randomText(),
    AUTH_KEY_ENCRYPTION_KEY: randomText(),
  }));
  return Object.fromEntries(missing.map((name) => [name, secrets[name]]));
}

/** What the gateway shows to the auth service to read its revocations, as variables of the two. */
export interface RevocationSecrets {
  readonly authService: Record<string, string>;
  readonly gateway: Record<string, string>;
}

const OF_AUTH_SERVICE = 'AUTH_REVOCATION_SECRET';
const OF_GATEWAY = 'PORTICO_REVOCATION_SECRET';

/**
 * The secret that both have to know. If the environment has it for one of them, in a variable or in a file, the other
 * gets the same; if for neither, it is made once and kept in the data directory. None is made in production.
 *
 * @throws StartError when the file is there but cannot be used.
 */
export function revocationSecretsFor({ production, environment, dataDir }: StartSettings): RevocationSecrets {
  const textOf = (name: string) => (environment[name] ? { suffix: '', value: environment[name] } : undefined);
  const fileOf = (name: string) => {
    const value = environment[`${name}_FILE`];
    return value ? { suffix: '_FILE', value } : undefined;
  };
  const ofAuthService = textOf(OF_AUTH_SERVICE) ?? fileOf(OF_AUTH_SERVICE);
  const ofGateway = textOf(OF_GATEWAY) ?? fileOf(OF_GATEWAY);
  const given = ofAuthService ?? ofGateway ?? (production ? undefined : { suffix: '', value: made(dataDir) });
  const variable = (name: string) => (given ? { [`${name}${given.suffix}`]: given.value } : {});
  return {
    authService: ofAuthService ? {} : variable(OF_AUTH_SERVICE),
    gateway: ofGateway ? {} : variable(OF_GATEWAY),
  };
}

function made(dataDir: string): string {
  return keptIn(dataDir, 'revocation-secret.json', revocationSecret, () => ({ AUTH_REVOCATION_SECRET: randomText() }))
    .AUTH_REVOCATION_SECRET;
}

/** In a file of its own, as above. */
const assertionKey = z.object({ PORTICO_ASSERTION_KEY: z.string().min(1) });

/**
 * The key that the gateway signs assertions for its services with, where the environment sets none: made once and kept
 * in the data directory. None in production.
 *
 * @throws StartError when the file is there but cannot be used.
 */
export function assertionKeyFor({ production, environment, dataDir }: StartSettings): Record<string, string> {
  if (production || environment.PORTICO_ASSERTION_KEY || environment.PORTICO_ASSERTION_KEY_FILE) return {};
  return keptIn(dataDir, 'assertion-key.json', assertionKey, () => ({ PORTICO_ASSERTION_KEY: randomText() }));
}

/** 32 random bytes. */
function randomText(): string {
  return randomBytes(32).toString('base64');
}
