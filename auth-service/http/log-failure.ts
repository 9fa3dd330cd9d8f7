import type { Logger } from '../../platform/index.ts';
import { isDatabaseUnavailable } from '../database/index.ts';

/** Logs the cause of a failed request that its caller cannot mend: an outage of the database, or a fault of this program. */
export function logFailure(logger: Logger, error: unknown): void {
  const message = isDatabaseUnavailable(error) ? 'the database is unavailable' : 'unexpected error';
  logger.error({ err: error, event: 'request.failed' }, message);
}
