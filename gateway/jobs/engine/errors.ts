import { GatewayError } from '../../errors.ts';

/** A job that could not be committed: whether the database took it may not be known, and no id was given out. */
export function jobsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'jobs cannot be accepted at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** A result that cannot be read for now. */
export function resultsUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'results of jobs cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** More jobs wait to be written to the database than are kept in memory. */
export function tooManyJobsWait(): GatewayError {
  return new GatewayError('service-unavailable', 'too many jobs are waiting to be accepted', {
    headers: { 'retry-after': '1' },
  });
}

/** How many jobs that have not ended a user and a tenant may have. Absent: any number. */
export interface JobQuotas {
  readonly user?: number | undefined;
  readonly tenant?: number | undefined;
}

/** As many jobs of the user or the tenant have not ended as may wait. */
export function tooManyJobsOf(quota: keyof JobQuotas): GatewayError {
  return new GatewayError('job-limit-exceeded', `this ${quota} has too many unfinished jobs`, {
    headers: { 'retry-after': '10' },
  });
}

/** A process with `PORTICO_JOBS=run`. */
export function jobsNotAcceptedHere(): GatewayError {
  return new GatewayError('service-unavailable', 'this process runs jobs but does not accept new ones');
}
