import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SEED } from '../../seed.ts';
import { operations } from './operations.ts';
import { type OperationToCheck, problemOf } from './supergraphs/check-operation.ts';
import { outageProblemOf } from './supergraphs/check-outage.ts';
import { generateModel } from './supergraphs/generate-model.ts';
import { type GeneratedGraph, openGeneratedGraph } from './supergraphs/generated-graph.ts';
import type { GraphModel } from './supergraphs/graph-model.ts';
import { subgraphSdls } from './supergraphs/model-sdl.ts';
import { Random } from './supergraphs/random.ts';
import { reduceModel } from './supergraphs/reduce-model.ts';

const FEW = 3;
/** Supergraphs for each way. A long run: `GENERATED_SUPERGRAPHS=500`, of others `TEST_SEED=random`. */
const RUNS = Number(process.env.GENERATED_SUPERGRAPHS ?? FEW);
const OPERATIONS = 6;
/** Tried for each supergraph that is checked. */
const MOST_SEEDS = 30;
const LONGEST_SHRINKING_MS = 20_000;

const VALUES = {
  n: [0, 1, 7, null],
  k: [0, 5],
  m: [1, 2, null],
  s: ['', 'x', 'é"\\', null],
  l: [[1, 2], [], null],
  i: [{ a: 1 }, {}, { level: 'LOW', more: [{ a: null }, { text: 't' }] }, null],
  p: ['FAST', 'SLOW', null],
  Boolean: [true, false],
};

const LABELS = [new Set<string>(), new Set(['next']), new Set(['percent(50)'])];

test(
  'generated subgraphs answer as graphql-js answers over one schema of all of them',
  async () => {
    let [checked, compared] = [0, 0];
    const last = SEED + RUNS * MOST_SEEDS;
    for (let seed = SEED; checked < RUNS && seed < last; seed++) {
      const random = new Random(seed);
      const model = generateModel(random);
      const active = random.oneOf(LABELS);
      const graph = openGeneratedGraph(model, active);
      // Not all that is generated composes.
      if (typeof graph === 'string') continue;
      checked += 1;
      compared += await check(graph, seed, () => openGeneratedGraph(model, active));
    }
    expect(checked).toBe(RUNS);
    expect(compared).toBeGreaterThanOrEqual((RUNS * OPERATIONS) / 2);
  },
  60_000 + RUNS * 60_000,
);

/** @returns how many operations had an answer to compare */
async function check(graph: GeneratedGraph, seed: number, reopen: () => GeneratedGraph | string): Promise<number> {
  const { model, whole } = graph;
  let compared = 0;
  for (const kind of ['query', 'mutation', 'subscription'] as const) {
    if (!whole.getRootType(kind as never)) continue;
    const faults = fc.oneof(fc.constant(0), fc.nat({ max: 1_000_000 }));
    const generated = operations({ schema: whole, values: VALUES, kind });
    const result = await fc.check(
      fc.asyncProperty(generated, faults, async ({ text, variables }, given) => {
        const operation = { text, variables, faults: given };
        return (await anyProblemOf(graph, operation, () => void compared++)) === undefined;
      }),
      { numRuns: OPERATIONS, seed, interruptAfterTimeLimit: LONGEST_SHRINKING_MS },
    );
    if (!result.failed) continue;
    const [{ text, variables }, given] = result.counterexample ?? [{ text: '', variables: {} }, 0];
    throw await failure({ text, variables, faults: given }, { model, seed, reopen });
  }
  return compared;
}

/** With all subgraphs, and with one that does not answer. */
async function anyProblemOf(
  graph: GeneratedGraph,
  operation: OperationToCheck,
  compared?: () => void,
): Promise<object | undefined> {
  const { graphs } = graph.model;
  const service = graphs[operation.text.length % graphs.length] ?? '';
  return (await problemOf(graph, operation, compared)) ?? outageProblemOf(graph, operation, service);
}

/** The error that shows an operation and what is wrong with its answer, over as few subgraphs and fields as possible. */
async function failure(
  operation: OperationToCheck,
  { model, seed, reopen }: { model: GraphModel; seed: number; reopen: () => GeneratedGraph | string },
): Promise<Error> {
  const problemNow = async () => {
    const graph = reopen();
    return typeof graph === 'string'
      ? undefined
      : anyProblemOf(graph, operation).catch((error: unknown) => ({ error }));
  };
  await reduceModel(model, async () => (await problemNow()) !== undefined);
  const texts = [...subgraphSdls(model)].map(([name, sdl]) => `# ${name}\n${sdl}`);
  const { text, variables, faults } = operation;
  const asked = `${text}\n${JSON.stringify(variables)} faults: ${faults}`;
  const problem = JSON.stringify(await problemNow(), undefined, 1);
  return new Error(`TEST_SEED=${seed} GENERATED_SUPERGRAPHS=1\n${texts.join('\n')}\n${asked}\n${problem}`);
}
