import type { Authenticator } from '../../access/session/index.ts';
import type { LiveGraph, MetadataReloads } from '../../graph/index.ts';
import type { SourceState } from '../../upstream/index.ts';

export interface HealthReport {
  readonly status: number;
  readonly text: string;
}

/**
 * `/healthz`, with Hasura's texts: reports that the process is alive and whether the graph is complete. The graph is incomplete
 * if a source is missing or changed metadata could not be applied. Open circuit breakers are reported too.
 *
 * @param isStrict whether an incomplete graph is an error, as with `?strict=true`.
 */
export function health(graph: LiveGraph, reloads: MetadataReloads, isStrict = false): HealthReport {
  if (graph.current.inconsistencies.length > 0 || reloads.failure)
    return isStrict
      ? { status: 500, text: 'ERROR: inconsistent objects in schema' }
      : { status: 200, text: 'WARN: inconsistent objects in schema' };
  if (brokenCircuits(graph).length > 0)
    return { status: 200, text: 'WARN: failing services are temporarily not called' };
  return { status: 200, text: 'OK' };
}

export interface ReadinessReport {
  readonly status: number;
  readonly body: {
    readonly ready: boolean;
    /** Set once the process has been asked to stop. */
    readonly stopping?: boolean;
    /** Set while another worker of this gateway is not ready. */
    readonly workers?: 'not ready';
    /** `stale`: the keys could not be refreshed in time, so tokens of a newer key are rejected. */
    readonly token_keys: 'available' | 'stale' | 'missing';
    /** Whether revocations are known. `off` if they are not polled. */
    readonly revocations: 'known' | 'lost' | 'off';
    /** How far the token issuer's clock is ahead of the gateway's. Beyond a minute, the times of tokens cannot be checked. */
    readonly clock_skew_seconds?: number;
    /** Configured sources that are not part of the graph. The reasons are only in the log, since this page is public. */
    readonly missing_sources: readonly string[];
    /** Circuit breakers that are not closed. */
    readonly circuits: readonly BrokenCircuit[];
  };
}

interface BrokenCircuit {
  readonly name: string;
  readonly kind: SourceState['kind'];
  readonly state: SourceState['breaker'];
}

function brokenCircuits(graph: LiveGraph): readonly BrokenCircuit[] {
  return graph.current.states.flatMap(({ name, kind, breaker: state }) =>
    state === 'open' || state === 'half-open' ? [{ name, kind, state }] : [],
  );
}

/** The state of this process and of the gateway's other workers. */
export interface ProcessState {
  readonly isStopping: boolean;
  /** Whether every other worker that accepts requests could serve them. */
  readonly othersReady: boolean;
}

/** `/readyz`: whether a load balancer may send requests to this gateway. */
export function readiness(
  graph: LiveGraph,
  authenticator: Authenticator,
  { isStopping, othersReady }: ProcessState,
): ReadinessReport {
  const ready = graph.ready && authenticator.ready && othersReady && !isStopping;
  const { clockSkewSeconds } = authenticator;
  return {
    status: ready ? 200 : 503,
    body: {
      ready,
      ...(isStopping && { stopping: true }),
      ...(!othersReady && { workers: 'not ready' }),
      token_keys: authenticator.tokenKeys,
      revocations: authenticator.revocations,
      ...(clockSkewSeconds !== undefined && { clock_skew_seconds: clockSkewSeconds }),
      circuits: brokenCircuits(graph),
      missing_sources: graph.current.inconsistencies.flatMap(({ source, kind }) => (kind ? [] : [source])),
    },
  };
}
