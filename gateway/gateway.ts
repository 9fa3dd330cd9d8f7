import type { Socket } from 'node:net';
import { createLogger, type LogDestination, listen, type RunningService, StartError } from '../platform/index.ts';
import { type GatewayConfig, readConfig } from './config.ts';
import { LiveGraph, Reloads } from './graph/index.ts';
import { describeProblem, loadMetadata, MetadataError, watchMetadata } from './metadata/index.ts';
import { Operations } from './operation/index.ts';
import { createCors } from './ops/index.ts';
import { openPassThrough } from './rest/index.ts';
import { createGatewayServer } from './server.ts';
import { Authenticator, openKeySet } from './session/index.ts';
import { openUpstreamHttp, type UpstreamHttp } from './sources/index.ts';

/**
 * Starts the gateway: builds every part from the settings and hands them to each other.
 *
 * @param logTo where log lines go, standard output when absent.
 * @throws SettingsError or StartError when it cannot start.
 */
export async function startGateway(environment: NodeJS.ProcessEnv, logTo?: LogDestination): Promise<RunningService> {
  const config = readConfig(environment);
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL, logTo);
  const publicRole = config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE;

  const http = openUpstreamHttp();
  const surroundings = { environment: config.environment, http, publicRole };
  const metadata = explained(() => loadMetadata(config.HASURA_GRAPHQL_METADATA_DIR));
  if (metadata.ignored.length > 0) log.warn({ ignored: metadata.ignored }, 'metadata that is not acted on');

  const secret = config.HASURA_GRAPHQL_JWT_SECRET;
  const { keys, stop: stopKeys } = openKeySet(secret, log, (url) => fetchKeys(http, url));
  const authenticator = new Authenticator({ secret, keys });
  const graph = explained(() => new LiveGraph(metadata, surroundings, log));
  const passThrough = explained(() => openPassThrough(metadata, config.environment, authenticator, log));
  const reloads = new Reloads({ location: config.HASURA_GRAPHQL_METADATA_DIR, graph, followers: [passThrough], log });
  const limits = { maxTokens: config.PORTICO_MAX_TOKENS };
  const server = createGatewayServer({
    graph,
    authenticator,
    operations: new Operations(graph, authenticator, limits, publicRole),
    passThrough,
    reloads,
    cors: createCors(config.HASURA_GRAPHQL_CORS_DOMAIN),
    log,
    maxBodyBytes: config.PORTICO_MAX_BODY_BYTES,
    maxBatch: config.PORTICO_MAX_BATCH,
    referenceEnvelope: config.PORTICO_REFERENCE_ENVELOPE,
  });

  const listening = await listen(server.request, {
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
    stopGraceMs: config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1000,
  });
  listening.server.on('upgrade', (request, socket, head) => server.upgrade(request, socket as Socket, head));
  graph.start();
  const stopReloading = followChanges(reloads, config);
  log.info({ port: listening.port, metadata: config.HASURA_GRAPHQL_METADATA_DIR }, 'the gateway is listening');

  return {
    port: listening.port,
    stop: async () => {
      stopReloading();
      graph.stop();
      stopKeys();
      await listening.stop();
      passThrough.close();
      await http.close();
    },
  };
}

/** Reloads when the files change and on SIGHUP. @returns what ends that. */
function followChanges(reloads: Reloads, config: GatewayConfig): () => void {
  // What is wrong has been logged and shows in /healthz; what was in force stays.
  const reload = (reason: string, ask: boolean) => void reloads.reload(reason, ask).catch(() => {});
  const onSignal = () => reload('SIGHUP', true);
  process.on('SIGHUP', onSignal);
  const stopWatching = config.PORTICO_METADATA_WATCH
    ? watchMetadata(config.HASURA_GRAPHQL_METADATA_DIR, () => reload('the files have changed', false))
    : () => {};
  return () => {
    process.off('SIGHUP', onSignal);
    stopWatching();
  };
}

/** Metadata that cannot work is a reason not to start, to be told line by line. */
function explained<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof MetadataError)
      throw new StartError(['the metadata is not valid:', ...error.problems.map(describeProblem)].join('\n  '));
    throw error;
  }
}

async function fetchKeys(
  http: UpstreamHttp,
  url: string,
): Promise<{ json: unknown; cacheControl: string | undefined }> {
  const response = await http.send({ url, method: 'GET', headers: { accept: 'application/json' }, timeoutMs: 5_000 });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const cacheControl = response.headers['cache-control'];
  return {
    json: JSON.parse(response.body),
    cacheControl: Array.isArray(cacheControl) ? cacheControl.join(', ') : cacheControl,
  };
}
