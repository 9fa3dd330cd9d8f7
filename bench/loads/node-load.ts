import { join } from 'node:path';
import type { ProcessGroup } from '../machine/index.ts';
import { COMPILED_DIR } from '../package-dir.ts';
import type { LoadGenerator, LoadWindow } from './load.ts';
import { outputOf } from './output.ts';

/** The load generator that needs only Node.js. */
export function nodeLoad(group: ProcessGroup): LoadGenerator {
  return {
    name: `raw sockets of Node ${process.versions.node}`,
    run: async (request, plan) => {
      const member = group.start({
        name: 'load',
        command: [process.execPath, join(COMPILED_DIR, 'bench/loads/node-load-main.js')],
        environment: { BENCH_LOAD: JSON.stringify({ request, plan }) },
        core: plan.core,
        standardOutput: 'pipe',
      });
      return JSON.parse(await outputOf(member)) as LoadWindow;
    },
  };
}
