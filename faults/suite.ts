import type { Fault } from './fault.ts';
import { clock } from './faults/clock.ts';
import { data } from './faults/data.ts';
import { edges } from './faults/edges.ts';
import { kills } from './faults/kills.ts';
import { limitFaults } from './faults/limits.ts';
import { postgres } from './faults/postgres.ts';
import { redis } from './faults/redis.ts';
import { restarts } from './faults/restarts.ts';
import { serviceFaults } from './faults/services.ts';

/** All faults, in the order in which they are tried. */
export const SUITE: readonly Fault[] = [
  ...edges,
  ...restarts,
  ...kills,
  ...postgres,
  ...redis,
  ...serviceFaults,
  ...limitFaults,
  ...clock,
  ...data,
];

/** Those whose group or name is or contains one of the words; all where there are none. */
export function faultsNamed(words: readonly string[]): readonly Fault[] {
  if (words.length === 0) return SUITE;
  return SUITE.filter(({ name, group }) => words.some((word) => group === word || name.includes(word)));
}
