import { setting } from '../../platform/index.ts';

/** Sizes of requests and responses. */
export const requestSettings = {
  PORTICO_MAX_BODY_BYTES: setting
    .integer(1_048_576, 1_024, 104_857_600, 'bytes')
    .describe('Maximum size of a decompressed request body, and of a WebSocket message.'),
  PORTICO_MAX_BATCH: setting.integer(10, 1, 1_000).describe('Maximum number of operations in a batch request.'),
  PORTICO_UPLOAD_MAX_FILES: setting
    .integer(10, 1, 1_000)
    .describe(
      'Maximum number of files that one operation can upload. See [uploads-and-defer.md](uploads-and-defer.md).',
    ),
  PORTICO_UPLOAD_MAX_FILE_BYTES: setting
    .integer(10_485_760, 1, 10_737_418_240, 'bytes')
    .describe('Maximum size of one uploaded file.'),
  PORTICO_COMPRESSION: setting
    .flag(true)
    .describe(
      'Whether long responses are compressed and compressed request bodies are accepted. See [compression.md](compression.md).',
    ),
  PORTICO_COMPRESSION_MIN_BYTES: setting
    .integer(2_048, 256, 104_857_600, 'bytes')
    .describe('Minimum size of a response that is compressed.'),
  PORTICO_COMPRESSION_CONCURRENCY: setting
    .integer(2, 1, 64)
    .describe('Maximum number of responses and request bodies that are compressed or decompressed at the same time.'),
};

/** Limits of client connections: number, duration and speed. */
export const connectionSettings = {
  PORTICO_MAX_CONNECTIONS: setting
    .integer(20_000, 1, 1_000_000)
    .describe('Maximum number of open connections of all clients.'),
  PORTICO_MAX_CONNECTIONS_PER_ADDRESS: setting
    .integer(2_000, 0, 1_000_000)
    .describe(
      'Maximum number of open connections from one address. 0 means no limit. Ignored if `PORTICO_TRUSTED_PROXIES` is greater than 0.',
    ),
  PORTICO_HEADERS_TIMEOUT_SECONDS: setting
    .integer(15, 1, 600, 'seconds')
    .describe('How long the headers of a request may take to arrive.'),
  PORTICO_KEEP_ALIVE_SECONDS: setting
    .integer(65, 1, 3_600, 'seconds')
    .describe('How long a connection may be idle between requests.'),
  PORTICO_MIN_BODY_BYTES_PER_SECOND: setting
    .integer(1_000, 0, 1_000_000_000, 'bytes per second')
    .describe('Minimum rate at which a request body must arrive. 0 means no minimum.'),
  PORTICO_SLOW_BODY_SECONDS: setting
    .integer(10, 1, 3_600, 'seconds')
    .describe('How long a request body may arrive more slowly than the minimum rate.'),
  PORTICO_MAX_LIVE_CONNECTIONS: setting
    .integer(10_000, 1, 1_000_000)
    .describe(
      'Maximum number of open WebSockets and event streams per process. See [subscriptions.md](subscriptions.md).',
    ),
  PORTICO_MAX_OPERATIONS_PER_CONNECTION: setting
    .integer(100, 1, 10_000)
    .describe('Maximum number of concurrent operations on one WebSocket.'),
  PORTICO_MAX_UNSENT_BYTES: setting
    .integer(1_048_576, 16_384, 104_857_600, 'bytes')
    .describe('Maximum size of the send queue of a client that receives events.'),
  PORTICO_SLOW_CLIENT_SECONDS: setting
    .integer(30, 1, 3_600, 'seconds')
    .describe('How long a client may stop reading its events or a long response.'),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: setting
    .integer(3, 1, 60, 'seconds')
    .describe('How long after the handshake the client may take to send `connection_init`.'),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('Interval of pings, `ka` messages and comments in event streams.'),
};
