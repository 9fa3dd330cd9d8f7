import pg from 'pg';

/** Classes 08 (connection exception) and 57P0x (the server stops) of PostgreSQL's manual, appendix A. */
export function isConnectionLost({ code = '' }: pg.DatabaseError): boolean {
  return code.startsWith('08') || code.startsWith('57P0');
}

/**
 * Classes of errors that a statement has for its values: data (22), constraints (23), limits of size and depth (54). The same
 * values fail again.
 */
const OF_VALUES = new Set(['22', '23', '54']);

/**
 * Classes of errors of the database as a whole, whatever the values are: connections (08), transactions, such as on a server that
 * only reads (25), logins (28), names and rights (3D, 3F, 42), conflicts (40), resources (53), states of objects (55),
 * cancelled statements and shutdown (57), the system (58).
 */
const OF_DATABASE = new Set(['08', '25', '28', '3D', '3F', '40', '42', '53', '55', '57', '58']);

/**
 * Why a statement failed: for its `values`, such as for their size or depth; for a reason that may be that of `one-row`, such as a
 * page on the disk that cannot be read (XX), although its values are sound; or since the `database` cannot be used for now.
 */
export type StatementFailure = 'values' | 'one-row' | 'database';

/** @param error of a statement. */
export function failureOf(error: unknown): StatementFailure {
  // Of the runtime: a text longer than it can be.
  if (error instanceof RangeError) return 'values';
  if (!(error instanceof pg.DatabaseError) || isPartitionMissing(error)) return 'database';
  const errorClass = (error.code ?? '').slice(0, 2);
  if (OF_VALUES.has(errorClass)) return 'values';
  return OF_DATABASE.has(errorClass) ? 'database' : 'one-row';
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

/** The error of a migration in an operator's words, where it is not one that passes by itself. @param url of the database. */
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
