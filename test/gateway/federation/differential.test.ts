import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DocumentNode, getOperationAST, graphql, parse, print, validate } from 'graphql';
import { StitchedGraph } from '../../../gateway/stitching/index.ts';
import { readSubgraphs } from '../../../gateway/supergraph/index.ts';
import { operations } from '../generated/operations.ts';
import { openLibrary } from './library.ts';
import type { World } from './world.ts';

/** A long run: `FEDERATION_RUNS=2000`. */
const RUNS = Number(process.env.FEDERATION_RUNS ?? 150);
const VALUES = { id: ['i1', 'i3'], Int: [1, 2, 3], String: ['x', ''] };

let library: World;
let stitched: StitchedGraph;

beforeAll(async () => {
  library = await openLibrary();
  const { publicSchema } = library.graph;
  const subschemas = (readSubgraphs(parse(library.supergraphSdl)) ?? []).map(({ name, schema, merge }) => {
    const subgraph = library.schemas.get(name);
    if (!subgraph) throw new Error(`no subgraph ${name}`);
    const executor = ({ document, variables }: { document: DocumentNode; variables?: Record<string, unknown> }) =>
      graphql({ schema: subgraph, source: print(document), variableValues: variables ?? {} });
    return { schema, merge, executor };
  });
  stitched = new StitchedGraph({ internal: publicSchema, executable: publicSchema }, subschemas, []);
});
afterAll(() => library.close());

test(
  'any operation gives by plan what stitching the same subgraphs gives',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        operations({ schema: library.graph.publicSchema, values: VALUES }),
        async ({ text, variables }) => {
          const document = parse(text);
          expect(validate(library.graph.publicSchema, document)).toEqual([]);
          const operation = getOperationAST(document);
          if (!operation) throw new Error('no operation');
          const theirs = await stitched.compile({ document, operation })(variables, undefined);
          const ours = await library.ask(text, variables);
          // No subgraph fails here.
          const expected = { text, variables, answer: JSON.parse(JSON.stringify(theirs)) };
          expect({ text, variables, answer: ours }).toEqual(expected);
          expect(theirs.errors).toBeUndefined();
        },
      ),
      { numRuns: RUNS },
    );
  },
  120_000 + RUNS * 1_000,
);
