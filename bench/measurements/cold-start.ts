import { processUsage } from '../machine/index.ts';
import { median } from '../report/statistics.ts';
import type { BenchDependencies, Target } from '../targets/index.ts';
import type { Section } from './section.ts';

const TIMES = 3;

/** Measures how long each gateway takes from its start to the first correct response, and its memory at that time. */
export async function measureColdStart(targets: readonly Target[], dependencies: BenchDependencies): Promise<Section> {
  const lines: (string | number | undefined)[][] = [];
  for (const target of targets) {
    if (target.kind === 'limit') continue;
    try {
      const times: number[] = [];
      const memory: number[] = [];
      for (let time = 0; time < TIMES; time++) {
        const running = await target.start(dependencies);
        times.push(running.readyAfterMs);
        const usage = running.member && processUsage(running.member.pid);
        if (usage) memory.push(usage.residentMb);
        await running.stop();
      }
      lines.push([target.title, median(times), memory.length > 0 ? median(memory) : undefined]);
      dependencies.say(`start  ${target.name.padEnd(20)} ${Math.round(median(times))} ms`);
    } catch (error) {
      dependencies.say(`ABSENT: ${target.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return {
    title: 'Cold start',
    head: ['', 'ms to the first right answer', 'resident MB then'],
    lines,
    note: `Median of ${TIMES} starts on one core.`,
  };
}
