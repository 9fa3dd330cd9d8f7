import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'graphql';
import { MOST_STEPS } from '../../../gateway/planning/joins/plan/plan-operation.ts';
import { readSupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';
import { SEED } from '../../seed.ts';
import { openLibrary } from '../federation/library.ts';
import { openPostOffice } from '../federation/post-office.ts';
import { operations } from '../generated/operations.ts';
import { keeper } from '../harness/index.ts';
import { DEEP_JOINS } from './cases/deep-joins.ts';
import { chains } from './hostile/requirements.ts';
import { sizes } from './hostile/shapes.ts';
import { plannedSteps } from './planned-steps.ts';
import { openProductEngine } from './product-engine.ts';
import { sdlsOf } from './strict-services.ts';

const { keep, close } = keeper();
afterAll(close);

/** Operations that people write take no tenth of the steps that are permitted. */
const ORDINARY = MOST_STEPS / 10;

const subgraphsOf = (graph: Parameters<typeof sdlsOf>[0]) => ({
  subgraphs: [...sdlsOf(graph)].map(([name, sdl]) => ({ name, sdl })),
});
const typesOf = async (graph: Parameters<typeof sdlsOf>[0]) => {
  const engine = await openProductEngine(subgraphsOf(graph), new Map());
  engine.close();
  return engine.types;
};

test.each([openLibrary, openPostOffice])('generated operations take few steps: %p', async (open) => {
  const { graph, supergraphSdl } = await keep(open());
  const types = readSupergraphTypes(parse(supergraphSdl));
  const generated = fc.sample(operations({ schema: graph.publicSchema, values: {}, kind: 'query' }), {
    numRuns: 150,
    seed: SEED,
  });
  const many = generated.filter(({ text, variables }) => plannedSteps(text, types, variables).steps > ORDINARY);
  expect(many).toEqual([]);
});

test('an operation that goes back and forth between services takes few steps', async () => {
  const { steps, isRefused } = plannedSteps(DEEP_JOINS.text, await typesOf(DEEP_JOINS));
  expect(isRefused).toBe(false);
  expect(steps).toBeLessThan(ORDINARY);
});

test('twice as much takes twice as many steps', async () => {
  const [one] = sizes;
  if (!one) throw new TypeError('no hostile operation');
  const types = await typesOf(one);
  const fields = (count: number, field: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => `a${at}: ${field(at)}`).join(' ');
  const growing: readonly ((count: number) => string)[] = [
    (count) => `{ ${fields(count, () => 'thing { id }')} }`,
    (count) => `{ ${fields(count, (at) => `thing(n: ${at}) { size }`)} }`,
    (count) => `{ thing { ${fields(count, (at) => `size(n: ${at})`)} } }`,
    (count) => `{ thing { ${fields(count, (at) => `label(n: ${at})`)} } }`,
    (count) => `mutation { ${fields(count, (at) => `make(n: ${at}) { size }`)} }`,
  ];
  for (const textOf of growing) {
    const [few, twice] = [60, 120].map((count) => plannedSteps(textOf(count), types));
    expect(few?.isRefused).toBe(false);
    expect(twice?.steps).toBeLessThan(2.1 * (few?.steps ?? 0));
  }
});

test('chains of requirements that are twice as long take at most four times as many steps', async () => {
  for (const selected of ['ends', 'all'] as const) {
    const [short, long] = await Promise.all(
      [8, 16].map(async (length) => {
        const hostile = chains(length, 1, 1, selected);
        return plannedSteps(hostile.text, await typesOf(hostile)).steps;
      }),
    );
    expect(long).toBeLessThan(4.5 * (short ?? 0));
  }
});
