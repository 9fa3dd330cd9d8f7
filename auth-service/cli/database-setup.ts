import { readSettings, setting } from '../../platform/index.ts';
import { databaseUrl } from '../config.ts';
import { setUpRoles, withPassword } from '../database/index.ts';
import type { Outcome } from './command.ts';

/** It needs no other settings of the service. */
const shape = {
  AUTH_DATABASE_ADMIN_URL: databaseUrl,
  AUTH_DATABASE_ADMIN_PASSWORD: setting.text().optional(),
  AUTH_DATABASE_OWNER_URL: databaseUrl,
  AUTH_DATABASE_OWNER_PASSWORD: setting.text().optional(),
  DATABASE_URL: databaseUrl,
  DATABASE_PASSWORD: setting.text().optional(),
  AUTH_DATABASE_WAIT_SECONDS: setting.integer(0, 0, 600),
};

/** @throws SettingsError or StartError */
export async function databaseSetup(environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const settings = readSettings(shape, environment);
  const urlOf = (url: string, password: string | undefined) =>
    password === undefined ? url : withPassword(url, password);
  const result = await setUpRoles(
    {
      admin: urlOf(settings.AUTH_DATABASE_ADMIN_URL, settings.AUTH_DATABASE_ADMIN_PASSWORD),
      owner: urlOf(settings.AUTH_DATABASE_OWNER_URL, settings.AUTH_DATABASE_OWNER_PASSWORD),
      service: urlOf(settings.DATABASE_URL, settings.DATABASE_PASSWORD),
    },
    { waitSeconds: settings.AUTH_DATABASE_WAIT_SECONDS },
  );
  const { owner, service, applied } = result;
  const text = `the tables belong to ${owner}, the service is ${service}; migrations applied: ${applied.length}`;
  return { json: result, text };
}
