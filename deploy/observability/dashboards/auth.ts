import {
  type DashboardDescription,
  gaugeOf,
  quantileOf,
  rateOf,
  SELECTED,
  SERVED_REQUESTS,
  shareOf,
} from './description.ts';

export const auth: DashboardDescription = {
  name: 'auth',
  title: 'Login and sessions',
  description: 'The auth service: logins, refused attempts, refresh tokens, signing keys, its database.',
  series: 'portico_auth_password_hash_queued',
  rows: [
    {
      title: 'Logins',
      panels: [
        {
          title: 'Logins by outcome',
          description: 'Attempts to log in.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_auth_logins_total', 'outcome'), legend: '{{outcome}}' }],
          alert: 'PorticoLoginFailures',
        },
        {
          title: 'Failed logins',
          description:
            'Share of logins with a wrong password, or that have to wait after such ones. Rising with the number of logins: passwords are being guessed.',
          unit: 'percentunit',
          max: 1,
          queries: [
            { expr: shareOf('portico_auth_logins_total', 'outcome=~"refused|throttled"', 'job'), legend: 'failed' },
          ],
          alert: 'PorticoLoginFailures',
        },
        {
          title: 'Refused attempts',
          description: 'Attempts that have to wait after failed ones, by what was counted.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_auth_throttled_total', 'reason'), legend: '{{reason}}' }],
          alert: 'PorticoBruteForce',
        },
        {
          title: 'Logins by the second allowance',
          description: 'Attempts from addresses without failures, after others have used up the allowance.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_auth_clean_address_attempts_total', 'job'), legend: '{{job}}' }],
          alert: 'PorticoAllowanceUsedUp',
        },
        {
          title: 'Refused by the second allowance',
          description: 'Attempts from addresses without failures that have to wait, by what was counted.',
          unit: 'ops',
          queries: [
            {
              expr: rateOf('portico_auth_throttled_total', 'reason', 'reason=~"clean_(account|tenant|client)"'),
              legend: '{{reason}}',
            },
          ],
          alert: 'PorticoCleanAddressesThrottled',
        },
      ],
    },
    {
      title: 'Sessions and keys',
      panels: [
        {
          title: 'Refreshes by outcome',
          description: 'Refresh tokens that were exchanged for new tokens, or refused.',
          unit: 'ops',
          width: 6,
          queries: [{ expr: rateOf('portico_auth_refreshes_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Reuse of refresh tokens',
          description:
            'Second uses of a refresh token in the last hour. Each ended its session: the token may be stolen.',
          unit: 'none',
          width: 6,
          queries: [
            {
              expr: `sum(increase(portico_auth_refresh_token_reuse_total{${SELECTED}}[1h]))`,
              legend: 'reuse',
            },
          ],
          alert: 'PorticoRefreshTokenReuse',
        },
        {
          title: 'Revocations',
          description:
            'Sessions that ended before their time, and revoked tokens of service accounts, by what ended them.',
          unit: 'ops',
          width: 6,
          queries: [{ expr: rateOf('portico_auth_revocations_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Age of the signing key',
          description: 'Of the key that signs now. It is replaced after 90 days unless configured otherwise.',
          unit: 'dtdurations',
          width: 6,
          queries: [{ expr: `max(portico_auth_signing_key_age_seconds{${SELECTED}})`, legend: 'age' }],
          alert: 'PorticoSigningKeyOld',
        },
      ],
    },
    {
      title: 'Accounts',
      panels: [
        {
          title: 'Logouts and changes of passwords',
          description: 'By outcome.',
          unit: 'ops',
          queries: [
            { expr: rateOf('portico_auth_logouts_total', 'outcome'), legend: 'logout {{outcome}}' },
            { expr: rateOf('portico_auth_password_changes_total', 'outcome'), legend: 'password change {{outcome}}' },
          ],
        },
        {
          title: 'Service accounts',
          description: 'Secrets that were shown, and access tokens that were issued, by outcome.',
          unit: 'ops',
          queries: [
            { expr: rateOf('portico_auth_client_authentications_total', 'outcome'), legend: 'secret {{outcome}}' },
            { expr: rateOf('portico_auth_client_tokens_total', 'outcome'), legend: 'token {{outcome}}' },
          ],
        },
        {
          title: 'Hashing threads in use',
          description: 'Share of the threads that hash passwords. At 100 % further logins wait.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `sum by (instance) (portico_auth_password_hash_running{${SELECTED}}) / sum by (instance) (portico_auth_password_hash_threads{${SELECTED}})`,
              legend: '{{instance}}',
            },
          ],
          alert: 'PorticoHashQueueLong',
        },
      ],
    },
    {
      title: 'Password hashing',
      panels: [
        {
          title: 'Hash queue',
          description: 'Passwords that wait for a hashing thread, and how many may. Further logins are refused.',
          unit: 'none',
          width: 6,
          queries: [
            { expr: gaugeOf('sum', 'portico_auth_password_hash_queued', 'instance'), legend: '{{instance}}' },
            {
              expr: gaugeOf('sum', 'portico_auth_password_hash_queue_limit', 'instance'),
              legend: '{{instance}} limit',
            },
          ],
          alert: 'PorticoHashQueueLong',
        },
        {
          title: 'Logins refused for lack of time',
          description: 'Passwords that found the queue full: answered 503 with Retry-After.',
          unit: 'ops',
          width: 6,
          queries: [{ expr: rateOf('portico_auth_password_hash_refused_total', 'instance'), legend: '{{instance}}' }],
          alert: 'PorticoHashQueueLong',
        },
        {
          title: 'Wait for a hashing thread',
          description: 'Logins cannot be faster than this.',
          unit: 's',
          width: 6,
          queries: [
            { expr: quantileOf(0.5, 'portico_auth_password_hash_wait_seconds'), legend: '50th percentile' },
            { expr: quantileOf(0.95, 'portico_auth_password_hash_wait_seconds'), legend: '95th percentile' },
          ],
          alert: 'PorticoHashQueueLong',
        },
        {
          title: 'Duration of a hash',
          description: 'Set by the cost factor. Rising without a change of it: the processor is busy.',
          unit: 's',
          width: 6,
          queries: [
            { expr: quantileOf(0.5, 'portico_auth_password_hash_duration_seconds'), legend: '50th percentile' },
            { expr: quantileOf(0.95, 'portico_auth_password_hash_duration_seconds'), legend: '95th percentile' },
          ],
        },
      ],
    },
    {
      title: 'Database',
      panels: [
        {
          title: 'Connections by state',
          description: 'Connections of the pools; no idle ones under load: statements wait.',
          unit: 'none',
          queries: [
            { expr: gaugeOf('sum', 'db_client_connection_count', 'state'), legend: '{{state}}' },
            { expr: gaugeOf('sum', 'db_client_connection_max', 'job'), legend: 'at most' },
            { expr: gaugeOf('sum', 'db_client_connection_pending_requests', 'job'), legend: 'statements that wait' },
          ],
          alert: 'PorticoDatabaseWaits',
        },
        {
          title: 'Wait for a connection, 95th percentile',
          description: 'How long statements wait for a connection of the pool.',
          unit: 's',
          queries: [{ expr: quantileOf(0.95, 'db_client_connection_wait_time_seconds'), legend: '95th percentile' }],
          alert: 'PorticoDatabaseWaits',
        },
        {
          title: 'Duration of statements, 95th percentile',
          description: 'By the name of the statement.',
          unit: 's',
          queries: [
            {
              expr: quantileOf(0.95, 'db_client_operation_duration_seconds', 'db_operation_name'),
              legend: '{{db_operation_name}}',
            },
          ],
          traces: '{ span.db.system.name = "postgresql" && duration > 100ms }',
        },
        {
          title: 'Failed statements',
          description:
            'Share of statements that the database did not carry out, by name. Only of writes: it is read-only or its disk is full.',
          unit: 'percentunit',
          max: 1,
          width: 12,
          queries: [
            {
              expr: shareOf(
                'db_client_operation_duration_seconds_count',
                'error_type="unavailable"',
                'db_operation_name',
              ),
              legend: '{{db_operation_name}}',
            },
          ],
          alert: 'PorticoDatabaseUnavailable',
        },
        {
          title: 'Statements',
          description: 'Statements a second, by name.',
          unit: 'ops',
          width: 12,
          queries: [
            {
              expr: rateOf('db_client_operation_duration_seconds_count', 'db_operation_name'),
              legend: '{{db_operation_name}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Audit log and housekeeping',
      panels: [
        {
          title: 'Lost audit entries',
          description: 'Security events of the last hour that could not be written to the audit log.',
          unit: 'none',
          queries: [
            {
              expr: `sum(increase(portico_auth_audit_entries_lost_total{${SELECTED}}[1h]))`,
              legend: 'lost',
            },
          ],
          alert: 'PorticoAuditEntriesLost',
        },
        {
          title: 'Rows deleted by the housekeeping',
          description: 'Expired rows, by what is swept.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_auth_housekeeping_removed_rows_total', 'sweep'), legend: '{{sweep}}' }],
        },
        {
          title: 'Failures of the housekeeping',
          description: 'Sweeps of the last hour that failed and are tried again.',
          unit: 'none',
          queries: [
            {
              expr: `sum by (sweep) (increase(portico_auth_housekeeping_failures_total{${SELECTED}}[1h]))`,
              legend: '{{sweep}}',
            },
          ],
          alert: 'PorticoHousekeepingFails',
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by endpoint',
          description: 'Requests to the auth service, nearly all by gateways.',
          unit: 'reqps',
          queries: [{ expr: rateOf(`${SERVED_REQUESTS}_count`, 'http_route'), legend: '{{http_route}}' }],
        },
        {
          title: 'Failed requests by endpoint',
          description: 'Share of requests that were answered with a status of 500 and more.',
          unit: 'percentunit',
          queries: [
            {
              expr: shareOf(`${SERVED_REQUESTS}_count`, 'http_response_status_code=~"5.."', 'http_route'),
              legend: '{{http_route}}',
            },
          ],
          alert: 'PorticoErrorBudgetBurnsFast',
        },
        {
          title: 'Duration by endpoint, 95th percentile',
          description: 'From the request to the end of its response.',
          unit: 's',
          queries: [
            { expr: quantileOf(0.95, SERVED_REQUESTS, 'http_route'), legend: '{{http_route}}', exemplars: true },
          ],
        },
      ],
    },
  ],
};
