import type { JobSummary, QueueStats } from '../../../jobs/engine/index.ts';

/** Formats rows as aligned columns. */
function alignedRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function jobsTable(jobs: readonly JobSummary[]): string {
  if (jobs.length === 0) return 'no jobs';
  const rows = jobs.map((job) => [
    job.id,
    job.state,
    `${job.kind} ${job.queue}`,
    job.tenant,
    `${job.attempts}/${job.maxAttempts}`,
    job.acceptedAt.toISOString(),
    job.reason ?? '',
  ]);
  return alignedRows([['id', 'state', 'queue', 'tenant', 'attempts', 'accepted', 'reason'], ...rows]);
}

export function statsTable(stats: readonly QueueStats[]): string {
  if (stats.length === 0) return 'there are no waiting, running or dead jobs';
  const rows = stats.map(({ kind, queue, state, count, oldestSeconds }) => [
    `${kind} ${queue}`,
    state,
    String(count),
    `${Math.round(oldestSeconds)} s`,
  ]);
  return alignedRows([['queue', 'state', 'jobs', 'oldest'], ...rows]);
}

/** Formats a job with one member on each line. */
export function jobText(job: Readonly<Record<string, unknown>>): string {
  return alignedRows(
    Object.entries(job)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : valueText(value)]),
  );
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
