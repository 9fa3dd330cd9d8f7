import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import type { Executor } from '@graphql-tools/utils';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execute, type GraphQLSchema, graphql, parse, print, validate } from 'graphql';
import { operations } from './generated-operation.ts';
import { openLibrary } from './library.ts';
import type { World } from './world.ts';

/** A long run: `FEDERATION_RUNS=2000`. */
const RUNS = Number(process.env.FEDERATION_RUNS ?? 150);

let library: World;
let stitched: GraphQLSchema;

beforeAll(async () => {
  library = await openLibrary();
  stitched = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: library.supergraphSdl,
    onSubschemaConfig: (config) => {
      const schema = library.schemas.get(config.name.toLowerCase());
      if (!schema) throw new Error(`no subgraph ${config.name}`);
      const executor = ({ document, variables }: Parameters<Executor>[0]) =>
        graphql({ schema, source: print(document), variableValues: variables ?? {} });
      config.executor = executor as Executor;
    },
  });
});
afterAll(() => library.close());

test(
  'any operation gives what stitching the same subgraphs gives',
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(operations(library.graph.publicSchema), async ({ document, variables }) => {
        const parsed = parse(document);
        expect(validate(library.graph.publicSchema, parsed)).toEqual([]);
        const theirs = await execute({ schema: stitched, document: parsed, variableValues: variables });
        // No subgraph fails here: an error is one that stitching makes, as it does for some nested type conditions.
        fc.pre(theirs.errors === undefined);
        const ours = await library.ask(document, variables);
        expect(ours).toEqual(JSON.parse(JSON.stringify(theirs)));
        compared += 1;
      }),
      { numRuns: RUNS, maxSkipsPerRun: 1 },
    );
    expect(compared).toBeGreaterThan(0);
  },
  10_000 + RUNS * 300,
);
