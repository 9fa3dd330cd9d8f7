import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { createProxyMiddleware, type RequestHandler } from 'http-proxy-middleware';
import type { Logger } from '../../platform/index.ts';
import { GatewayError, toGatewayError } from '../errors.ts';
import type { Follower } from '../graph/index.ts';
import { type Arrival, type Exchange, sendFlatError } from '../http/index.ts';
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

/** Passes requests on to plain HTTP services, as `services.yaml` says. */
export interface PassThrough extends Follower {
  /** Whether a service has this path. */
  matches(path: string): boolean;
  /** Answers a request whose path matches. */
  handle(exchange: Exchange): Promise<void>;
  /** Takes a WebSocket upgrade whose path matches; refuses it with a plain HTTP response. */
  upgrade(arrival: Arrival, socket: Socket, head: Buffer): Promise<void>;
  close(): void;
}

interface Agents {
  readonly 'http:': HttpAgent;
  readonly 'https:': HttpsAgent;
}

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
  const open = (described: Metadata) => openServices(described, environment, agents, log);
  let services = open(metadata);
  const serviceFor = (path: string) =>
    services.find(({ metadata }) => path === metadata.path || path.startsWith(`${metadata.path}/`));

  async function admit(arrival: Arrival): Promise<Service> {
    const service = serviceFor(arrival.path);
    if (!service) throw new GatewayError('not-found', 'resource does not exist');
    const { role, headers } = await authenticator.authenticate(arrival.request.headers);
    const { permissions } = service.metadata;
    if (permissions && role !== ADMIN_ROLE && !permissions.some((permission) => permission.role === role))
      throw roleNotAllowed();
    if (hasDotSegment(arrival.path)) throw new GatewayError('bad-request', 'the path holds a dot segment');
    arrival.request.headers = service.headersFor(arrival, headers);
    return service;
  }

  return {
    matches: (path) => serviceFor(path) !== undefined,
    handle: async (exchange) => {
      try {
        const { proxy } = await admit(exchange);
        await proxy(exchange.request, exchange.response);
      } catch (thrown) {
        sendFlatError(exchange.response, explain(thrown, exchange.log));
      }
    },
    upgrade: async (arrival, socket, head) => {
      try {
        const { proxy } = await admit(arrival);
        Object.assign(arrival.request.headers, { connection: 'Upgrade', upgrade: 'websocket' });
        proxy.upgrade(arrival.request, socket, head);
      } catch (thrown) {
        refuseUpgrade(arrival.request, socket, explain(thrown, arrival.log));
      }
    },
    prepare: (described) => {
      const next = open(described);
      return () => {
        services = next;
      };
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The longest path first: /api/orders/archive is not the business of /api/orders when somebody else has it. */
function openServices(metadata: Metadata, environment: Environment, agents: Agents, log: Logger): readonly Service[] {
  const problems: MetadataProblem[] = [];
  const services = metadata.services.flatMap((service, index) => {
    const opened = openService(service, environment, agents, log);
    if (!('problem' in opened)) return [opened];
    problems.push({ ...metadata.place('services', [index]), message: opened.problem });
    return [];
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return services.sort((one, two) => two.metadata.path.length - one.metadata.path.length);
}

function openService(
  metadata: ServiceMetadata,
  environment: Environment,
  agents: Agents,
  log: Logger,
): Service | { problem: string } {
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
    on: {
      error: (error, request, answer) => {
        log.warn({ service: metadata.name, reason: error.message }, 'a service did not answer');
        const message = `the service "${metadata.name}" cannot be reached`;
        const refusal = new GatewayError('unexpected', message, { status: 502 });
        if (answer instanceof ServerResponse) sendFlatError(answer, refusal);
        else refuseUpgrade(request, answer as Socket, refusal);
      },
    },
  });

  // Ordinary headers describe the request and go through. Credentials are ours to judge, not the service's to see.
  const forward = clientHeaderForwarding(metadata.forward_client_headers ? [] : ['authorization', 'cookie']);
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

/** Whether a path would lead out of the service's own part once somebody decodes and resolves it. */
function hasDotSegment(path: string): boolean {
  const decoded = path.replace(/%2f|%5c|\\/gi, '/').replace(/%2e/gi, '.');
  return decoded.split('/').some((segment) => /^\.\.?(;|$)/.test(segment));
}

function explain(thrown: unknown, log: Logger): GatewayError {
  const error = toGatewayError(thrown);
  if (error !== thrown) log.error({ err: thrown }, 'a request failed in an unforeseen way');
  return error;
}

function refuseUpgrade(request: IncomingMessage, socket: Socket, error: GatewayError): void {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.end());
  sendFlatError(response, error);
}
