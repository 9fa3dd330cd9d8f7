/** How many users `user list` prints at once. */
export const USERS_PER_LIST = 1_000;

/** How many entries `audit` prints. */
export const AUDIT_ENTRIES = { default: 100, most: 10_000 } as const;

/** How many sessions `session list` prints, the newest ones. */
export const SESSIONS_PER_LIST = 1_000;
