import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execute, parse, validate } from 'graphql';
import { type GraphqlBody, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { Faults, VALUES } from './media-data.ts';
import { mediaSchema, stitchedMediaSchema } from './media-schema.ts';
import { federatedRemotes, plainRemotes, relatedRemotes, stitchedRemotes } from './media-services.ts';
import { mixedMetadata, mixedSchema } from './mixed-services.ts';
import { operations } from './operations.ts';
import { differenceOf, ReferenceSchema } from './same-answer.ts';

const { keep, close } = keeper();
afterAll(close);

/** Operations for each way of plugging services in. A long run: `GENERATED_OPERATIONS=2000`. */
const RUNS = Number(process.env.GENERATED_OPERATIONS ?? 60);

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

type Way = readonly [metadata: typeof mixedMetadata, schemaOf: typeof mixedSchema, kind?: 'query' | 'mutation'];

const WAYS: Readonly<Record<string, Way>> = {
  'one plain service': [metadataOf(plainRemotes), mediaSchema],
  'services with relationships between them': [metadataOf(relatedRemotes), mediaSchema],
  'stitched services': [metadataOf(stitchedRemotes), stitchedMediaSchema],
  'subgraphs of a federation': [metadataOf(federatedRemotes), mediaSchema],
  'services of every kind in one graph': [mixedMetadata, mixedSchema],
  'mutations of services of every kind': [mixedMetadata, mixedSchema, 'mutation'],
};

const faults = new Faults();
afterEach(() => {
  faults.seed = 0;
});

describe('any operation is answered as graphql-js answers it over one schema', () => {
  test.each(Object.entries(WAYS))(
    'by %s',
    async (_way, [metadata, schemaOf, kind = 'query']) => {
      const reference = new ReferenceSchema(schemaOf(faults));
      const ask = await openHere(await metadata(faults, keep));
      await fc.assert(
        fc.asyncProperty(
          operations({ schema: reference.schema, kind, values: VALUES }),
          fc.oneof(fc.constant(0), fc.nat({ max: 1_000_000 })),
          async ({ text, variables }, seed) => {
            const document = parse(text);
            expect(validate(reference.schema, document)).toEqual([]);
            faults.seed = seed;
            const expected = await reference.answer(document, variables);
            faults.mutations.length = 0;
            await execute({ schema: reference.schema, document, variableValues: variables });
            const mutations = faults.mutations.splice(0);
            const body = await ask(text, variables);
            expect({
              text,
              variables,
              difference: differenceOf(body, expected),
              mutations: [...faults.mutations],
            }).toEqual({ text, variables, mutations });
          },
        ),
        { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 4_000, markInterruptAsFailure: true },
      );
    },
    RUNS * 5_000,
  );
});
