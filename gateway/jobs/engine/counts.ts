import { Durations } from '../../../platform/index.ts';

/** Upper bounds of the buckets of waits and runs, in milliseconds. */
export const JOB_BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000,
];

/** Reasons come from a small set. If a handler generates reasons, those beyond the limit are counted together. */
const MAX_SERIES = 300;
const OTHER_REASON = 'other';

const QUOTAS = ['user', 'tenant'];

/** Counts what this process has done with jobs. */
export class JobCounts {
  readonly acceptedByKind = new Map<string, number>();
  readonly refusedByKind = new Map<string, number>();
  /** Refusals by kind and quota. */
  readonly overQuotas = new Map<string, { kind: string; quota: string; count: number }>();
  /** Runs by kind, outcome and reason. Handlers take reasons from a small set. */
  readonly runs = new Map<string, { kind: string; outcome: string; reason: string; count: number }>();
  readonly waits = new Map<string, Durations>();
  readonly durations = new Map<string, Durations>();

  accepted(kind: string): void {
    increment(this.acceptedByKind, kind);
    // The series begins at zero, so that a rate includes the first refusal.
    for (const quota of QUOTAS) this.#refusals(kind, quota);
  }

  refused(kind: string): void {
    increment(this.refusedByKind, kind);
  }

  overQuota(kind: string, quota: string): void {
    this.#refusals(kind, quota).count++;
  }

  #refusals(kind: string, quota: string): { count: number } {
    const key = `${kind} ${quota}`;
    const known = this.overQuotas.get(key) ?? { kind, quota, count: 0 };
    this.overQuotas.set(key, known);
    return known;
  }

  began(kind: string, waitedMs: number): void {
    durationsOf(this.waits, kind).add(Math.max(0, waitedMs));
  }

  ended(kind: string, outcome: string, reason: string, durationMs: number): void {
    durationsOf(this.durations, kind).add(durationMs);
    const isFull = this.runs.size >= MAX_SERIES && !this.runs.has(outcomeKey(kind, outcome, reason));
    const counted = isFull ? OTHER_REASON : reason;
    const key = outcomeKey(kind, outcome, counted);
    const known = this.runs.get(key);
    if (known) known.count++;
    else this.runs.set(key, { kind, outcome, reason: counted, count: 1 });
  }
}

function outcomeKey(kind: string, outcome: string, reason: string): string {
  return `${kind} ${outcome} ${reason}`;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function durationsOf(durations: Map<string, Durations>, kind: string): Durations {
  let found = durations.get(kind);
  if (!found) {
    found = new Durations(JOB_BOUNDS_MS);
    durations.set(kind, found);
  }
  return found;
}
