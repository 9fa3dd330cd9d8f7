import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { type GraphqlBody, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { Faults } from './media-data.ts';
import { mediaSchema, stitchedMediaSchema } from './media-schema.ts';
import { federatedRemotes, plainRemotes, relatedRemotes, stitchedRemotes } from './media-services.ts';
import { mixedMetadata, mixedSchema } from './mixed-services.ts';
import { operations } from './operations.ts';
import { differenceOf, ReferenceSchema } from './same-answer.ts';

const { keep, close } = keeper();
afterAll(close);

/** Operations for each way of plugging services in. A long run: `GENERATED_OPERATIONS=2000`. */
const RUNS = Number(process.env.GENERATED_OPERATIONS ?? 60);

const VALUES = {
  id: ['i0', 'i1', 'i2', 'p1', 's2', 'nobody'],
  ids: [['p0', 'p1'], ['p3', 'nobody'], []],
  first: [0, 1, 3, null],
  person: ['p0', 'p4'],
  text: ['x', null],
  currency: ['cent', 'euro'],
  Boolean: [true, false, null],
};

const issuer = await keep(openIssuer());
const token = issuer.token();
const environment = {
  HASURA_GRAPHQL_LOG_LEVEL: 'error',
  PORTICO_MAX_DEPTH: '100',
  PORTICO_MAX_ALIASES: '1000',
  PORTICO_MAX_DIRECTIVES: '1000',
};

type Ask = (text: string, variables: unknown) => Promise<GraphqlBody>;

async function openHere(metadata: Record<string, unknown>): Promise<Ask> {
  const gateway = await keep(openGateway({ issuer, metadata, environment }));
  return async (text, variables) => (await gateway.graphql(text, { token, variables })).body;
}

const metadataOf =
  (remotes: (...given: Parameters<typeof mixedMetadata>) => Promise<readonly object[]>) =>
  async (...given: Parameters<typeof mixedMetadata>): Promise<Record<string, unknown>> => ({
    'remote_schemas.yaml': await remotes(...given),
  });

const WAYS = {
  'one plain service': [metadataOf(plainRemotes), mediaSchema],
  'services with relationships between them': [metadataOf(relatedRemotes), mediaSchema],
  'stitched services': [metadataOf(stitchedRemotes), stitchedMediaSchema],
  'subgraphs of a federation': [metadataOf(federatedRemotes), mediaSchema],
  'services of every kind in one graph': [mixedMetadata, mixedSchema],
} as const;

const faults = new Faults();
afterEach(() => {
  faults.seed = 0;
});

describe('any operation is answered as graphql-js answers it over one schema', () => {
  test.each(Object.entries(WAYS))(
    'by %s',
    async (_way, [metadata, schemaOf]) => {
      const reference = new ReferenceSchema(schemaOf(faults));
      const ask = await openHere(await metadata(faults, keep));
      await fc.assert(
        fc.asyncProperty(
          operations({ schema: reference.schema, values: VALUES }),
          fc.oneof(fc.constant(0), fc.nat({ max: 1_000_000 })),
          async ({ text, variables }, seed) => {
            const document = parse(text);
            expect(validate(reference.schema, document)).toEqual([]);
            faults.seed = seed;
            const expected = await reference.answer(document, variables);
            const body = await ask(text, variables);
            expect({ text, variables, difference: differenceOf(body, expected) }).toEqual({ text, variables });
          },
        ),
        { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 4_000, markInterruptAsFailure: true },
      );
    },
    RUNS * 5_000,
  );
});
