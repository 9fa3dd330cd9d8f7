/**
 * The `event` values of this process's log lines with their meanings. docs/logs.md lists them. Dashboards and alerts depend on
 * these names, so the meaning of a name never changes.
 */
export const LOG_EVENTS = {
  'service.ready': 'the service accepts requests',
  'settings.misspelt':
    'a variable is not a setting and has no effect, but its name is similar to the name of a setting',
  'request.completed': 'a response was sent, or its connection was closed earlier',
  'request.failed':
    'a request failed unexpectedly or because the database is unavailable (see `msg`); `err` has the cause',
  'login.succeeded': 'a user logged in',
  'login.refused': 'a login was refused; `outcome` has the reason',
  'login.throttled': 'a login was refused without a check of its password, after too many failures',
  'login.busy': 'a login was refused because the queue of password hashes was full',
  'refresh.succeeded': 'a refresh token was rotated',
  'refresh.refused': 'a refresh was refused',
  'refresh.reuse_detected': 'a refresh token was used twice, so its session was ended',
  'refresh.delivery_unrecorded': 'delivered refresh replies could not be recorded',
  'logout.succeeded': 'sessions were ended by a token of their user',
  'logout.refused': 'a logout was refused',
  'session_revoke.succeeded': 'a user ended one of their sessions',
  'session_revoke.refused': 'the end of a session was refused',
  'password_change.succeeded': 'a user changed their password',
  'password_change.refused': 'a change of a password was refused',
  'password_change.throttled': 'a change of a password was refused without a check, after too many failures',
  'password_change.busy': 'a change of a password was refused because the queue of password hashes was full',
  'client_token.succeeded': 'a service account got an access token',
  'client_token.refused': 'the request of a service account for an access token was refused',
  'token_revocation.completed': 'a request to revoke a token was completed; `revoked` says whether it ended a session',
  'administration.completed': 'an administrator changed something; `field` says what',
  'administration.refused': 'a change by an administrator was refused; `field` and `outcome` say which and why',
  'audit.entry_lost': 'an audit entry could not be written; `audit_event` and `outcome` say which',
  'database.connection_lost': 'an idle connection to the database was lost',
  'database.user_unrestricted': 'row-level security does not apply to the user of DATABASE_URL',
  'clock.corrected':
    "the clock differs from the database's, whose time is used, or agrees with it again; `clock_difference_seconds` says by how much it is ahead",
  'migrations.awaited': 'the start waits until another process has applied the pending migrations',
  'gateway_keys.fetch_failed': 'the keys of the gateway could not be fetched; its assertions of operators are refused',
  'signing_keys.reload_failed': 'signing keys could not be read again; the last keys stay in use',
  'refresh_token_keys.reload_failed': 'refresh token keys could not be read again; the last keys stay in use',
  'refresh_token_keys.unopened': 'AUTH_KEY_ENCRYPTION_KEY cannot decrypt some refresh token keys',
  'revocations.unprotected': '/revocations requires no secret',
  'metrics.render_failed': 'the metrics could not be rendered; `err` has the cause',
  'metrics.push_failed':
    'metrics could not be pushed to the collector; `reason` has the cause. Written at most once a minute',
  'hashing.native_unavailable': '@node-rs/bcrypt cannot be loaded; bcryptjs hashes passwords',
  'housekeeping.completed': 'rows that are no longer needed were deleted',
  'housekeeping.skipped':
    "the clock differs from the database's by more than an hour, so nothing is deleted; `clock_difference_seconds` says by how much",
  'housekeeping.failed': 'a cleanup step failed and is retried in the next round',
  'throttle.outcome_unrecorded': 'the outcome of an attempt could not be recorded',
  'traces.export_failed':
    'spans could not be exported; `reason` has the cause, `exported`, `dropped` and `failed` count spans since the start. Written at most once a minute',
  'log.lines_lost':
    'standard output did not accept lines because its disk is full or nothing reads it; `count` says how many lines are lost',
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

declare module '../../platform/logging/logger.ts' {
  interface LogEvents extends Readonly<Record<LogEvent, string>> {}
}
