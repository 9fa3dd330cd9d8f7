/** The tokens of a new or continued session. */
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
  /** How long a rotated refresh token may be sent again, in seconds. */
  graceSeconds: number;
}
