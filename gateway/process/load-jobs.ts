import type { Logger, Telemetry } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import type { BackgroundWork, BackgroundWorkOptions } from './background-work.ts';

/** Jobs, and the function that opens what runs by them. */
export interface LoadedJobs {
  readonly jobs: Jobs;
  readonly openBackgroundWork: (options: Omit<BackgroundWorkOptions, 'jobs'>) => BackgroundWork;
}

/** Loads the code of jobs where there is a database for them: elsewhere they cost nothing. */
export async function loadJobs(
  config: GatewayConfig,
  telemetry: Telemetry,
  log: Logger,
): Promise<LoadedJobs | undefined> {
  if (!config.jobs) return undefined;
  const [{ openJobs }, { openBackgroundWork }] = await Promise.all([
    import('../jobs/engine/index.ts'),
    import('./background-work.ts'),
  ]);
  const jobs = openJobs({ ...config.jobs, telemetry, log });
  return { jobs, openBackgroundWork: (options) => openBackgroundWork({ ...options, jobs }) };
}
