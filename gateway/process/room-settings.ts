import type { ConnectionLimits as HttpConnectionLimits, Logger } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { OperationLimits, OperationPipelineOptions } from '../pipeline/index.ts';
import type { GatewayDependencies } from '../server.ts';
import { readConsoleFiles } from '../transports/console/index.ts';
import { Compressor } from '../transports/http/index.ts';
import type { SubscriptionLimits } from '../transports/subscriptions/index.ts';

/** Returns the settings of the operation pipeline. */
export function pipelineSettings(config: GatewayConfig) {
  return {
    publicRole: config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
    limits: operationLimits(config),
    enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
    persistQueries: config.HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES,
    namedOperationLabels: { clients: config.PORTICO_METRICS_CLIENTS, tenants: config.PORTICO_METRICS_TENANTS },
    explainRoles: config.PORTICO_EXPLAIN_ROLES,
  } satisfies Partial<OperationPipelineOptions>;
}

/** Returns the settings of the routes. */
export function serverSettings(config: GatewayConfig, log: Logger) {
  return {
    trustedProxies: config.PORTICO_TRUSTED_PROXIES,
    slowClientMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
    compressor: compressorOf(config),
    maxBodyBytes: config.PORTICO_MAX_BODY_BYTES,
    uploads: { maxFiles: config.PORTICO_UPLOAD_MAX_FILES, maxFileBytes: config.PORTICO_UPLOAD_MAX_FILE_BYTES },
    referenceEnvelope: config.PORTICO_REFERENCE_ENVELOPE,
    enabledApis: new Set(config.HASURA_GRAPHQL_ENABLED_APIS),
    enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
    publicRole: config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
    insightRoles: config.PORTICO_INSIGHT_ROLES,
    demoAccounts: config.PORTICO_DEMO_ACCOUNTS,
    consoleFiles: config.HASURA_GRAPHQL_ENABLE_CONSOLE ? readConsoleFiles(log) : undefined,
  } satisfies Partial<GatewayDependencies>;
}

function compressorOf(config: GatewayConfig): Compressor | undefined {
  if (!config.PORTICO_COMPRESSION) return undefined;
  return new Compressor({
    minBytes: config.PORTICO_COMPRESSION_MIN_BYTES,
    maxAtATime: config.PORTICO_COMPRESSION_CONCURRENCY,
  });
}

function operationLimits(config: GatewayConfig): OperationLimits {
  return {
    maxTokens: config.PORTICO_MAX_TOKENS,
    maxDepth: config.PORTICO_MAX_DEPTH,
    maxNodes: config.PORTICO_MAX_NODES,
    maxAliases: config.PORTICO_MAX_ALIASES,
    maxDirectives: config.PORTICO_MAX_DIRECTIVES,
    maxRepetition: config.PORTICO_MAX_REPETITION,
    maxBatch: config.PORTICO_MAX_BATCH,
    maxIntrospections: config.PORTICO_MAX_INTROSPECTIONS,
  };
}

/** Behind proxies, every connection belongs to a proxy, so the proxies have to count connections by client. */
export function limitsOfConnections(config: GatewayConfig): HttpConnectionLimits {
  const perAddress = config.PORTICO_TRUSTED_PROXIES > 0 ? 0 : config.PORTICO_MAX_CONNECTIONS_PER_ADDRESS;
  return {
    maxConnections: config.PORTICO_MAX_CONNECTIONS,
    maxPerAddress: perAddress === 0 ? undefined : perAddress,
    headersTimeoutMs: config.PORTICO_HEADERS_TIMEOUT_SECONDS * 1000,
    keepAliveMs: config.PORTICO_KEEP_ALIVE_SECONDS * 1000,
    minBodyRate: config.PORTICO_MIN_BODY_BYTES_PER_SECOND,
    slowBodyMs: config.PORTICO_SLOW_BODY_SECONDS * 1000,
    slowReaderMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
  };
}

export function connectionLimits(config: GatewayConfig): SubscriptionLimits {
  return {
    maxConnections: config.PORTICO_MAX_LIVE_CONNECTIONS,
    maxOperations: config.PORTICO_MAX_OPERATIONS_PER_CONNECTION,
    maxMessageBytes: config.PORTICO_MAX_BODY_BYTES,
    maxUnsentBytes: config.PORTICO_MAX_UNSENT_BYTES,
    slowClientMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
    initTimeoutMs: config.HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT * 1000,
    keepAliveMs: config.HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE * 1000,
  };
}
