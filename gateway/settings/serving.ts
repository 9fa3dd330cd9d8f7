import { setting } from '../../platform/index.ts';
import { listedNames } from './types.ts';

/** Listening, stopping, logs and metrics. */
export const servingSettings = {
  HASURA_GRAPHQL_SERVER_HOST: setting
    .text()
    .default('127.0.0.1')
    .describe('Address that the gateway listens on; `*`: all of this machine.'),
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080).describe('Port that the gateway listens on.'),
  PORTICO_WORKERS: setting
    .integer(0, 0, 256)
    .describe(
      'Processes that share the port. 0: one per processor core with `NODE_ENV=production`, else one. `portico serve --workers N` takes precedence. See [scaling.md](scaling.md#workers-using-all-processor-cores).',
    ),
  PORTICO_TRUSTED_PROXIES: setting
    .integer(0, 0, 10)
    .describe(
      "Number of your own reverse proxies in front of the gateway. The client's address is the entry of `X-Forwarded-For` at that position from the right; with 0 it is the address of the connection.",
    ),
  PORTICO_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a gateway that has been asked to stop accepts connections while `/readyz` answers 503, so that a load balancer can take it out.',
    ),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting
    .integer(10, 0, 3_600, 'seconds')
    .describe('How long running requests may take to finish after the port has been closed.'),
  PORTICO_READY_GRACE_SECONDS: setting
    .integer(10, 0, 3_600, 'seconds')
    .describe('How long after the start a missing remote schema keeps `/readyz` at 503.'),
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel().removeDefault().optional().meta({
    description: 'Least severe level that is logged. See [logs.md](logs.md).',
    default: 'that of `PORTICO_LOG_LEVEL`',
  }),
  PORTICO_LOG_LEVEL: setting
    .logLevel()
    .describe('The level where `HASURA_GRAPHQL_LOG_LEVEL` is not set; `npm start` takes it for all of its services.'),
  PORTICO_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  PORTICO_METRICS_PORT: setting
    .port(0)
    .describe('Port that serves `/metrics` to Prometheus; 0: none. Keep it private. See [metrics.md](metrics.md).'),
  PORTICO_METRICS_CLIENTS: listedNames().describe(
    'Values of the label `client` of `portico_named_operations_total`: names of clients, as clients send them in `apollographql-client-name` or `graphql-client-name`. All others are `other`. See [metrics.md](metrics.md#names-of-operations).',
  ),
  PORTICO_METRICS_TENANTS: listedNames().describe(
    'Values of the label `tenant` of `portico_named_operations_total`: ids of tenants. All others are `other`.',
  ),
};
