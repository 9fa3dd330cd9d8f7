import { readSettings, withPassword } from '../../platform/index.ts';
import { setUpRoles } from '../database/index.ts';
import { databaseSetupSettings } from '../settings/index.ts';
import type { CommandProcess, Outcome } from './command.ts';

/** @throws SettingsError or StartError */
export async function databaseSetup({ env }: Pick<CommandProcess, 'env'>): Promise<Outcome> {
  const settings = readSettings(databaseSetupSettings, env);
  const urlOf = (url: string, password: string | undefined) =>
    password === undefined ? url : withPassword(url, password);
  const { AUTH_DATABASE_JOBS_URL: jobsUrl, AUTH_DATABASE_JOBS_PASSWORD: jobsPassword } = settings;
  const result = await setUpRoles(
    {
      admin: urlOf(settings.AUTH_DATABASE_ADMIN_URL, settings.AUTH_DATABASE_ADMIN_PASSWORD),
      owner: urlOf(settings.AUTH_DATABASE_OWNER_URL, settings.AUTH_DATABASE_OWNER_PASSWORD),
      service: urlOf(settings.DATABASE_URL, settings.DATABASE_PASSWORD),
      jobs: jobsUrl === undefined ? undefined : urlOf(jobsUrl, jobsPassword),
    },
    { waitSeconds: settings.AUTH_DATABASE_WAIT_SECONDS },
  );
  const { owner, service, jobs, applied } = result;
  const ofJobs = jobs === undefined ? '' : `, the jobs' user ${jobs}`;
  const text = `the tables belong to ${owner}, the service is ${service}${ofJobs}; migrations applied: ${applied.length}`;
  return { json: result, text };
}
