import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { GroupProcess, ProcessGroup } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import { COUNTER, type LoadGenerator, type LoadPlan, type LoadRequest, type LoadWindow } from './load.ts';
import { outputOf } from './output.ts';

const RESULT_MARK = '@@@@@@@@';

/** Returns wrk, which uses the least of the core that it shares with the subgraphs. Undefined if it is not installed. */
export function wrk(group: ProcessGroup): LoadGenerator | undefined {
  const asked = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  if (asked.error) return undefined;
  const version = /^wrk \S+/.exec(`${asked.stdout}${asked.stderr}`)?.[0] ?? 'wrk';
  return {
    name: version,
    run: async (request, plan) => {
      const member = startWrk(group, request, plan);
      const output = await outputOf(member);
      const result = /^RESULT (.*)$/m.exec(output)?.[1];
      if (result === undefined) throw new Error(`wrk has measured nothing:\n${output}`);
      return JSON.parse(result) as LoadWindow;
    },
    start: (request, plan) => startWrk(group, request, plan),
  };
}

function startWrk(group: ProcessGroup, request: LoadRequest, plan: LoadPlan): GroupProcess {
  const { origin } = new URL(request.url);
  const marked = (text: string) => text.replaceAll(COUNTER, RESULT_MARK);
  return group.start({
    name: 'wrk',
    command: [
      'wrk',
      '-t1',
      `-c${plan.connections}`,
      `-d${Math.max(1, Math.round(plan.seconds))}s`,
      // A slow response is not an error. It shows in the latencies.
      '--timeout',
      '10s',
      '-s',
      join(PACKAGE_DIR, 'bench/loads/wrk.lua'),
      origin,
    ],
    environment: {
      BENCH_METHOD: request.method,
      BENCH_PATH: marked(request.url.slice(origin.length)) || '/',
      BENCH_HEADERS: Object.entries(request.headers)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
      BENCH_BODY: marked(request.body),
      BENCH_FIRST: String(Math.floor(Math.random() * 90_000_000)),
      ...(request.distinct === undefined ? {} : { BENCH_DISTINCT: String(request.distinct) }),
    },
    core: plan.core,
    standardOutput: 'pipe',
  });
}
