import type { ConnectionLimits as HttpConnectionLimits } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import { Compressor } from '../http/index.ts';
import type { OperationLimits } from '../operation/index.ts';
import type { SubscriptionLimits } from '../subscriptions/index.ts';

export function compressorOf(config: GatewayConfig): Compressor | undefined {
  if (!config.PORTICO_COMPRESSION) return undefined;
  return new Compressor({
    minBytes: config.PORTICO_COMPRESSION_MIN_BYTES,
    maxAtATime: config.PORTICO_COMPRESSION_CONCURRENCY,
  });
}

export function operationLimits(config: GatewayConfig): OperationLimits {
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

/** Behind proxies every connection is one of theirs: whose it is, they have to count. */
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
