import { setting } from '../../platform/index.ts';
import { listedNames } from './types.ts';

/** Listening, stopping, logs and metrics. */
export const servingSettings = {
  HASURA_GRAPHQL_SERVER_HOST: setting
    .text()
    .default('127.0.0.1')
    .describe('Address that the gateway listens on. `*` means all addresses of this machine.'),
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080).describe('Port that the gateway listens on.'),
  PORTICO_WORKERS: setting
    .integer(0, 0, 256)
    .describe(
      'Number of processes that share the port. 0 means one process per processor core with `NODE_ENV=production`, and one process otherwise. `portico serve --workers N` overrides this setting. See [scaling.md](scaling.md#workers-using-all-processor-cores).',
    ),
  PORTICO_TRUSTED_PROXIES: setting
    .integer(0, 0, 10)
    .describe(
      "Number of your own reverse proxies in front of the gateway. The client's address is the entry of `X-Forwarded-For` at that position, counted from the right. With 0, it is the address of the connection.",
    ),
  PORTICO_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a stopping gateway still accepts connections while `/readyz` returns 503, so that a load balancer can remove it.',
    ),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting
    .integer(10, 0, 3_600, 'seconds')
    .describe('How long running requests may take to finish after the port is closed.'),
  PORTICO_READY_GRACE_SECONDS: setting
    .integer(10, 0, 3_600, 'seconds')
    .describe('How long after the start `/readyz` returns 503 because of a missing remote schema.'),
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel().removeDefault().optional().meta({
    description: 'Minimum log level. See [logs.md](logs.md).',
    default: 'value of `PORTICO_LOG_LEVEL`',
  }),
  PORTICO_LOG_LEVEL: setting
    .logLevel()
    .describe('Log level if `HASURA_GRAPHQL_LOG_LEVEL` is not set. `npm start` uses it for all its services.'),
  PORTICO_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  PORTICO_METRICS_PORT: setting
    .port(0)
    .describe(
      'Port that serves `/metrics` to Prometheus. 0 disables it. Keep this port private. See [metrics.md](metrics.md).',
    ),
  PORTICO_METRICS_CLIENTS: listedNames().describe(
    'Values of the label `client` of `portico_named_operations_total`: the client names that clients send in `apollographql-client-name` or `graphql-client-name`. All other clients are counted as `other`. See [metrics.md](metrics.md#names-of-operations).',
  ),
  PORTICO_METRICS_TENANTS: listedNames().describe(
    'Values of the label `tenant` of `portico_named_operations_total`: tenant ids. All other tenants are counted as `other`.',
  ),
};
