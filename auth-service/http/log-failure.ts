import type { Logger } from '../../platform/index.ts';
import { isDatabaseUnavailable } from '../database/index.ts';

/** Logs why a request failed through no fault of its caller: the database is unavailable, or there is a bug. */
export function logFailure(logger: Logger, error: unknown): void {
  const message = isDatabaseUnavailable(error) ? 'the database is unavailable' : 'unexpected error';
  logger.error({ err: error, event: 'request.failed' }, message);
}
