import { GatewayError } from '../../errors.ts';

/** Reports a job that could not be committed. The database may still have accepted it, but no id was returned. */
export function jobsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'jobs cannot be accepted at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports a result that cannot be read for now. */
export function resultsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'results of jobs cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports that the progress of a job can be neither read nor written for now. */
export function progressUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'the progress of jobs cannot be stored at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports that too many jobs wait in memory to be written to the database. */
export function tooManyJobsWait(): GatewayError {
  return new GatewayError('service-unavailable', 'too many jobs are waiting to be accepted', {
    headers: { 'retry-after': '1' },
  });
}

/** The most unfinished jobs of a user and of a tenant. Absent: any number. */
export interface JobQuotas {
  readonly user?: number | undefined;
  readonly tenant?: number | undefined;
}

/** Reports that the user or the tenant has reached the limit of unfinished jobs. */
export function tooManyJobsOf(quota: keyof JobQuotas): GatewayError {
  return new GatewayError('job-limit-exceeded', `this ${quota} has too many unfinished jobs`, {
    headers: { 'retry-after': '10' },
  });
}

/** Reports that a process with `PORTICO_JOBS=run` accepts no jobs. */
export function jobsNotAcceptedHere(): GatewayError {
  return new GatewayError('service-unavailable', 'this process runs jobs but does not accept new ones');
}
