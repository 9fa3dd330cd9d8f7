import pg from 'pg';
import { fixedAttributes } from '../../platform/index.ts';
import type { ActiveSpan } from '../active-span.ts';
import { isDatabaseUnavailable } from './is-unavailable.ts';
import type { DatabaseOperation } from './operations.ts';
import { StatementError } from './single-statements.ts';

/** Creates a span of an operation if it belongs to a request with a span. */
export type DatabaseSpans = <Result>(operation: DatabaseOperation, work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates spans by the semantic conventions for database clients. They have the operation's name, and neither the text nor the
 * values of a statement.
 */
export function createDatabaseSpans(url: string, activeSpan: ActiveSpan | undefined): DatabaseSpans {
  if (!activeSpan) return (_operation, work) => work();
  const { host, port, database = '' } = new pg.Client({ connectionString: url });
  const ofServer = fixedAttributes({
    'db.system.name': 'postgresql',
    'db.namespace': database,
    'server.address': host,
    // A Unix socket has no port.
    ...(!host.startsWith('/') && { 'server.port': port }),
  });
  return async (operation, work) => {
    const span = activeSpan.current?.startChild(operation, 'client', ofServer);
    if (!span) return await work();
    span.setAttribute('db.operation.name', operation);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StatementError) span.setAttribute('db.response.status_code', error.code);
      span.fail(isDatabaseUnavailable(error) ? 'unavailable' : (error as Error).name);
      throw error;
    } finally {
      span.end();
    }
  };
}
