import type { StartSettings } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { developmentSecretsFor } from './development-secrets.ts';
import { embeddedDatabaseIn } from './embedded-database/index.ts';
import type { Screen } from './screen.ts';
import type { ServiceGroup } from './service-group.ts';
import { authServiceSpec, demoSeedSpec, UNSAFE_PUBLIC_PASSWORDS } from './services.ts';
import { beginDatabase } from './start-services.ts';

/**
 * Adds the demo data to the database that `npm start` with the same environment uses, running or not.
 *
 * @param allowsPublicPasswords also where the environment names a database that has other tenants.
 */
export async function seedDemoCommand(
  allowsPublicPasswords: boolean,
  settings: StartSettings,
  group: ServiceGroup,
  screen: Screen,
): Promise<void> {
  prepareDataDir(settings.dataDir);
  const url = await startedDatabaseUrl(settings, group, screen);
  const isEmbedded = url !== undefined;
  const flags = isEmbedded || allowsPublicPasswords ? [UNSAFE_PUBLIC_PASSWORDS] : [];
  await group.complete(demoSeedSpec(authServiceSpec(settings, url, developmentSecretsFor(settings)), flags));
  screen.say('the demo data is in the database');
}

/** The database that `npm start` uses, started if it does not run; undefined for the one that the environment names. */
export async function startedDatabaseUrl(
  settings: StartSettings,
  group: ServiceGroup,
  screen: Screen,
): Promise<string | undefined> {
  if (settings.databaseGiven || settings.production) return undefined;
  const running = embeddedDatabaseIn(settings.dataDir);
  if (await running.isRunning()) return running.url;
  const database = beginDatabase(settings, group, screen);
  await database?.ready;
  return database?.url;
}
