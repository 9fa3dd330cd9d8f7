import { isIP } from 'node:net';
import { errorCode, reservePort, SettingsError, StartError } from '../platform/index.ts';
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
  const reserved: (() => Promise<void>)[] = [];
  try {
    for (const [index, one] of ports.entries()) {
      // Each is kept until all have been tried, since only the system knows which addresses of one port clash.
      const release = await reservePort(one).catch((error: unknown) => {
        if (!(error instanceof StartError)) throw error;
        const isTaken = errorCode(error.cause) === 'EADDRINUSE';
        const other = isTaken ? ports.slice(0, index).find((earlier) => mayClash(earlier, one)) : undefined;
        problems.push(`${one.service}: ${other ? setTwice(one, other) : error.message}`);
      });
      if (release) reserved.push(release);
    }
  } finally {
    await Promise.all(reserved.map((release) => release()));
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

/** Whether one port on both hosts may be the same: a name and an address, or an address and all addresses. */
function mayClash(one: ServicePort, other: ServicePort): boolean {
  return one.port === other.port && (one.host === other.host || !isOneAddress(one.host) || !isOneAddress(other.host));
}

function isOneAddress(host: string): boolean {
  return isIP(host) !== 0 && !/^[0:.]+$/.test(host);
}

function setTwice({ host, port, portVariable }: ServicePort, other: ServicePort): string {
  return `port ${port} on ${host} is also used by ${other.portVariable}: set ${portVariable} to another port`;
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
