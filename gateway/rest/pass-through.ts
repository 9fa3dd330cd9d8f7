import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { createProxyMiddleware, type RequestHandler } from 'http-proxy-middleware';
import type { Logger } from '../../platform/index.ts';
import { explained, GatewayError } from '../errors.ts';
import type { Follower } from '../graph/index.ts';
import { type Arrival, type Exchange, refuseUpgrade, sendFlatError } from '../http/index.ts';
import {
  type Environment,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  resolveHeaders,
  resolveUrl,
  type ServiceMetadata,
} from '../metadata/index.ts';
import { type Authenticator, roleNotAllowed } from '../session/index.ts';
import { ADMIN_ROLE, clientHeaderForwarding } from '../sources/index.ts';
import { proxyEvents } from './proxy-events.ts';

/** Passes requests on to plain HTTP services, as `services.yaml` says. */
export interface PassThrough extends Follower {
  /** Whether a service has this path. */
  matches(path: string): boolean;
  /** Answers a request whose path matches. */
  handle(exchange: Exchange): Promise<void>;
  /** Takes a WebSocket upgrade whose path matches; refuses it with a plain HTTP response. */
  upgrade(arrival: Arrival, socket: Socket, head: Buffer): Promise<void>;
  /** Ends the WebSockets that are open: unlike requests, they would go on for as long as their clients like. */
  closeSockets(): void;
  close(): void;
}

interface Agents {
  readonly 'http:': HttpAgent;
  readonly 'https:': HttpsAgent;
}

/** What every service is opened with. */
interface Opening {
  readonly environment: Environment;
  readonly agents: Agents;
  /** Headers that are the gateway's to judge. */
  readonly credentialHeaders: readonly string[];
  readonly log: Logger;
}

type PublicAddresses = NonNullable<ServiceMetadata['only_public_without_token']>;

interface Service {
  readonly metadata: ServiceMetadata;
  readonly proxy: RequestHandler;
  readonly headersFor: (arrival: Arrival, session: Readonly<Record<string, string>>) => IncomingHttpHeaders;
}

/**
 * Opens the pass-through for the services of `metadata`.
 *
 * @throws MetadataError when a service's metadata does not fit the environment.
 */
