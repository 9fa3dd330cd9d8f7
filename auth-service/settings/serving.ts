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
      'Number of your own processes in front of the auth service, including the gateway. A client that can connect to the service directly can forge its address.',
    ),
  AUTH_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a stopping service still accepts connections while `/readyz` returns 503. See [operations-auth.md](operations-auth.md#stopping).',
    ),
  AUTH_SHUTDOWN_TIMEOUT_SECONDS: setting
    .integer(10, 0, 60, 'seconds')
    .describe('How long running requests may take to finish when the service stops.'),
  AUTH_REVOCATION_SECRET: revocationSecret.optional().meta({
    description:
      'Secret of at least 32 characters that gateways send to read `/revocations`. Gateways also derive a credential from it that identifies their requests, whose traces are continued.',
    required: 'in production',
  }),
  AUTH_REVOCATION_SECRET_PREVIOUS: revocationSecret
    .optional()
    .describe('The previous secret. It is also accepted while you deploy the new secret to the gateways.'),
  AUTH_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  AUTH_METRICS_PORT: setting
    .port(0)
    .describe(
      'Port that serves `/metrics` to Prometheus. 0 disables it. Keep this port private. See [metrics.md](metrics.md).',
    ),
  AUTH_LOG_LEVEL: setting.logLevel().describe('Minimum log level. See [logs.md](logs.md).'),
};
