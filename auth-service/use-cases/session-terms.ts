/** What a caller is given for a session that was opened or goes on. */
export interface Tokens {
  accessToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
  refreshToken: string;
}

/** How long a login lasts. */
export interface SessionLifetime {
  /** Without a refresh, in days. */
  idleDays: number;
  /** Whatever is done, in days. */
  maxDays: number;
  /** For how long a refresh token that has been traded may be sent again, in seconds. */
  graceSeconds: number;
}