export function openPassThrough(
  metadata: Metadata,
  environment: Environment,
  authenticator: Authenticator,
  log: Logger,
): PassThrough {
  const agents: Agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: 256 }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: 256 }),
  };
  const { credentialHeaders } = authenticator;
  const opening = { environment, agents, credentialHeaders, log };
  let services = openServices(metadata, opening, []);
  const sockets = new Set<Socket>();
  const serviceFor = (path: string) =>
    services.find(({ metadata }) => path === metadata.path || path.startsWith(`${metadata.path}/`));

  async function admit(arrival: Arrival): Promise<{ proxy: RequestHandler; cookies: readonly string[] }> {
    const service = serviceFor(arrival.path);
    if (!service) throw nothingThere();
    const { permissions, only_public_without_token: open } = service.metadata;
    if (open) {
      // No token is judged, so a caller who still attaches an expired one can get a new one; and nobody is named.
      refuseUnlessOpen(open, arrival);
      arrival.request.headers = service.headersFor(arrival, {});
      return { proxy: service.proxy, cookies: [] };
    }
    const { role, headers, cookies } = await authenticator.authenticate(arrival.request.headers);
    if (permissions && role !== ADMIN_ROLE && !permissions.some((permission) => permission.role === role))
      throw roleNotAllowed();
    if (hasDotSegment(arrival.path)) throw new GatewayError('bad-request', 'the path holds a dot segment');
    arrival.request.headers = service.headersFor(arrival, headers);
    return { proxy: service.proxy, cookies };
  }

  return {
    matches: (path) => serviceFor(path) !== undefined,
    handle: async (exchange) => {
      try {
        const { proxy, cookies } = await admit(exchange);
        if (cookies.length > 0) exchange.response.setHeader('set-cookie', cookies);
        await proxy(exchange.request, exchange.response);
      } catch (thrown) {
        sendFlatError(exchange, explained(thrown, exchange));
      }
    },
    upgrade: async (arrival, socket, head) => {
      // From here on the socket's errors are nobody else's, and an error that nobody hears ends the process.
      socket.on('error', () => {});
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      try {
        if (serviceFor(arrival.path)?.metadata.only_public_without_token) throw nothingThere();
        const { proxy } = await admit(arrival);
        Object.assign(arrival.request.headers, { connection: 'Upgrade', upgrade: 'websocket' });
        proxy.upgrade(arrival.request, socket, head);
      } catch (thrown) {
        refuseUpgrade(arrival.request, socket, explained(thrown, arrival));
      }
    },
    prepare: (described) => {
      const next = openServices(described, opening, services);
      return () => {
        services = next;
      };
    },
    closeSockets: () => {
      // With an error, because that is what http-proxy ends the service's side for.
      for (const socket of sockets) socket.destroy(new Error('the gateway stops'));
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/**
 * The longest path first: /api/orders/archive is not the business of /api/orders when somebody else has it. A service
 * that is described as before stays as it is: the proxy's middleware never lets go of the server that it was used with.
 */
function openServices(metadata: Metadata, opening: Opening, previous: readonly Service[]): readonly Service[] {
  const problems: MetadataProblem[] = [];
  const services = metadata.services.flatMap((service, index) => {
    const known = previous.find((one) => JSON.stringify(one.metadata) === JSON.stringify(service));
    const opened = known ?? openService(service, opening);
    if (!('problem' in opened)) return [opened];
    problems.push({ ...metadata.place('services', [index]), message: opened.problem });
    return [];
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return services.sort((one, two) => two.metadata.path.length - one.metadata.path.length);
}

function openService(metadata: ServiceMetadata, opening: Opening): Service | { problem: string } {
  const { environment, agents, credentialHeaders, log } = opening;
  const url = resolveUrl(metadata, environment);
  const configured = resolveHeaders(metadata.headers, environment);
  if ('problem' in url) return url;
  if ('problem' in configured) return configured;
  const { origin, protocol, pathname } = new URL(url.url);
  const base = pathname.replace(/\/$/, '');
  const proxy = createProxyMiddleware<IncomingMessage, ServerResponse>({
    target: origin,
    agent: protocol === 'https:' ? agents['https:'] : agents['http:'],
    changeOrigin: true,
    proxyTimeout: metadata.timeout_seconds * 1000,
    pathRewrite: (path) => base + path.slice(metadata.path.length),
    on: proxyEvents(metadata.name, log),
  });

  // Ordinary headers describe the request and go through. Credentials are ours to judge, not the service's to see.
  const forward = clientHeaderForwarding(metadata.forward_client_headers ? [] : credentialHeaders);
  return {
    metadata,
    proxy,
    headersFor: (arrival, session) => {
      const { 'content-length': length, 'transfer-encoding': encoding } = arrival.request.headers;
      return {
        ...forward(arrival.request.headers),
        // How the body is framed belongs to the body, which goes through as it is.
        ...(length !== undefined && { 'content-length': length }),
        ...(encoding !== undefined && { 'transfer-encoding': encoding }),
        'x-request-id': arrival.requestId,
        'x-forwarded-for': arrival.clientAddress,
        ...session,
        ...configured.headers,
      };
    },
  };
}

function nothingThere(): GatewayError {
  return new GatewayError('not-found', 'resource does not exist');
}

/** Paths count as they were written, so that no way of writing another one reaches more than is listed. */
function refuseUnlessOpen(open: PublicAddresses, { path, request }: Arrival): void {
  const address = open.find((listed) => listed.path === path);
  if (!address) throw nothingThere();
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (address.methods.some((listed) => listed === method)) return;
  const allow = address.methods.flatMap((listed) => (listed === 'GET' ? ['GET', 'HEAD'] : [listed])).join(', ');
  throw new GatewayError('method-not-allowed', `expected the method ${allow}`, { headers: { allow } });
}

/** Whether a path would lead out of the service's own part once somebody decodes and resolves it. */
function hasDotSegment(path: string): boolean {
  const decoded = path.replace(/%2f|%5c|\\/gi, '/').replace(/%2e/gi, '.');
  return decoded.split('/').some((segment) => /^\.\.?(;|$)/.test(segment));
}
