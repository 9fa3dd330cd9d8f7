import { MISBEHAVIOURS, type Misbehaviour, PROBE_LATENCY_MS, PROBE_TIMEOUT_SECONDS } from '../cluster/index.ts';
import type { Fault } from '../fault.ts';
import type { LoadAttempt } from '../load/index.ts';

/** As long as the gateway's circuit breaker leaves a service alone, and its probes. */
const HEALS_WITHIN_SECONDS = 8;
const LASTS_SECONDS = 6;
const MOST_MEGABYTES = 1_200;

/** Codes that say whose fault it is. */
const CODES = new Set(['remote-schema-error', 'circuit-open', 'upstream-overloaded', 'source-unavailable']);

const isOwnFailure = ({ kind, failure }: LoadAttempt) =>
  kind === 'probe' && failure !== undefined && CODES.has(failure.code);

const misbehaviour = (way: Misbehaviour): Fault => ({
  name: `a service: ${way}`,
  group: 'services',
  promise: "only that service's field fails, with its own code; memory stays bounded",
  allows: isOwnFailure,
  isEffect: isOwnFailure,
  healsWithinSeconds: HEALS_WITHIN_SECONDS,
  async run({ cluster, load, wait, gone, onEnd, broken, tookEffect }) {
    onEnd(() => cluster.probe.misbehave(undefined));
    const before = residentOf(cluster);
    const since = performance.now();
    cluster.probe.misbehave(way);
    await wait(LASTS_SECONDS);
    const slowest = load.attempts
      .filter(({ kind, sentAt }) => kind === 'probe' && sentAt >= since)
      .reduce((most, { sentAt, endedAt }) => Math.max(most, endedAt - sentAt), 0);
    // Late answers are in time for the gateway's deadline: where its connections are enough, nothing fails.
    if (way === 'latent' && slowest >= PROBE_LATENCY_MS) tookEffect();
    // The gateway's deadline, and what a busy machine adds: without a deadline it would be the load's own, 20 s.
    if (slowest > (PROBE_TIMEOUT_SECONDS + 10) * 1000) broken(`a request took ${Math.round(slowest)} ms`);
    const after = residentOf(cluster);
    if (after - before > MOST_MEGABYTES) broken(`the gateways grew by ${Math.round(after - before)} MB`);
    cluster.probe.misbehave(undefined);
    gone();
  },
});

function residentOf({ gateways }: { gateways: readonly { residentMb(): number }[] }): number {
  return gateways.reduce((sum, gateway) => sum + gateway.residentMb(), 0);
}

export const serviceFaults: readonly Fault[] = (Object.keys(MISBEHAVIOURS) as Misbehaviour[]).map(misbehaviour);
