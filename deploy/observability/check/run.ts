import { ProcessGroup } from '../../../bench/machine/index.ts';
import { checkObservability, hasPrometheus } from './check.ts';

// `npm run observability:check`: see docs/observability.md.
const WITHIN_SECONDS = 120;

const group = new ProcessGroup();
const say = (text: string) => void process.stderr.write(`${text}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    group.close().finally(() => process.exit(130));
  });
try {
  if (!hasPrometheus()) throw new Error('Prometheus is not installed (Debian: apt-get install prometheus)');
  const { queries, looks, problems } = await checkObservability(group, { withinSeconds: WITHIN_SECONDS }, say);
  for (const problem of problems) say(problem);
  say(`${queries} queries, ${looks} looks, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await group.close();
}
process.exit();
