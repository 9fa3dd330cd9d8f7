import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** Calls to services: timeouts, retries, circuit breakers and bulkheads. */
export const upstreamSettings = {
  PORTICO_UPSTREAM_CONNECT_TIMEOUT_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long a connection to a service may take to be established.'),
  PORTICO_UPSTREAM_HEADERS_TIMEOUT_SECONDS: setting
    .integer(0, 0, 3_600, 'seconds')
    .describe('How long a service may take to begin its response; 0: as long as for the whole response.'),
  PORTICO_UPSTREAM_RETRIES: setting.integer(2, 0, 10).describe('Retries of one query, at most.'),
  PORTICO_UPSTREAM_RETRY_BUDGET_PERCENT: setting
    .integer(20, 0, 100, 'percent')
    .describe('Retry budget: retries per 100 queries.'),
  PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT: setting
    .integer(50, 0, 100, 'percent')
    .describe('Failures among the calls of the window at which the circuit breaker opens; 0: never.'),
  PORTICO_UPSTREAM_BREAKER_MINIMUM_REQUESTS: setting
    .integer(20, 1, 1_000_000)
    .describe('Calls within the window that it takes to open the circuit breaker.'),
  PORTICO_UPSTREAM_BREAKER_WINDOW_SECONDS: setting
    .integer(10, 1, 3_600, 'seconds')
    .describe('Window in which calls and failures are counted.'),
  PORTICO_UPSTREAM_BREAKER_OPEN_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long the circuit breaker stays open before it tries the service again.'),
  PORTICO_UPSTREAM_MAX_IN_FLIGHT: setting
    .integer(256, 1, 100_000)
    .describe(
      'Concurrent requests to one source (bulkhead), or to one origin of pass-through; one caller may have a quarter of those to a service of `services.yaml`.',
    ),
  PORTICO_UPSTREAM_MAX_QUEUE: setting
    .integer(1_000, 0, 1_000_000)
    .describe('Requests queued for one source, or for one origin of pass-through.'),
  PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS: setting
    .integer(5, 1, 3_600, 'seconds')
    .describe('How long a request may wait in that queue.'),
  PORTICO_UPSTREAM_DEDUPLICATE: z
    .enum(['never', 'unsent', 'in-flight'], { error: 'expected never, unsent or in-flight' })
    .default('unsent')
    .describe(
      'Which identical concurrent queries of remote schemas without `forward_client_headers` are sent once: `unsent`: those of one user, while the first of them waits to be sent; `in-flight`: those of any callers, until the response is complete; `never`: none, of no service, whatever the metadata says.',
    ),
  PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: setting
    .integer(67_108_864, 1_024, 536_870_912, 'bytes')
    .describe("Size of a service's response."),
  PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: setting
    .integer(134_217_728, 65_536, 17_179_869_184, 'bytes')
    .describe(
      'Memory that all long responses may take in a process at the same time: four times the length of one that is received, which is what it takes to read it, and the length of one that is passed through, until its client has it.',
    ),
};
