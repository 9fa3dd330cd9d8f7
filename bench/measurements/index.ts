import type { BenchArguments } from '../arguments.ts';
import type { ExtraId } from '../extras.ts';
import type { LoadGenerator } from '../loads/index.ts';
import type { Surroundings, Target } from '../targets/index.ts';
import { measureColdStart } from './cold-start.ts';
import { measureDocuments } from './documents.ts';
import { measureGrowth } from './growth.ts';
import { measureLogin } from './login.ts';
import { measureManyServices } from './many-services.ts';
import { measureReloads } from './reload.ts';
import type { Section } from './section.ts';

export type { Section } from './section.ts';
export { type Measured, measureThroughput, type Throughput } from './throughput.ts';

/** Does what was asked for beside the rows. A measurement that fails is told and leaves the others alone. */
export async function measureExtras(
  plan: BenchArguments,
  targets: readonly Target[],
  load: LoadGenerator,
  surroundings: Surroundings,
): Promise<Section[]> {
  const grown = targets.filter(({ name }) => name === 'portico' || name === 'ideal');
  const measurements: Record<ExtraId, () => Promise<Section | Section[]>> = {
    start: () => measureColdStart(targets, surroundings),
    reload: () => measureReloads(load, plan, surroundings),
    documents: () => measureDocuments(plan, surroundings),
    login: () => measureLogin(plan, surroundings),
    growth: () => measureGrowth(grown, load, plan, surroundings),
    'many-services': () => measureManyServices(surroundings),
  };
  const sections: Section[] = [];
  for (const id of plan.extras)
    try {
      sections.push(...[await measurements[id]()].flat());
    } catch (error) {
      surroundings.say(`FAILED: ${id}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  return sections;
}
