import { bearerRefused, GatewayError } from '../../errors.ts';

/** Reports a request without the credential of a running attempt. Nothing tells an unknown credential from one whose attempt is over. */
export function notReporting(wasSent: boolean): GatewayError {
  return bearerRefused('portico-jobs', 'the credential of a running job', wasSent);
}

/** Reports a progress that cannot be stored. @param member of the body, empty for the body itself. */
export function invalidProgress(member: string, message: string): GatewayError {
  return new GatewayError('validation-failed', message, { path: member === '' ? '$' : `$.${member}` });
}

/** Reports a partial output that this process cannot check, because its metadata lacks the action. */
export function unknownAction(): GatewayError {
  return new GatewayError('service-unavailable', 'this process does not know the action of the job', {
    headers: { 'retry-after': '5' },
  });
}

/** Reports that as many credentials are being checked, or as many bodies read, as may be at a time. */
export function tooManyReports(): GatewayError {
  return new GatewayError('service-unavailable', 'too many reports of progress are being handled', {
    headers: { 'retry-after': '1' },
  });
}
