import { setting } from '../../platform/index.ts';

/** Sizes of requests and responses. */
export const requestSettings = {
  PORTICO_MAX_BODY_BYTES: setting
    .integer(1_048_576, 1_024, 104_857_600, 'bytes')
    .describe('Size of a request body, after decompression, and of a WebSocket message.'),
  PORTICO_MAX_BATCH: setting.integer(10, 1, 1_000).describe('Operations of a batch request.'),
  PORTICO_UPLOAD_MAX_FILES: setting
    .integer(10, 1, 1_000)
    .describe('Files uploaded with one operation. See [uploads-and-defer.md](uploads-and-defer.md).'),
  PORTICO_UPLOAD_MAX_FILE_BYTES: setting
    .integer(10_485_760, 1, 10_737_418_240, 'bytes')
    .describe('Size of one uploaded file.'),
  PORTICO_COMPRESSION: setting
    .flag(true)
    .describe(
      'Whether long responses are compressed and compressed request bodies accepted. See [compression.md](compression.md).',
    ),
  PORTICO_COMPRESSION_MIN_BYTES: setting
    .integer(2_048, 256, 104_857_600, 'bytes')
    .describe('Size of the shortest response that is compressed.'),
  PORTICO_COMPRESSION_CONCURRENCY: setting
    .integer(2, 1, 64)
    .describe('Responses compressed and bodies decompressed at the same time, together.'),
};

/** Limits of client connections: number, duration and speed. */
export const connectionSettings = {
  PORTICO_MAX_CONNECTIONS: setting.integer(20_000, 1, 1_000_000).describe('Open connections of all clients.'),
  PORTICO_MAX_CONNECTIONS_PER_ADDRESS: setting
    .integer(2_000, 0, 1_000_000)
    .describe('Open connections of one address; 0: not limited. Not applied with `PORTICO_TRUSTED_PROXIES` above 0.'),
  PORTICO_HEADERS_TIMEOUT_SECONDS: setting
    .integer(15, 1, 600, 'seconds')
    .describe('How long the headers of a request may take to arrive.'),
  PORTICO_KEEP_ALIVE_SECONDS: setting
    .integer(65, 1, 3_600, 'seconds')
    .describe('How long a connection may be idle between requests.'),
  PORTICO_MIN_BODY_BYTES_PER_SECOND: setting
    .integer(1_000, 0, 1_000_000_000, 'bytes per second')
    .describe('Least rate at which a request body must arrive; 0: any.'),
  PORTICO_SLOW_BODY_SECONDS: setting
    .integer(10, 1, 3_600, 'seconds')
    .describe('How long a request body may arrive at a lower rate.'),
  PORTICO_MAX_LIVE_CONNECTIONS: setting
    .integer(10_000, 1, 1_000_000)
    .describe('Open WebSockets and event streams of a process. See [subscriptions.md](subscriptions.md).'),
  PORTICO_MAX_OPERATIONS_PER_CONNECTION: setting
    .integer(100, 1, 10_000)
    .describe('Operations at the same time over one WebSocket.'),
  PORTICO_MAX_UNSENT_BYTES: setting
    .integer(1_048_576, 16_384, 104_857_600, 'bytes')
    .describe('Size of the send queue of a client of events.'),
  PORTICO_SLOW_CLIENT_SECONDS: setting
    .integer(30, 1, 3_600, 'seconds')
    .describe('How long a client may read nothing of its events or of a long response.'),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: setting
    .integer(3, 1, 60, 'seconds')
    .describe('How long after the handshake `connection_init` may take to arrive.'),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('Interval of pings, `ka` messages and comments in event streams.'),
};
