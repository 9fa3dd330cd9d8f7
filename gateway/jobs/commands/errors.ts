import { GatewayError } from '../../errors.ts';

/** Reports invalid arguments of a command. @param path of the first invalid argument, such as `$.args.limit`. */
export function invalidJobArguments(path: string): GatewayError {
  return new GatewayError('parse-failed', 'the arguments do not match the command', { path });
}

/** Reports an id of a job that does not exist or no longer exists. */
export function unknownJob(): GatewayError {
  return new GatewayError('not-found', 'the job does not exist or is no longer kept', {
    path: '$.args.id',
    status: 400,
  });
}

/** Reports that the database of jobs does not respond. */
export function jobsUnreadable(): GatewayError {
  return new GatewayError('service-unavailable', 'jobs cannot be read at the moment', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports that PostgreSQL cancelled a statement that took too long. */
export function jobsTakeTooLong(): GatewayError {
  return new GatewayError('service-unavailable', 'reading the jobs took too long: narrow the list by state or queue', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports a change that may or may not have been made. */
export function jobsNotChanged(): GatewayError {
  return new GatewayError(
    'service-unavailable',
    'the jobs may not have been changed: check them before you try again',
    {
      headers: { 'retry-after': '5' },
    },
  );
}

/** Reports that the queue of commands about jobs is full. */
export function tooManyJobCommands(): GatewayError {
  return new GatewayError('service-unavailable', 'too many concurrent commands about jobs', {
    headers: { 'retry-after': '1' },
  });
}
