/** The tokens of a new or continued session. */
export interface Tokens {
  accessToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
  refreshToken: string;
}

/** The duration of a session. */
export interface SessionLifetime {
  /** The end of a session that is not refreshed, in days after its last refresh. */
  idleDays: number;
  /** The latest end of a session, in days after its login. */
  maxDays: number;
  /** How long a rotated refresh token may be sent again, in seconds. */
  graceSeconds: number;
}
