import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** Calls to services: timeouts, retries, circuit breakers and bulkheads. */
export const upstreamSettings = {
  PORTICO_UPSTREAM_CONNECT_TIMEOUT_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long it may take to connect to a service.'),
  PORTICO_UPSTREAM_HEADERS_TIMEOUT_SECONDS: setting
    .integer(0, 0, 3_600, 'seconds')
    .describe('How long a service may take to start its response. 0 means as long as the whole response may take.'),
  PORTICO_UPSTREAM_RETRIES: setting.integer(2, 0, 10).describe('Maximum number of retries of one query.'),
  PORTICO_UPSTREAM_RETRY_BUDGET_PERCENT: setting
    .integer(20, 0, 100, 'percent')
    .describe('Retry budget: the maximum number of retries per 100 queries.'),
  PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT: setting
    .integer(50, 0, 100, 'percent')
    .describe(
      'Percentage of failed calls in the window at which the circuit breaker opens. 0 means that it never opens.',
    ),
  PORTICO_UPSTREAM_BREAKER_MINIMUM_REQUESTS: setting
    .integer(20, 1, 1_000_000)
    .describe('Minimum number of calls in the window before the circuit breaker can open.'),
  PORTICO_UPSTREAM_BREAKER_WINDOW_SECONDS: setting
    .integer(10, 1, 3_600, 'seconds')
    .describe('Length of the window in which calls and failures are counted.'),
  PORTICO_UPSTREAM_BREAKER_OPEN_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long the circuit breaker stays open before it tries the service again.'),
  PORTICO_UPSTREAM_MAX_IN_FLIGHT: setting
    .integer(256, 1, 100_000)
    .describe(
      'Maximum number of concurrent requests to one source (bulkhead) or to one pass-through origin. One caller can use a quarter of the requests to a service of `services.yaml`.',
    ),
  PORTICO_UPSTREAM_MAX_QUEUE: setting
    .integer(1_000, 0, 1_000_000)
    .describe('Maximum number of queued requests for one source or for one pass-through origin.'),
  PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long a request may wait in the queue.'),
  PORTICO_UPSTREAM_DEDUPLICATE: z
    .enum(['never', 'unsent', 'in-flight'], { error: 'expected never, unsent or in-flight' })
    .default('unsent')
    .describe(
      'Which identical concurrent queries to remote schemas without `forward_client_headers` are sent only once. `unsent`: queries of the same user, while the first query waits to be sent. `in-flight`: queries of any callers, until the response is complete. `never`: none, regardless of the metadata.',
    ),
  PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: setting
    .integer(67_108_864, 1_024, 536_870_912, 'bytes')
    .describe("Maximum size of a service's response."),
  PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: setting
    .integer(134_217_728, 65_536, 17_179_869_184, 'bytes')
    .describe(
      'Maximum memory that all long responses may use in a process at the same time. A response that the gateway reads counts with four times its length. A response that is passed through counts with its length until the client has received it.',
    ),
};
