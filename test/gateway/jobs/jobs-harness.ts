import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type JobHandler,
  type JobOutcome,
  type Jobs,
  type JobsOptions,
  openJobs,
  type RunningJob,
} from '../../../gateway/jobs/engine/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { createTestDatabase, type Engine, type TestDatabase } from '../../database/index.ts';

/** A database of jobs, and processes on it. */
export interface JobsDatabaseUnderTest {
  readonly database: TestDatabase;
  /** Takes the schema away, which the next process makes again. */
  dropSchema(): Promise<void>;
  /** Opens what one process has; ended with the database. */
  open(options?: Partial<JobsOptions>): Jobs;
  /** Opens one that runs jobs of the kind `work` by this function. */
  worker(run: JobHandler['run'], options?: Partial<JobsOptions>, more?: Partial<JobHandler>): Jobs;
  /** Sends one statement as an operator would. */
  sql(text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Migrating the schema again takes a hundred times as long on PGlite. */
const EMPTY = `DO $$ DECLARE one regclass; BEGIN
  FOR one IN SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('portico_jobs') AND relkind IN ('r', 'p')
    AND NOT relispartition AND relname <> 'migration'
  LOOP EXECUTE format('DELETE FROM %s', one); END LOOP; END $$`;

export async function openJobsDatabase(engine: Engine): Promise<JobsDatabaseUnderTest> {
  const database = await createTestDatabase({ engine, migrated: false });
  const { close, ...jobs } = jobsOn(database);
  return {
    ...jobs,
    close: async () => {
      await close();
      await database.drop();
    },
  };
}

/**
 * Processes on a database that others have used before: `close` ends them and takes the jobs away. The schema stays; a test that
 * changes it, or needs none, calls `dropSchema`.
 */
export function jobsOn(database: TestDatabase): JobsDatabaseUnderTest {
  const opened: Jobs[] = [];
  const open = (options: Partial<JobsOptions> = {}) => {
    const jobs = openJobs({
      url: database.url,
      mode: 'all',
      slots: 10,
      leaseMs: 30_000,
      retentionDays: 7,
      deadRetentionDays: 30,
      telemetry: { tracer: undefined },
      log: createLogger('gateway', 'silent'),
      ...options,
    });
    opened.push(jobs);
    return jobs;
  };
  const sql = async (text: string, values?: unknown[]) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    database,
    dropSchema: async () => {
      await sql('DROP SCHEMA IF EXISTS portico_jobs CASCADE');
    },
    open,
    worker: (run, options, more) => {
      const jobs = open(options);
      jobs.handle('work', { run, ...more });
      jobs.start();
      return jobs;
    },
    sql,
    close: async () => {
      await Promise.all(opened.map((jobs) => jobs.stop(0).catch(() => {})));
      await sql(EMPTY);
    },
  };
}

export const WORK = { kind: 'work', queue: 'one', maxAttempts: 3, payload: null } as const;

/** A handler that records what it ran. */
export function recorder(answer: (job: RunningJob) => JobOutcome | Promise<JobOutcome>) {
  const jobs: RunningJob[] = [];
  return {
    jobs,
    run: async (job: RunningJob): Promise<JobOutcome> => {
      jobs.push(job);
      return answer(job);
    },
  };
}

/** Waits until `condition` holds; the test's own time limit ends one that hangs. It asks the database less and less often. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let ms = 20; !(await condition()); ms = Math.min(ms * 1.5, 150)) await sleep(ms);
}
