import { COUNTER, nodeLoad } from '../loads/index.ts';
import { processUsage } from '../machine/index.ts';
import { type BenchDependencies, graphqlRequest, plainPortico } from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

const DISTINCT_DOCUMENTS = 100_000;
const STEPS = 4;
const AT_MOST_SECONDS = 120;

/** Measures Portico's memory after 100,000 distinct documents, since its caches are limited. */
export async function measureDocuments(plan: ExtraPlan, dependencies: BenchDependencies): Promise<Section> {
  const { group, cores, say } = dependencies;
  const running = await plainPortico.start(dependencies);
  const { url, headers } = running.request(ROW_OF_ONE_FIELD);
  const request = graphqlRequest(url, { query: `query D${COUNTER} { a${COUNTER}: hello }` }, headers);
  const load = nodeLoad(group);
  const memory = () => running.member && processUsage(running.member.pid);
  const lines: (string | number | undefined)[][] = [['0', undefined, memory()?.residentMb, memory()?.peakMb, 0]];
  let sent = 0;
  for (let step = 0; step < STEPS; step++) {
    const window = await load.run(request, {
      connections: plan.connections,
      seconds: AT_MOST_SECONDS / STEPS,
      requests: DISTINCT_DOCUMENTS / STEPS,
      core: cores.load,
    });
    sent += window.requests;
    const usage = memory();
    lines.push([
      sent.toLocaleString('en-US'),
      window.requests / window.seconds,
      usage?.residentMb,
      usage?.peakMb,
      window.errors,
    ]);
    say(`documents  ${sent} ${Math.round(usage?.residentMb ?? 0)} MB`);
  }
  await running.stop();
  return {
    title: 'Memory as distinct documents come',
    head: ['documents so far', 'requests/s', 'resident MB', 'peak MB', 'errors'],
    lines,
    note: 'Every request has a document that was never seen before: parsed, checked, planned and kept in a bounded cache.',
  };
}

const ROW_OF_ONE_FIELD = {
  id: 'H',
  title: '',
  request: { kind: 'graphql', query: '{ hello }' },
  answer: undefined,
  calls: 1,
} as const;
