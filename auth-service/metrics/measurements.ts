import {
  counter,
  durationHistogram,
  gauge,
  type HttpServerCounts,
  type Metric,
  oneCounter,
  oneDurationHistogram,
  oneGauge,
  samplesBy,
  spanCounter,
  type Telemetry,
} from '../../platform/index.ts';
import type { Audit } from '../audit/index.ts';
import { DATABASE_BOUNDS_MS, type Database, type DatabaseUsage } from '../database/index.ts';
import type { Housekeeping } from '../housekeeping/index.ts';
import type { RefreshDeliveries } from '../http/index.ts';
import type { BcryptPool, HashUsage } from '../passwords/index.ts';
import type { OpenThrottle } from '../throttle/index.ts';
import type { RefreshTokens, SigningKeys } from '../tokens/index.ts';
import type { UseCaseCounts } from './use-case-counts.ts';

/** The measured values, as plain numbers. */
export interface Measured {
  readonly now: Date;
  readonly requests: Pick<HttpServerCounts, 'metrics'>;
  readonly counts: UseCaseCounts;
  readonly throttle: Pick<OpenThrottle, 'throttled' | 'admittedClean'>;
  readonly hashPool: Pick<BcryptPool, 'usage'>;
  readonly keys: Pick<SigningKeys, 'loaded' | 'active'>;
  readonly refreshTokens: Pick<RefreshTokens, 'keyCreatedAt'>;
  readonly database: Pick<Database, 'usage'>;
  readonly housekeeping: Pick<Housekeeping, 'counts'>;
  readonly audit: Pick<Audit, 'usage'>;
  readonly deliveries: Pick<RefreshDeliveries, 'pending'>;
  readonly telemetry: Pick<Telemetry, 'counts'>;
}

/** Returns the auth service's metrics with their current values. */
export function measure(measured: Measured): readonly Metric[] {
  const { now, keys, refreshTokens, housekeeping, deliveries } = measured;
  const audit = measured.audit.usage();
  return [
    ...measured.requests.metrics(),
    ...useCaseMetrics(measured.counts),
    counter(
      'portico_auth_throttled_total',
      'Attempts that were refused without a check of their secret, by the counter that they have to wait for.',
      ['reason'],
      samplesBy('reason', measured.throttle.throttled),
    ),
    oneCounter(
      'portico_auth_clean_address_attempts_total',
      'Attempts from addresses without failures that were admitted after others had used up the allowance.',
      measured.throttle.admittedClean,
    ),
    ...hashMetrics(measured.hashPool.usage()),
    ...ageMetric(
      'portico_auth_signing_key_age_seconds',
      'Time since the signing key started signing.',
      keys.loaded ? keys.active().activatedAt : undefined,
      now,
    ),
    ...ageMetric(
      'portico_auth_refresh_token_key_age_seconds',
      'Time since the current refresh token key was created.',
      refreshTokens.keyCreatedAt(),
      now,
    ),
    ...databaseMetrics(measured.database.usage()),
    oneCounter('portico_auth_housekeeping_rounds_total', 'Rounds of the housekeeping.', housekeeping.counts.rounds),
    counter(
      'portico_auth_housekeeping_removed_rows_total',
      'Rows that the housekeeping removed; of `audit_log_partitions`, partitions.',
      ['sweep'],
      samplesBy('sweep', housekeeping.counts.removed),
    ),
    counter(
      'portico_auth_housekeeping_failures_total',
      'Cleanup steps that failed and are retried in the next round.',
      ['sweep'],
      samplesBy('sweep', housekeeping.counts.failures),
    ),
    oneGauge(
      'portico_auth_audit_backlog',
      'Repeated events that are counted and not written to the audit log yet.',
      audit.backlog,
    ),
    oneCounter(
      'portico_auth_audit_entries_lost_total',
      'Entries that could not be written to the audit log.',
      audit.lost,
    ),
    oneGauge(
      'portico_auth_refresh_deliveries_pending',
      'Replies with refresh tokens whose delivery is not recorded yet.',
      deliveries.pending(),
    ),
    spanCounter(measured.telemetry.counts),
  ];
}

