import { JOB_CONCURRENCY, measureQueues } from '../jobs/index.ts';
import type { BenchDependencies } from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

/** Measures asynchronous actions, pg-boss and graphile-worker on the same PostgreSQL. */
export async function measureJobs(plan: ExtraPlan, dependencies: BenchDependencies): Promise<Section[]> {
  const measured = await measureQueues(plan.seconds, dependencies);
  if (!measured) {
    dependencies.say('jobs  not measured: set DATABASE_URL to a PostgreSQL in which databases may be made');
    return [];
  }
  const { figures, server } = measured;
  const row = (name: string, pick: (of: (typeof figures)[number]) => number | undefined) => [
    name,
    ...figures.map(pick),
  ];
  const versions = figures.map(({ title, version }) => `${title.replaceAll('*', '')} ${version}`).join(', ');
  const section = {
    title: 'Jobs',
    head: ['', ...figures.map(({ title }) => title)],
    lines: [
      row('accepted/s over HTTP', ({ accepted }) => accepted.perSecond),
      row('… p99 ms', ({ accepted }) => accepted.p99Ms),
      row('… processor time of its process, µs', ({ acceptCpuUs }) => acceptCpuUs),
      row('run/s with an empty webhook', ({ runPerSecond }) => runPerSecond),
      row('… processor time of its process, µs', ({ runCpuUs }) => runCpuUs),
      row('idle, from the request to the webhook, p50 ms', ({ idle }) => idle.p50Ms),
      row('… p99 ms', ({ idle }) => idle.p99Ms),
      row('… with a million finished jobs, p50 ms', ({ withKept }) => withKept?.p50Ms),
      row('… p99 ms', ({ withKept }) => withKept?.p99Ms),
      row('10 jobs of a tenant behind 10,000 of another, p50 ms', ({ besideFlood }) => besideFlood.p50Ms),
      row('… the last one, ms', ({ besideFlood }) => besideFlood.maxMs),
    ],
    note: `${versions}; ${server}. Each accepts in one process, from 50 callers, and runs ${JOB_CONCURRENCY} jobs at a time in another, on any core; the webhook and the callers share a third. The peers' libraries are called by a server of node:http that does nothing else; Portico parses GraphQL and compares an admin secret. graphile-worker deletes finished jobs.`,
  };
  return [section];
}
