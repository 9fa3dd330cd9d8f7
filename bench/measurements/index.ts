import type { BenchArguments } from '../arguments.ts';
import type { ExtraId } from '../extras.ts';
import type { LoadGenerator } from '../loads/index.ts';
import type { BenchDependencies, Target } from '../targets/index.ts';
import { measureColdStart } from './cold-start.ts';
import { measureDocuments } from './documents.ts';
import { measureGrowth } from './growth.ts';
import { measureJobs } from './jobs.ts';
import { measureLogin } from './login.ts';
import { measureManyServices } from './many-services.ts';
import { measureReloads } from './reload.ts';
import type { Section } from './section.ts';
import { measureSubscribers } from './subscribers.ts';

export type { Section } from './section.ts';
export { type MeasuredRow, measureThroughput, type Throughput } from './throughput.ts';

/** Runs the requested measurements in addition to the rows. A failure is reported and does not stop the others. */
export async function measureExtras(
  plan: BenchArguments,
  targets: readonly Target[],
  load: LoadGenerator,
  dependencies: BenchDependencies,
): Promise<Section[]> {
  const grown = targets.filter(({ name }) => name === 'portico' || name === 'ideal');
  const measurements: Record<ExtraId, () => Promise<Section | Section[]>> = {
    start: () => measureColdStart(targets, dependencies),
    reload: () => measureReloads(load, plan, dependencies),
    documents: () => measureDocuments(plan, dependencies),
    login: () => measureLogin(plan, dependencies),
    jobs: () => measureJobs(plan, dependencies),
    growth: () => measureGrowth(grown, load, plan, dependencies),
    'many-services': () => measureManyServices(dependencies),
    subscribers: () => measureSubscribers(plan, dependencies),
  };
  const sections: Section[] = [];
  for (const id of plan.extras)
    try {
      sections.push(...[await measurements[id]()].flat());
    } catch (error) {
      dependencies.say(`FAILED: ${id}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  return sections;
}
