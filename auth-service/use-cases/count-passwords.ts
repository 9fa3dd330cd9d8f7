import type { Database } from '../database/index.ts';

export interface PasswordCount {
  /** Null: imported hashes, which have none. */
  pepperVersion: number | null;
  users: number;
}

/** How many users' hashes were made with which pepper. Reads every user, so it is for operators. */
export function countPasswords(database: Database): Promise<PasswordCount[]> {
  return database.acrossTenants(
    'operators-look',
    (transaction) => transaction.$queryRaw<PasswordCount[]>`
    SELECT substring(password_hash from '^[$]portico1[$]p([0-9]{1,9})[$]')::int AS "pepperVersion",
      count(*)::int AS users
    FROM users GROUP BY 1`,
  );
}
