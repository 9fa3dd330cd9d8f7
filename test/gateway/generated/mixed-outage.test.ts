import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'graphql';
import { keeper, openGateway, openIssuer, reply } from '../harness/index.ts';
import { wrongInOutage } from './answer-in-outage.ts';
import { Faults, VALUES } from './media-data.ts';
import { mixedSchema, openMixedServices } from './mixed-services.ts';
import { operations } from './operations.ts';
import { ReferenceSchema } from './same-answer.ts';

const { keep, close } = keeper();
afterAll(close);

/** Operations. A long run: `GENERATED_OPERATIONS=2000`. */
const RUNS = Number(process.env.GENERATED_OPERATIONS ?? 60);

const issuer = await keep(openIssuer());
const token = issuer.token();
const faults = new Faults();
const { metadata, services } = await openMixedServices(faults, keep);
const environment = {
  HASURA_GRAPHQL_LOG_LEVEL: 'silent',
  PORTICO_MAX_DEPTH: '100',
  PORTICO_MAX_ALIASES: '1000',
  PORTICO_MAX_DIRECTIVES: '1000',
};
const gateway = await keep(openGateway({ issuer, metadata, environment }));
const reference = new ReferenceSchema(mixedSchema(faults));
const names = [...services.keys()].filter((name) => name !== 'action');

test(
  'while a service of any kind fails, only what it has a part in is null, with an error',
  async () => {
    const affected = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        operations({ schema: reference.schema, values: VALUES }),
        fc.constantFrom(...names),
        async ({ text, variables }, name) => {
          const { data } = await reference.answer(parse(text), variables);
          const service = services.get(name);
          if (!service) throw new TypeError('no such service');
          service.instead = (_, response) => reply(response, 503, { errors: [{ message: 'closed' }] });
          const { body } = await gateway.graphql(text, { token, variables }).finally(() => {
            service.instead = undefined;
          });
          if (body.errors) affected.add(name);
          expect({ text, variables, name, wrong: wrongInOutage(body, data) }).toEqual({
            text,
            variables,
            name,
            wrong: [],
          });
        },
      ),
      { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 4_000, markInterruptAsFailure: true },
    );
    expect([...affected].sort()).toEqual([...names].sort());
  },
  RUNS * 5_000,
);
