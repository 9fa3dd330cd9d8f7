import { z } from 'zod';
import { setting } from '../../platform/index.ts';

const MIN_REVOCATION_SECRET_LENGTH = 32;

/** A secret that gateways send. */
export const revocationSecret = z
  .string({ error: 'needed in production: gateways send it as PORTICO_REVOCATION_SECRET to read /revocations' })
  .min(MIN_REVOCATION_SECRET_LENGTH, `expected at least ${MIN_REVOCATION_SECRET_LENGTH} random characters`)
  .regex(/^[\x21-\x7e]*$/, 'expected printable characters without spaces');

/** Listening, stopping, logs and metrics. */
export const servingSettings = {
  AUTH_HOST: setting
    .text()
    .default('127.0.0.1')
    .describe('Address that the auth service listens on. Only the gateway should reach it.'),
  AUTH_PORT: setting.port(4001).describe('Port that the auth service listens on.'),
  AUTH_TRUSTED_PROXIES: setting
    .integer(1, 0, 10)
    .describe(
      'Number of your own processes in front of the auth service; the gateway is one. A client that reaches the service directly can forge its address.',
    ),
  AUTH_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a service that has been asked to stop accepts connections while `/readyz` answers 503. See [operations-auth.md](operations-auth.md#stopping).',
    ),
  AUTH_SHUTDOWN_TIMEOUT_SECONDS: setting
    .integer(10, 0, 60, 'seconds')
    .describe('How long running requests may take to finish at a stop.'),
  AUTH_REVOCATION_SECRET: revocationSecret.optional().meta({
    description:
      'At least 32 characters, which gateways send to read `/revocations`; a credential that is derived from it shows that a request is theirs, whose trace is continued.',
    required: 'in production',
  }),
  AUTH_REVOCATION_SECRET_PREVIOUS: revocationSecret
    .optional()
    .describe('The previous one, accepted too while gateways are given the new one.'),
  AUTH_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  AUTH_METRICS_PORT: setting
    .port(0)
    .describe('Port that serves `/metrics` to Prometheus; 0: none. Keep it private. See [metrics.md](metrics.md).'),
  AUTH_LOG_LEVEL: setting.logLevel().describe('Least severe level that is logged. See [logs.md](logs.md).'),
};
