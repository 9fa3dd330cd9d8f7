import { createLogger, isUuid, StartError } from '../../../../platform/index.ts';
import { readJobsDatabaseUrl } from '../../../config.ts';
import {
  JOB_STATES,
  type JobFilter,
  type JobState,
  JobsDatabaseUnusable,
  openJobsAdmin,
} from '../../../jobs/engine/index.ts';
import { jobsTable, jobText, statsTable } from './print-jobs.ts';

export const JOB_COMMANDS = ['list', 'show', 'retry', 'cancel', 'purge', 'stats'] as const;

export type JobCommand = (typeof JOB_COMMANDS)[number];

export interface JobsCommandOptions {
  readonly command: JobCommand;
  readonly ids: readonly string[];
  readonly states: readonly string[] | undefined;
  readonly kind: string | undefined;
  readonly queue: string | undefined;
  readonly tenant: string | undefined;
  readonly before: Date | undefined;
  readonly limit: number;
  /** Whether to show personal data. */
  readonly payload: boolean;
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/** Invalid arguments of the command. */
export class JobsUsageError extends Error {}

/**
 * `portico jobs`: manages the jobs in the configured database.
 *
 * @returns the exit code: 1 if a named job does not exist.
 * @throws JobsUsageError, SettingsError or StartError.
 */
export async function jobs(options: JobsCommandOptions, print: (text: string) => void): Promise<number> {
  const { command, json, environment } = options;
  const filter = jobFilter(options);
  const url = readJobsDatabaseUrl(environment);
  if (url === undefined)
    throw new StartError('HASURA_GRAPHQL_METADATA_DATABASE_URL is not set: it names the database for jobs');
  const { admin, close } = openJobsAdmin({ url, log: createLogger('portico', 'silent') });
  const show = (value: unknown, text: () => string) => print(json ? JSON.stringify(value, undefined, 2) : text());
  try {
    switch (command) {
      case 'list': {
        const found = await admin.list(filter, options.limit);
        show(found, () => jobsTable(found));
        return 0;
      }
      case 'stats': {
        const stats = await admin.stats();
        show(stats, () => statsTable(stats));
        return 0;
      }
      case 'show': {
        const found = await admin.show(options.ids[0] ?? '');
        if (!found) return notThere(show);
        const { payload, owner, output, errors, ...summary } = found;
        const shown = options.payload ? { ...summary, payload, owner, output, errors } : summary;
        show(shown, () => jobText(shown));
        return 0;
      }
      default: {
        // After weeks without a gateway there is no partition for the jobs that are cancelled now.
        await admin.makePartitions();
        const changed = await admin[command](filter);
        show({ changed }, () => `${changed} ${changed === 1 ? 'job' : 'jobs'} ${DONE[command]}`);
        return options.ids.length > 0 && changed === 0 ? 1 : 0;
      }
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (error instanceof StartError) throw error;
    if (error instanceof JobsDatabaseUnusable) throw new StartError(`HASURA_GRAPHQL_METADATA_DATABASE_URL: ${message}`);
    throw new StartError(`HASURA_GRAPHQL_METADATA_DATABASE_URL: the database cannot be used (${code ?? message})`);
  } finally {
    await close();
  }
}

const DONE = { retry: 'will run again', cancel: 'cancelled', purge: 'deleted' } as const;

function notThere(show: (value: unknown, text: () => string) => void): number {
  show(null, () => 'there is no such job');
  return 1;
}

function jobFilter({ command, ids, states, kind, queue, tenant, before }: JobsCommandOptions): JobFilter {
  const wrong = states?.find((state) => !(JOB_STATES as readonly string[]).includes(state));
  if (wrong !== undefined) throw new JobsUsageError(`--state: expected ${JOB_STATES.join(', ')}`);
  if (!ids.every(isUuid)) throw new JobsUsageError('expected job ids');
  if (command === 'show' && ids.length !== 1) throw new JobsUsageError('expected one job id');
  const isNarrow = [...ids, states, kind, queue, tenant, before].some((one) => one !== undefined);
  if (['retry', 'cancel', 'purge'].includes(command) && !isNarrow)
    throw new JobsUsageError(`${command}: expected ids, or --state, --kind, --queue, --tenant or --before`);
  return {
    ids: ids.length > 0 ? ids : undefined,
    states: states as readonly JobState[] | undefined,
    kind,
    queue,
    tenant,
    before,
  };
}
