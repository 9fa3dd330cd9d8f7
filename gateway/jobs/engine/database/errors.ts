import pg from 'pg';

/** Classes 08 (connection exception) and 57P0x (server shutdown), from appendix A of PostgreSQL's manual. */
export function isConnectionLost({ code = '' }: pg.DatabaseError): boolean {
  return code.startsWith('08') || code.startsWith('57P0');
}

/**
 * Error classes that the values of a statement cause: data (22), constraints (23), limits of size and depth (54). The same
 * values fail again.
 */
const OF_VALUES = new Set(['22', '23', '54']);

/**
 * Error classes of the database as a whole, whatever the values are: connections (08), transactions, such as on a read-only
 * server (25), logins (28), names and rights (3D, 3F, 42), conflicts (40), resources (53), states of objects (55), cancelled
 * statements and shutdown (57), the system (58).
 */
const OF_DATABASE = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57', '58']);

/**
 * Why a statement failed. `values`: the size, depth or content of the values. `one-row`: possibly a single row with valid
 * values, such as on an unreadable page of the disk (XX). `database`: the database is unusable for now.
 */
export type StatementFailure = 'values' | 'one-row' | 'database';

/** @param error the error of a statement. */
export function failureOf(error: unknown): StatementFailure {
  // The runtime throws a RangeError if a string would be too long.
  if (error instanceof RangeError) return 'values';
  if (!(error instanceof pg.DatabaseError) || isPartitionMissing(error)) return 'database';
  const errorClass = (error.code ?? '').slice(0, 2);
  if (OF_VALUES.has(errorClass)) return 'values';
  return OF_DATABASE.has(errorClass) ? 'database' : 'one-row';
}

/**
 * Returns whether a row has no partition for its day. An error of a violated constraint names the constraint, this one does
 * not.
 */
function isPartitionMissing({ code, constraint }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined;
}

/** Returns whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** A problem that an operator has to solve before jobs can use their database. */
export class JobsDatabaseUnusable extends Error {
  readonly code:
    | 'rights-missing'
    | 'login-refused'
    | 'database-missing'
    | 'schema-too-new'
    | 'schema-too-old'
    | 'encoding';

  constructor(code: JobsDatabaseUnusable['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Explains an error of a migration to an operator. Returns an error unchanged if it may pass by itself. @param url of the
 * database.
 */
export function unusableDatabase(error: unknown, url: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { user = '', database = '' } = new pg.Client({ connectionString: url });
  switch (error.code) {
    case '42501':
      return new JobsDatabaseUnusable(
        'rights-missing',
        `the database user "${user}" lacks rights for the schema portico_jobs of "${database}": GRANT CREATE ON DATABASE "${database}" TO "${user}", and if the schema already exists, make "${user}" the owner of the schema and of all its objects`,
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
