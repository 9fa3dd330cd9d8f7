import type { ResilienceMetadata } from '../metadata/index.ts';
import type { Availability } from '../upstream/index.ts';
import {
  type BreakerSettings,
  DEFAULT_RESILIENCE,
  type Deduplication,
  type ResilienceSettings,
  ResilientClient,
  type SourceState,
} from '../upstream/index.ts';
import type { SourceDependencies } from './source.ts';

/** Options of a source's client besides the source's settings. */
export interface ClientOptions {
  /** The source's availability, if the client is opened before the source is available. */
  readonly availability?: Availability;
  /**
   * Whether the gateway's setting applies to identical queries, which are then sent once. Otherwise only the metadata
   * of the source can enable this.
   */
  readonly sharesQueries?: boolean;
}

/** Opens the client of a source according to its metadata and the gateway's settings. */
export function openResilientClient(
  name: string,
  kind: SourceState['kind'],
  described: ResilienceMetadata | undefined,
  { http, resilience = DEFAULT_RESILIENCE, log }: Pick<SourceDependencies, 'http' | 'resilience' | 'log'>,
  { availability, sharesQueries = false }: ClientOptions = {},
): ResilientClient {
  /** Ensures that an open circuit is logged once. A source that stays down fails its probes every few seconds. */
  let isOpen = false;
  const settings = {
    ...(described ? settingsOf(described, resilience) : resilience),
    deduplicate: deduplicationOf(described?.deduplicate, resilience.deduplicate, sharesQueries),
  };
  return new ResilientClient({
    name,
    kind,
    settings,
    connections: http,
    availability,
    onBreakerChange: (breaker) => {
      const wasOpen = isOpen;
      isOpen = breaker !== 'closed';
      if (!isOpen)
        log?.info(
          { event: 'circuit_breaker.closed', source: name },
          'circuit breaker closed, source is available again',
        );
      else if (!wasOpen)
        log?.warn({ event: 'circuit_breaker.opened', source: name }, 'circuit breaker opened, source failed too often');
    },
  });
}

function settingsOf(
  described: ResilienceMetadata,
  defaults: ResilienceSettings,
): Omit<ResilienceSettings, 'deduplicate'> {
  const { retries = {} } = described;
  return {
    connectTimeoutMs: inMs(described.connect_timeout_seconds) ?? defaults.connectTimeoutMs,
    headersTimeoutMs: inMs(described.headers_timeout_seconds) ?? defaults.headersTimeoutMs,
    retries: {
      limit: retries.limit ?? defaults.retries.limit,
      budgetPercent: retries.budget_percent ?? defaults.retries.budgetPercent,
      backoffMs: retries.backoff_milliseconds ?? defaults.retries.backoffMs,
    },
    circuitBreaker: breakerOf(described.circuit_breaker ?? {}, defaults.circuitBreaker),
    concurrency: concurrencyOf(described, defaults),
  };
}

/** Resolves how many calls run and wait at a time. */
export function concurrencyOf(
  { concurrency = {} }: Pick<ResilienceMetadata, 'concurrency'>,
  { concurrency: defaults }: Pick<ResilienceSettings, 'concurrency'> = DEFAULT_RESILIENCE,
): ResilienceSettings['concurrency'] {
  return {
    maxInFlight: concurrency.max_in_flight ?? defaults.maxInFlight,
    maxQueue: concurrency.max_queue ?? defaults.maxQueue,
    queueTimeoutMs: inMs(concurrency.queue_timeout_seconds) ?? defaults.queueTimeoutMs,
  };
}

/** Resolves the setting for identical queries. The general setting `never` disables sharing for every source. */
function deduplicationOf(
  described: Deduplication | undefined,
  general: Deduplication,
  sharesQueries: boolean,
): Deduplication {
  if (general === 'never') return general;
  return described ?? (sharesQueries ? general : 'never');
}

/**
 * Resolves the circuit breaker's settings. `circuit_breaker` enables it even if it is off by default, unless `enabled`
 * is false.
 */
function breakerOf(
  described: NonNullable<ResilienceMetadata['circuit_breaker']>,
  general: BreakerSettings | undefined,
): BreakerSettings | undefined {
  const isOn = described.enabled ?? (general !== undefined || Object.keys(described).length > 0);
  const defaults = general ?? DEFAULT_RESILIENCE.circuitBreaker;
  if (!isOn || !defaults) return undefined;
  return {
    failurePercent: described.failure_percent ?? defaults.failurePercent,
    windowMs: inMs(described.window_seconds) ?? defaults.windowMs,
    minimumRequests: described.minimum_requests ?? defaults.minimumRequests,
    openMs: inMs(described.open_seconds) ?? defaults.openMs,
    halfOpenProbes: described.half_open_probes ?? defaults.halfOpenProbes,
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
