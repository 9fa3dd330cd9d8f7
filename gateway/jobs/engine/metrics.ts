import { counter, durationHistogram, gauge, type Metric, oneGauge } from '../../../platform/index.ts';
import type { JobsAdmin, QueueStats } from './admin.ts';
import { JOB_BOUNDS_MS, type JobCounts } from './counts.ts';

/** The maximum age of the queue lengths in milliseconds. The database is queried no more often. */
const STATS_AGE_MS = 10_000;
const OTHER_QUEUES = 'other';

/** The metrics of the jobs that a process accepted and ran. */
export function jobMetrics(counts: JobCounts): readonly Metric[] {
  const byKind = (values: ReadonlyMap<string, number>) =>
    [...values].map(([kind, value]) => ({ labels: { kind }, value }));
  return [
    counter('portico_jobs_accepted_total', 'Jobs that were committed.', ['kind'], byKind(counts.acceptedByKind)),
    counter('portico_jobs_refused_total', 'Jobs that could not be committed.', ['kind'], byKind(counts.refusedByKind)),
    counter(
      'portico_jobs_over_quota_total',
      'Jobs that were rejected because their user or tenant has too many unfinished jobs.',
      ['kind', 'quota'],
      [...counts.overQuotas.values()].map(({ kind, quota, count }) => ({ labels: { kind, quota }, value: count })),
    ),
    counter(
      'portico_job_runs_total',
      'Attempts of jobs, by outcome and reason.',
      ['kind', 'outcome', 'reason'],
      [...counts.runs.values()].map(({ kind, outcome, reason, count }) => ({
        labels: { kind, outcome, reason },
        value: count,
      })),
    ),
    durationHistogram(
      'portico_job_wait_seconds',
      'Time from when a job was due until its attempt started.',
      ['kind'],
      JOB_BOUNDS_MS,
      [...counts.waits].map(([kind, durations]) => durations.sample({ kind })),
    ),
    durationHistogram(
      'portico_job_duration_seconds',
      'Attempts of jobs.',
      ['kind'],
      JOB_BOUNDS_MS,
      [...counts.durations].map(([kind, durations]) => durations.sample({ kind })),
    ),
  ];
}

/**
 * Gauges of the jobs in the database, for all processes. Rendering the metrics starts a query, and the next rendering has its
 * result.
 */
export class QueueGauges {
  readonly #admin: JobsAdmin;
  readonly #isLabel: (kind: string, queue: string) => boolean;
  #stats: readonly QueueStats[] = [];
  /** Whether the last query succeeded. Undefined before the first result. */
  #isAvailable: boolean | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param isLabel whether the name of a queue may be a label. The other queues of a kind are counted as one. */
  constructor(admin: JobsAdmin, isLabel: (kind: string, queue: string) => boolean) {
    this.#admin = admin;
    this.#isLabel = isLabel;
  }

  metrics(): readonly Metric[] {
    if (performance.now() - this.#askedAt >= STATS_AGE_MS) {
      this.#askedAt = performance.now();
      this.#admin.stats(STATS_AGE_MS).then(
        (stats) => {
          this.#stats = this.#labelled(stats);
          this.#isAvailable = true;
        },
        () => {
          this.#isAvailable = false;
        },
      );
    }
    const labels = ({ kind, queue, state }: QueueStats) => ({ kind, queue, state });
    return [
      oneGauge(
        'portico_jobs_database_available',
        'Whether the database for jobs responded to the last query for its queues: 1 or 0.',
        this.#isAvailable === false ? 0 : 1,
      ),
      gauge(
        'portico_jobs',
        'Jobs in the database that are not finished, and dead ones; some seconds old.',
        ['kind', 'queue', 'state'],
        this.#stats.map((one) => ({ labels: labels(one), value: one.count })),
      ),
      gauge(
        'portico_jobs_oldest_seconds',
        'How long the oldest of them has been due.',
        ['kind', 'queue', 'state'],
        this.#stats.map((one) => ({ labels: labels(one), value: one.oldestSeconds })),
      ),
    ];
  }
  #labelled(stats: readonly QueueStats[]): readonly QueueStats[] {
    const labelled = new Map<string, QueueStats>();
    for (const one of stats) {
      const queue = this.#isLabel(one.kind, one.queue) ? one.queue : OTHER_QUEUES;
      const key = JSON.stringify([one.kind, queue, one.state]);
      const { count = 0, oldestSeconds = 0 } = labelled.get(key) ?? {};
      labelled.set(key, {
        ...one,
        queue,
        count: count + one.count,
        oldestSeconds: Math.max(oldestSeconds, one.oldestSeconds),
      });
    }
    return [...labelled.values()];
  }
}
