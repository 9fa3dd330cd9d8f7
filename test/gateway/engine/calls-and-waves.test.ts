import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { graphql } from 'graphql';
import { SEED } from '../../seed.ts';
import { openLibrary } from '../federation/library.ts';
import { openPostOffice } from '../federation/post-office.ts';
import type { World } from '../federation/world.ts';
import { operations } from '../generated/operations.ts';
import { keeper } from '../harness/index.ts';
import { DEEP_JOINS } from './cases/deep-joins.ts';
import type { Service } from './in-process-services.ts';
import { costOf, type GraphCosts, higherCosts } from './operation-costs.ts';
import { openProductEngine } from './product-engine.ts';
import { openStrictServices } from './strict-services.ts';

const { keep, close } = keeper();
afterAll(close);

const OPERATIONS = 150;
const WORLDS = {
  library: [openLibrary, { id: ['i1', 'i3'], Int: [1, 2, 3], String: ['x', ''] }],
  'post office': [openPostOffice, { unit: ['mm', 'cm', null], times: [1, 3, null] }],
} as const satisfies Record<string, readonly [() => Promise<World>, object]>;

test.each(Object.entries(WORLDS))('operations on the %s take no more calls and waves', async (name, [open, values]) => {
  const { schemas, supergraphSdl } = await keep(open());
  const services = [...schemas].map(([service, schema]): [string, Service] => [
    service,
    ({ query, variables }) => graphql({ schema, source: query, variableValues: variables }),
  ]);
  const engine = await openProductEngine({ supergraphSdl }, new Map(services));
  const generated = ['query', 'mutation']
    .filter((kind) => engine.schema.getRootType(kind as never))
    .flatMap((kind) =>
      fc.sample(operations({ schema: engine.schema, values, kind: kind as 'query' }), {
        numRuns: OPERATIONS,
        seed: SEED,
      }),
    );
  const costs: GraphCosts['costs'][number][] = [];
  for (const { text, variables } of generated) {
    const answer = await engine.run(text, variables);
    costs.push(answer.data === undefined ? undefined : costOf(answer));
  }
  engine.close();
  expect(
    higherCosts(name.replace(' ', '-'), [{ graph: name, texts: generated.map(({ text }) => text), costs }]),
  ).toEqual([]);
});

test('an operation that goes back and forth between services takes six calls in four waves', async () => {
  const { sdls, services, rejections, wholeSchema } = openStrictServices(DEEP_JOINS);
  const engine = await openProductEngine({ subgraphs: [...sdls].map(([name, sdl]) => ({ name, sdl })) }, services);
  const { calls, waves, ...answer } = await engine.run(DEEP_JOINS.text);
  engine.close();
  const expected = await graphql({ schema: wholeSchema(engine.schema), source: DEEP_JOINS.text });
  expect({ answer, rejections }).toEqual({ answer: JSON.parse(JSON.stringify(expected)), rejections: [] });
  expect(calls.length).toBeLessThanOrEqual(6);
  expect(waves).toBeLessThanOrEqual(4);
});
