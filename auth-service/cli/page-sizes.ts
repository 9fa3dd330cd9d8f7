/** The most users that `user list` prints. */
export const USERS_PER_LIST = 1_000;

/** The number of entries that `audit` prints. */
export const AUDIT_ENTRIES = { default: 100, most: 10_000 } as const;

/** The most sessions that `session list` prints, the newest first. */
export const SESSIONS_PER_LIST = 1_000;
