// By hand: `node test/gateway/engine/hostile/measure.mjs counted|timed [family]`, after `npm run build`. Prints what becomes of each
// hostile operation, and how long planning it blocks the event loop, the longest last. Only planning and compiling the requests is
// measured, neither parsing the document nor calling services. `timed` starts a process for each
// operation, whose planner is warmed up as a gateway's is and which has planned nothing else; `counted` counts its work, which
// takes longer.
import { register } from 'node:module';

register(new URL('../../../native-modules/hooks.cjs', import.meta.url));
const { HOSTILE_CASES } = await import('./cases.ts');
const { runCases } = await import('./run-cases.ts');

const [mode, family] = process.argv.slice(2);
if (mode !== 'counted' && mode !== 'timed') throw new Error('Usage: measure.mjs counted|timed [family]');
const indexes = [...HOSTILE_CASES.keys()].filter((at) => !family || HOSTILE_CASES[at].family === family);
const columns = ({ index, outcome, code, steps, work, inSlice, blockMs, ranMs, cpuMs, calls }) => {
  const { family, name } = HOSTILE_CASES[index];
  const ms = (value) => (value === undefined ? '-' : value.toFixed(1));
  return [
    outcome,
    steps === undefined ? '-' : Math.round(steps),
    `work ${work ?? '-'}`,
    `slice ${inSlice ?? '-'}`,
    `block ${ms(blockMs)}`,
    `ran ${ms(ranMs)}`,
    `cpu ${ms(cpuMs)}`,
    `calls ${calls ?? '-'}`,
    `${family}: ${name}`,
    code ?? '',
  ]
    .map((text, at) => String(text).padEnd([17, 8, 12, 12, 14, 10, 14, 11][at] ?? 0))
    .join(' ');
};
const print = (outcome) => process.stderr.write(`${columns(outcome)}\n`);
const outcomes = [];
for (const group of mode === 'timed' ? indexes.map((at) => [at]) : [indexes])
  outcomes.push(...(await runCases(group, mode, print)));
const blocks = outcomes
  .filter(({ blockMs }) => blockMs !== undefined)
  .sort((one, other) => one.blockMs - other.blockMs);
process.stdout.write(`\nThe longest blocks of the event loop:\n${blocks.slice(-15).map(columns).join('\n')}\n`);
const counted = {};
for (const { outcome } of outcomes) counted[outcome] = (counted[outcome] ?? 0) + 1;
process.stdout.write(`\n${JSON.stringify(counted)}, longest block ${blocks.at(-1)?.blockMs.toFixed(1)} ms\n`);