function useCaseMetrics(counts: UseCaseCounts): readonly Metric[] {
  const outcomes = (name: string, help: string, of: Readonly<Record<string, number>>) =>
    counter(name, help, ['outcome'], samplesBy('outcome', of));
  return [
    outcomes('portico_auth_logins_total', 'Logins with a password.', counts.logins),
    outcomes('portico_auth_refreshes_total', 'Refreshes.', counts.refreshes),
    oneCounter(
      'portico_auth_refresh_token_reuse_total',
      'Refresh tokens that were used twice, so that their session was ended.',
      counts.refreshes.reused,
    ),
    outcomes('portico_auth_logouts_total', 'Logouts, and revocations of tokens of a login.', counts.logouts),
    outcomes('portico_auth_password_changes_total', 'Changes of passwords by their users.', counts.passwordChanges),
    outcomes(
      'portico_auth_client_authentications_total',
      'Authentications of service accounts with a secret.',
      counts.clientAuthentications,
    ),
    outcomes('portico_auth_client_tokens_total', 'Access tokens of service accounts.', counts.clientTokens),
    counter(
      'portico_auth_revocations_total',
      'Sessions that ended before their time, and tokens of service accounts that were revoked, by this process.',
      ['reason'],
      samplesBy('reason', counts.revocations),
    ),
  ];
}

function hashMetrics({ threads, running, queued, queueLimit, refused, waits, computations }: HashUsage) {
  return [
    oneGauge('portico_auth_password_hash_threads', 'Threads that hash passwords.', threads),
    oneGauge('portico_auth_password_hash_running', 'Password hashes that are being computed.', running),
    oneGauge('portico_auth_password_hash_queued', 'Password hashes that wait for a thread.', queued),
    oneGauge('portico_auth_password_hash_queue_limit', 'Password hashes that may wait.', queueLimit),
    oneCounter(
      'portico_auth_password_hash_refused_total',
      'Password hashes that were refused because the queue was full.',
      refused,
    ),
    oneDurationHistogram(
      'portico_auth_password_hash_wait_seconds',
      'How long password hashes waited for a thread.',
      waits,
    ),
    oneDurationHistogram('portico_auth_password_hash_duration_seconds', 'How long password hashes took.', computations),
  ];
}

function databaseMetrics({ pool, operations }: DatabaseUsage): readonly Metric[] {
  const { max, idle, used, pending, timeouts, waits } = pool;
  return [
    gauge('db_client_connection_count', 'Connections to the database.', ['state'], samplesBy('state', { idle, used })),
    oneGauge('db_client_connection_max', 'Connections that the pool may have.', max),
    oneGauge('db_client_connection_pending_requests', 'Operations that wait for a connection.', pending),
    oneCounter(
      'db_client_connection_timeouts_total',
      'Operations that waited for a connection without getting one.',
      timeouts,
    ),
    oneDurationHistogram(
      'db_client_connection_wait_time_seconds',
      'How long operations waited for a connection, with the time that it took to open it.',
      waits,
    ),
    durationHistogram(
      'db_client_operation_duration_seconds',
      'How long operations of the database took, with the wait for a connection.',
      ['db_operation_name', 'error_type'],
      DATABASE_BOUNDS_MS,
      [...operations.values()].map(({ operation, failure, durations }) =>
        durations.sample({ db_operation_name: operation, ...(failure && { error_type: failure }) }),
      ),
    ),
  ];
}

function ageMetric(name: string, help: string, since: Date | undefined, now: Date): readonly Metric[] {
  return since ? [oneGauge(name, help, Math.max(0, now.getTime() - since.getTime()) / 1000)] : [];
}
