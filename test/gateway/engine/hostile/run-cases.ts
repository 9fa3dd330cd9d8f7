import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './trial.ts';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));
/** A case that takes as long does not end. It is no measure of speed. */
const CASE_MS = 30_000;

/** Tries cases in processes that are ended where one of them does not return. */
export async function runCases(
  indexes: readonly number[],
  mode: 'counted' | 'timed',
  onOutcome: (outcome: Outcome) => void = () => {},
) {
  const outcomes: Outcome[] = [];
  let left = [...indexes];
  while (left.length > 0) {
    const tried = await runChild([mode, ...left.map(String)], left, (outcome) => {
      outcomes.push(outcome);
      onOutcome(outcome);
    });
    left = left.slice(tried);
  }
  return outcomes;
}

/** @returns how many cases it has tried */
function runChild(
  given: readonly string[],
  indexes: readonly number[],
  onOutcome: (outcome: Outcome) => void,
): Promise<number> {
  return new Promise((resolve) => {
    const child = fork(CHILD, given, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    let running: number | undefined;
    let tried = 0;
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, CASE_MS);
    };
    watch();
    child.on('message', (message: Partial<Outcome>) => {
      watch();
      running = message.index;
      if (message.outcome === undefined) return;
      running = undefined;
      tried++;
      onOutcome(message as Outcome);
    });
    child.on('exit', () => {
      clearTimeout(timer);
      if (running === undefined && tried === indexes.length) return resolve(tried);
      const index = running ?? indexes[tried] ?? 0;
      onOutcome({ index, outcome: isLate ? 'never returned' : 'ended the process' });
      resolve(tried + 1);
    });
  });
}
