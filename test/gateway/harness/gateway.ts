import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startGateway } from '../../../gateway/process/gateway.ts';
import { AUDIENCE, ISSUER, type Issuer } from './issuer.ts';
import { until } from './keep.ts';
import { type Answer, type RequestHeaders, type Sent, send } from './send.ts';

/** Files of a metadata directory: text is written as it is, everything else as YAML. Undefined leaves a file out. */
export type MetadataFiles = Readonly<Record<string, unknown>>;

/** Writes a metadata directory; its `version.yaml` need not be given. */
export function writeMetadata(files: MetadataFiles): { directory: string; close(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'portico-metadata-'));
  for (const [name, content] of Object.entries({ 'version.yaml': { version: 3 }, ...files }))
    if (content !== undefined)
      writeFileSync(join(directory, name), typeof content === 'string' ? content : stringify(content));
  return { directory, close: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface GatewayOptions {
  issuer: Issuer;
  metadata?: MetadataFiles;
  /** Put over the environment that the gateway is started with; undefined takes a variable out. */
  environment?: Record<string, string | undefined>;
  /** Put over the JWT secret. */
  jwtSecret?: Record<string, unknown>;
  /** False returns as soon as it listens. */
  waitUntilReady?: boolean;
}

export interface GraphqlBody {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly unknown[];
    readonly extensions: Record<string, unknown>;
  }[];
  readonly [other: string]: unknown;
}

export interface GraphqlOptions {
  token?: string | undefined;
  variables?: unknown;
  operationName?: string;
  headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface TestGateway {
  readonly url: string;
  readonly port: number;
  /** Every log line so far. */
  logs(): string;
  send<Body = unknown>(path: string, sent?: Sent): Promise<Answer<Body>>;
  /** Sends one operation to `/v1/graphql`. */
  graphql(query: string, options?: GraphqlOptions): Promise<Answer<GraphqlBody>>;
  /** POSTs a JSON value. */
  post<Body = unknown>(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer<Body>>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The settings of a test's gateway: a random port, and the issuer's keys. */
export function gatewayEnvironment(directory: string, { issuer, jwtSecret, environment }: GatewayOptions) {
  return {
    HASURA_GRAPHQL_SERVER_PORT: '0',
    HASURA_GRAPHQL_METADATA_DIR: directory,
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
      jwk_url: issuer.jwksUrl,
      issuer: ISSUER,
      audience: AUDIENCE,
      ...jwtSecret,
    }),
    HASURA_GRAPHQL_LOG_LEVEL: 'trace',
    HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
    ...environment,
  };
}

/** The whole gateway, in this process, on a random port. */
export async function openGateway(options: GatewayOptions): Promise<TestGateway> {
  const metadata = writeMetadata(options.metadata ?? {});
  const lines: string[] = [];
  const running = await startGateway(gatewayEnvironment(metadata.directory, options), {
    write: (line) => void lines.push(line),
  }).catch((error: unknown) => {
    metadata.close();
    throw error;
  });
  const url = `http://127.0.0.1:${running.port}`;
  const post: TestGateway['post'] = (path, body, headers = {}) =>
    send(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const gateway: TestGateway = {
    url,
    port: running.port,
    logs: () => lines.join(''),
    send: (path, sent) => send(url + path, sent),
    post,
    graphql: (query, { token, variables, operationName, headers } = {}) =>
      send(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
        body: JSON.stringify({ query, variables, operationName }),
      }),
    ready: async () => {
      await until('the gateway is ready', async () => (await send(`${url}/readyz`)).status === 200);
    },
    close: async () => {
      await running.stop();
      metadata.close();
    },
  };
  if (options.waitUntilReady !== false) await gateway.ready();
  return gateway;
}

/** The header that carries a token. */
export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

export type { RequestHeaders };
