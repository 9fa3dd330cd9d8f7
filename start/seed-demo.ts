import { beginDatabase } from './bring-up.ts';
import type { StartSettings } from './config.ts';
import type { Crew } from './crew.ts';
import { prepareDataDir } from './data-dir.ts';
import { developmentSecretsFor } from './development-secrets.ts';
import { embeddedDatabaseIn } from './embedded-database/index.ts';
import type { Screen } from './screen.ts';
import { authService, demoSeed } from './services.ts';

/** Puts the demo data into the database that `npm start` with the same environment uses, running or not. */
export async function seedDemo(settings: StartSettings, crew: Crew, screen: Screen): Promise<void> {
  prepareDataDir(settings.dataDir);
  const url = await databaseUrl(settings, crew, screen);
  await crew.complete(demoSeed(authService(settings, url, developmentSecretsFor(settings))));
  screen.say('the demo data is in the database');
}

/** The database that `npm start` uses, started if it does not run; undefined for the one that the environment names. */
export async function databaseUrl(settings: StartSettings, crew: Crew, screen: Screen): Promise<string | undefined> {
  if (settings.databaseGiven || settings.production) return undefined;
  const running = embeddedDatabaseIn(settings.dataDir);
  if (await running.isRunning()) return running.url;
  const database = beginDatabase(settings, crew, screen);
  await database?.ready;
  return database?.url;
}
