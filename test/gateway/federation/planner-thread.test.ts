import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openPlanners, PlannerStopped, type PlannersOptions } from '../../../gateway/federation/index.ts';
import { operations } from '../generated/operations.ts';
import { until, watchThreads } from '../harness/index.ts';
import { openLibrary } from './library.ts';

const RUNS = 60;
const VALUES = { id: ['i1', 'i3'], Int: [1, 2, 3], String: ['x', ''] };
const QUERY = '{ items { id title } }';

const running = watchThreads();
const library = await openLibrary();
afterAll(() => library.close());

const open = (options: PlannersOptions) => openPlanners(library.supergraphSdl, { threadFrom: 0, ...options });
const allEnd = () => until('the threads end', () => running.size === 0);

async function endAll(): Promise<void> {
  await Promise.all([...running].map((worker) => worker.terminate()));
  await allEnd();
}

test('operations planned in a thread of its own are answered as those planned in the same thread', async () => {
  const threaded = await openLibrary({ threadFrom: 0, graceMs: 0 });
  expect(running.size).toBe(1);
  await fc.assert(
    fc.asyncProperty(
      operations({ schema: library.graph.publicSchema, values: VALUES }),
      async ({ text, variables }) => {
        const expected = { text, variables, answer: await library.ask(text, variables) };
        expect({ text, variables, answer: await threaded.ask(text, variables) }).toEqual(expected);
      },
    ),
    { numRuns: RUNS },
  );
  await threaded.close();
  await allEnd();
});

test('an operation that cannot be planned is rejected with the same message in a thread', async () => {
  const planners = await open({ graceMs: 0 });
  const here = await openPlanners(library.supergraphSdl);
  for (const kind of ['plan', 'planEntities'] as const)
    for (const text of ['{ nothing }', '{', QUERY, 'subscription { nothing }']) {
      const outcome = (ask: typeof planners) => {
        try {
          return { node: ask[kind](text, undefined) };
        } catch (error) {
          const { name, message, cause } = error as Error;
          return { name, message, cause: String(cause) };
        }
      };
      expect({ kind, text, ...outcome(planners) }).toEqual({ kind, text, ...outcome(here) });
    }
  planners.setActive(false);
  await allEnd();
});

test('a broken supergraph is refused as in the same thread', async () => {
  await expect(openPlanners('type Query {', { threadFrom: 0 })).rejects.toThrow();
  await endAll();
});

test('a thread that ends by itself fails the operations of the next seconds only', async () => {
  // Longer than the thread takes to end on a busy machine.
  const planners = await open({ graceMs: 0, reopenPauseMs: 100_000 });
  const before = planners.plan(QUERY, undefined);
  await endAll();
  expect(() => planners.plan(QUERY, undefined)).toThrow(PlannerStopped);
  expect(() => planners.plan(QUERY, undefined)).toThrow(
    'the query planner of federation is not available for a moment',
  );
  planners.setActive(false);

  const soon = await open({ graceMs: 0, reopenPauseMs: 0 });
  await endAll();
  expect(soon.plan(QUERY, undefined)).toEqual(before);
  soon.setActive(false);
  await allEnd();
});

test('a thread that does not answer in time is given up', async () => {
  const { plan } = await open({ patienceMs: 0 });
  // Planning it takes so long that no plan can be there already when this thread, which may be interrupted, looks for it.
  const long = `{ ${Array.from({ length: 300 }, (_, index) => `a${index}: items { id title }`).join(' ')} }`;
  expect(() => plan(long, undefined)).toThrow(PlannerStopped);
  await allEnd();
});

test('a replaced planner ends its thread, and still plans for operations that started before', async () => {
  const planners = await open({ graceMs: 0 });
  const before = planners.plan(QUERY, undefined);
  planners.setActive(false);
  await allEnd();
  expect(planners.plan(QUERY, undefined)).toEqual(before);
  await allEnd();
  planners.setActive(true);
  expect(planners.plan(QUERY, undefined)).toEqual(before);
  expect(running.size).toBe(1);
  planners.setActive(false);
  await allEnd();
});
