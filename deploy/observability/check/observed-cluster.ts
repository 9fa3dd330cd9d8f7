import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProcessGroup } from '../../../bench/machine/index.ts';
import { type Cluster, startCluster } from '../../../faults/cluster/index.ts';
import type { ScrapeTargets } from './prometheus.ts';

/** Of the gateways. */
export const ADMIN_SECRET = 'the admin secret of the observed gateways';

export interface ObservedCluster {
  readonly cluster: Cluster;
  readonly targets: ScrapeTargets;
  /** The address of a webhook that fails below `/fails`, and answers nothing elsewhere. */
  readonly webhook: string;
}

/** Starts two gateways of two workers each and two auth services, with metrics and traces. */
export async function startObservedCluster(group: ProcessGroup, say: (text: string) => void): Promise<ObservedCluster> {
  const ports = new Map<string, number>();
  const address = (name: string) => `127.0.0.1:${ports.get(name)}`;
  const traces = await startServer(group, (request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  const webhook = await startServer(group, ({ url }, response) => {
    if (url?.startsWith('/fails')) response.writeHead(500).end();
  });
  const cluster = await startCluster(
    group,
    {
      balancer: 'plain',
      drainSeconds: 0,
      environment(server, freePort, databaseUrl) {
        ports.set(server, freePort);
        const port = String(freePort);
        const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: traces };
        if (server.startsWith('gateway'))
          return {
            ...telemetry,
            PORTICO_METRICS_PORT: port,
            PORTICO_UPSTREAM_MAX_IN_FLIGHT: '2',
            HASURA_GRAPHQL_METADATA_DATABASE_URL: databaseUrl,
            HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
            PORTICO_SCHEDULED_EVENT_ORIGINS: webhook,
            PORTICO_JOBS_CONCURRENCY: '1',
          };
        // A second use of a refresh token is reuse at once.
        if (server.startsWith('auth'))
          return { ...telemetry, AUTH_METRICS_PORT: port, AUTH_REFRESH_TOKEN_GRACE_SECONDS: '0' };
        return {};
      },
    },
    say,
  );
  return {
    cluster,
    webhook,
    targets: {
      'portico-gateway': [address('gateway-1'), address('gateway-2')],
      'portico-auth-service': [address('auth-service-1'), address('auth-service-2')],
    },
  };
}

/** @returns its address. */
async function startServer(group: ProcessGroup, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  group.afterwards(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
