import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../platform/index.ts';
import type { StartSettings } from './config.ts';

const developmentSecrets = z.object({
  AUTH_PASSWORD_PEPPER: z.string().min(1),
  AUTH_KEY_ENCRYPTION_KEY: z.string().min(1),
});

type DevelopmentSecrets = z.infer<typeof developmentSecrets>;

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
  const secrets = secretsIn(dataDir);
  return Object.fromEntries(missing.map((name) => [name, secrets[name]]));
}

function secretsIn(dataDir: string): DevelopmentSecrets {
  const path = join(dataDir, 'secrets.json');
  const text = readIfThere(path) ?? make(path);
  try {
    return developmentSecrets.parse(JSON.parse(text));
  } catch {
    throw new StartError(`PORTICO_DATA_DIR: ${path} does not hold the secrets that were once written there`);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StartError(`PORTICO_DATA_DIR: cannot read ${path} (${code})`);
  }
}

function make(path: string): string {
  const secrets: DevelopmentSecrets = {
    AUTH_PASSWORD_PEPPER: randomBytes(32).toString('base64'),
    AUTH_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  // Written aside and linked into place: whole or not at all, and of two launchers at once the first one's count.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(path, 'utf8');
}
