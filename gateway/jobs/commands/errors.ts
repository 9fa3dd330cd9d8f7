import { GatewayError } from '../../errors.ts';

/** Arguments that a command does not take. @param path of the first one, such as `$.args.limit`. */
export function invalidJobArguments(path: string): GatewayError {
  return new GatewayError('parse-failed', 'the arguments do not match the command', { path });
}

/** An id that no job has, or none any more. */
export function unknownJob(): GatewayError {
  return new GatewayError('not-found', 'the job does not exist or is no longer kept', {
    path: '$.args.id',
    status: 400,
  });
}

/** The database of jobs does not answer. */
export function jobsUnreadable(): GatewayError {
  return new GatewayError('service-unavailable', 'jobs cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** PostgreSQL has given up a statement that took too long. */
export function jobsTakeTooLong(): GatewayError {
  return new GatewayError('service-unavailable', 'reading the jobs took too long: narrow the list by state or queue', {
    headers: { 'retry-after': '5' },
  });
}

/** A change that may have been made or not. */
export function jobsNotChanged(): GatewayError {
  return new GatewayError(
    'service-unavailable',
    'the jobs may not have been changed: check them before you try again',
    {
      headers: { 'retry-after': '5' },
    },
  );
}

/** More commands about jobs at a time than wait here. */
export function tooManyJobCommands(): GatewayError {
  return new GatewayError('service-unavailable', 'too many concurrent commands about jobs', {
    headers: { 'retry-after': '1' },
  });
}
