import { nodeLoad } from '../loads/index.ts';
import { ROWS } from '../rows.ts';
import type { BenchDependencies, RunningTarget, Target } from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

const CLIENT_COUNTS = [50, 500, 1_000];

/**
 * Measures how long clients that connect at the same moment wait for their first response, while all send one request after
 * another.
 */
export async function measureConnectsAtOnce(
  target: Target,
  running: RunningTarget,
  plan: ExtraPlan,
  { group, cores, say }: BenchDependencies,
): Promise<Section> {
  // wrk does not distinguish the first response from others.
  const load = nodeLoad(group);
  const request = running.request(ROWS.U);
  const { seconds } = plan;
  const lines: (string | number | undefined)[][] = [];
  for (const connections of CLIENT_COUNTS) {
    await load.run(request, { connections, seconds: plan.warmUpSeconds, core: cores.load });
    const { first, p99Ms } = await load.run(request, { connections, seconds, core: cores.load });
    lines.push([
      `${connections.toLocaleString('en-US')} clients`,
      first?.unanswered === 0 ? first.responsesUntilAll / connections : undefined,
      first?.p99Ms,
      p99Ms,
      first?.unanswered,
    ]);
  }
  say(`growth  ${target.name}: clients that connect at once`);
  return {
    title: `Clients that connect at once: ${target.title}`,
    head: ['', 'responses per client until all have one', 'p99 ms of the first', 'p99 ms', 'without any'],
    lines,
    note: 'Row U, one request after another on each connection. The first column does not depend on the speed of the machine.',
  };
}
