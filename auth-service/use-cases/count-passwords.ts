import type { Database } from '../database/index.ts';

export interface PasswordCount {
  /** Null for imported hashes, which have no pepper. */
  pepperVersion: number | null;
  users: number;
}

/** Counts the users' hashes by pepper. Reads every user, so it is for operators. */
export function countPasswords(database: Database): Promise<PasswordCount[]> {
  return database.acrossTenants(
    'operators-look',
    (transaction) => transaction.$queryRaw<PasswordCount[]>`
    SELECT substring(password_hash from '^[$]portico1[$]p([0-9]{1,9})[$]')::int AS "pepperVersion",
      count(*)::int AS users
    FROM users GROUP BY 1`,
  );
}
