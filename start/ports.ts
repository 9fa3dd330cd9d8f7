import { checkPort, SettingsError, StartError } from '../platform/index.ts';
import type { StartSettings } from './config.ts';
import type { ServiceName } from './services.ts';

/** A port that a service will listen on, and the setting that names it. */
interface ServicePort {
  readonly service: ServiceName;
  readonly host: string;
  readonly port: number;
  readonly portVariable: string;
}

/**
 * Checks the ports of all services that are to be started, before a database is made and filled for nothing.
 *
 * @throws SettingsError with a line for each port that is taken, may not be used, or is set for two services.
 */
export async function checkPorts(settings: StartSettings, names: ReadonlySet<ServiceName>): Promise<void> {
  const ports = portsOf(settings).filter(({ service, port }) => names.has(service) && port !== 0);
  const problems: string[] = [];
  for (const [index, one] of ports.entries()) {
    const { service, host, port, portVariable } = one;
    const same = ports.slice(0, index).find((other) => other.port === port && other.host === host);
    if (same)
      problems.push(
        `${service}: port ${port} on ${host} is that of ${same.portVariable} too: set ${portVariable} to another one`,
      );
    else
      await checkPort(one).catch((error: unknown) => {
        if (!(error instanceof StartError)) throw error;
        problems.push(`${service}: ${error.message}`);
      });
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

function portsOf({ listening }: StartSettings): readonly ServicePort[] {
  const { auth, authMetrics, orders, gateway, gatewayMetrics } = listening;
  return [
    { service: 'auth-service', ...auth, portVariable: 'AUTH_PORT' },
    { service: 'auth-service', ...authMetrics, portVariable: 'AUTH_METRICS_PORT' },
    { service: 'orders', ...orders, portVariable: 'ORDERS_PORT' },
    { service: 'gateway', ...gateway, portVariable: 'HASURA_GRAPHQL_SERVER_PORT' },
    { service: 'gateway', ...gatewayMetrics, portVariable: 'PORTICO_METRICS_PORT' },
  ];
}
