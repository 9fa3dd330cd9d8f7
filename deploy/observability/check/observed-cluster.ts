import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProcessGroup } from '../../../bench/machine/index.ts';
import { type Cluster, startCluster } from '../../../faults/cluster/index.ts';
import type { ScrapeTargets } from './prometheus.ts';

export interface ObservedCluster {
  readonly cluster: Cluster;
  readonly targets: ScrapeTargets;
}

/** Starts two gateways of two workers each and two auth services, with metrics and traces. */
export async function startObservedCluster(group: ProcessGroup, say: (text: string) => void): Promise<ObservedCluster> {
  const ports = new Map<string, number>();
  const address = (name: string) => `127.0.0.1:${ports.get(name)}`;
  const traces = await startTraceSink(group);
  const cluster = await startCluster(
    group,
    {
      balancer: 'plain',
      drainSeconds: 0,
      environment(server, freePort) {
        ports.set(server, freePort);
        const port = String(freePort);
        const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: traces };
        if (server.startsWith('gateway'))
          return { ...telemetry, PORTICO_METRICS_PORT: port, PORTICO_UPSTREAM_MAX_IN_FLIGHT: '2' };
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
    targets: {
      'portico-gateway': [address('gateway-1'), address('gateway-2')],
      'portico-auth-service': [address('auth-service-1'), address('auth-service-2')],
    },
  };
}

/** A Collector that takes whatever it is sent. @returns its address. */
async function startTraceSink(group: ProcessGroup): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  group.afterwards(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
