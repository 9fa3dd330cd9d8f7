import type { Logger } from '../../platform/index.ts';
import { isDatabaseUnavailable } from '../database/index.ts';

/** Logs why a request failed that its caller can do nothing about. An outage of the database is told from a fault of this program. */
export function logFailure(logger: Logger, error: unknown): void {
  const message = isDatabaseUnavailable(error) ? 'the database is unavailable' : 'unexpected error';
  logger.error({ err: error, event: 'request.failed' }, message);
}
