import pg from 'pg';

/** Classes 08 (connection exception) and 57P0x (the server stops) of PostgreSQL's manual, appendix A. */
export function isConnectionLost({ code = '' }: pg.DatabaseError): boolean {
  return code.startsWith('08') || code.startsWith('57P0');
}

/**
 * Classes of errors that another try may not meet, whatever the values are: connections (08), transactions, such as on a
 * server that only reads (25), logins (28), names and rights (3D, 3F, 42), conflicts (40), resources (53), states of objects
 * (55), cancelled statements and shutdown (57), the system (58).
 */
const NOT_OF_VALUES = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57', '58']);

/**
 * Whether a statement failed for its values, such as for their size or depth: the same values fail again. All other errors
 * are those of a database that cannot be used for now.
 */
export function isOfValues(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return !NOT_OF_VALUES.has((error.code ?? '').slice(0, 2)) && !isPartitionMissing(error);
  // Of the runtime: a text longer than it can be.
  return error instanceof RangeError;
}

/** A row for whose day there is no partition. A row that breaks a constraint names it. */
function isPartitionMissing({ code, constraint }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined;
}

/** Whether a statement gave up a lock that something else holds. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** What an operator has to change before jobs can use their database. */
export class JobsDatabaseUnusable extends Error {
  readonly code: 'rights-missing' | 'login-refused' | 'database-missing' | 'schema-too-new';

  constructor(code: JobsDatabaseUnusable['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The error of a migration in an operator's words, where it is not one that passes by itself. @param url of the database. */
export function unusableDatabase(error: unknown, url: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { user = '', database = '' } = new pg.Client({ connectionString: url });
  switch (error.code) {
    case '42501':
      return new JobsDatabaseUnusable(
        'rights-missing',
        `the database user "${user}" lacks rights for the schema portico_jobs of "${database}": GRANT CREATE ON DATABASE "${database}" TO "${user}", and where the schema is there already, make "${user}" its owner and that of what is in it`,
        error,
      );
    case '28P01':
    case '28000':
      return new JobsDatabaseUnusable('login-refused', `the database refuses the user "${user}"`, error);
    case '3D000':
      return new JobsDatabaseUnusable('database-missing', `the database "${database}" does not exist`, error);
    default:
      return error;
  }
}
