import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { operations } from '../generated/operations.ts';
import { openPostOffice, wholePostOffice } from './post-office.ts';
import type { World } from './world.ts';

/** A long run: `FEDERATION_RUNS=2000`. */
const RUNS = Number(process.env.FEDERATION_RUNS ?? 60);

let post: World;

beforeAll(async () => {
  post = await openPostOffice();
});
afterAll(() => post.close());
beforeEach(() => {
  post.forget();
  post.down.clear();
});

test('a field that requires something is found below an entity that was fetched', async () => {
  expect(await post.ask('{ offices { name parcel { cost } } }')).toEqual({
    data: {
      offices: [
        { name: 'Office o1', parcel: { cost: 4000 } },
        { name: 'Office o2', parcel: { cost: 4000 } },
      ],
    },
  });
  expect(post.counts()).toEqual({ offices: 1, mail: 2, scales: 1 });
});

test('it is behind type conditions too, and below lists', async () => {
  const document = `query ($n: Int) { office {
    sent { __typename id ... on Parcel { fee(times: $n) } ... on Letter { cost } }
    rooms { parcel { fee } } first { ...P } } } fragment P on Parcel { fee ... on Mail { id cost } }`;
  expect(await post.ask(document, { n: 2 })).toEqual({
    data: {
      office: {
        sent: [
          { __typename: 'Parcel', id: 'p1', fee: 600 },
          { __typename: 'Letter', id: 'l1', cost: 1 },
          null,
          { __typename: 'Parcel', id: 'p2', fee: 1200 },
        ],
        rooms: [[{ parcel: { fee: 300 } }, { parcel: null }], null, []],
        first: { fee: 900, id: 'p3', cost: 6000 },
      },
    },
  });
});

test('it is a field of an interface that only some of its types require something for', async () => {
  expect(await post.ask('{ office { sent { cost } first { price: cost } } }')).toEqual({
    data: { office: { sent: [{ cost: 2000 }, { cost: 1 }, null, { cost: 4000 }], first: { price: 6000 } } },
  });
});

test('a @requires field with arguments is kept apart from the client’s selection of it with others', async () => {
  const document = `{ office { first { ... on Parcel { size(unit: "cm") cost fee } ... on Mail { ... on Parcel { plain } } }
    parcel { cost: size size: cost fee plain } } }`;
  expect(await post.ask(document)).toEqual({
    data: {
      office: {
        first: { size: 300, cost: 6000, fee: 900, plain: 3 },
        parcel: { cost: 2, size: 4000, fee: 600, plain: 2 },
      },
    },
  });
});

test('it stands below another such field', async () => {
  const document = '{ offices { parcel { label { text of { cost label { of { fee returned { plain } } } } } } } }';
  const parcels = { label: { text: 'p2 of 2 m', of: { cost: 2000, label: { of: { fee: 600, returned: null } } } } };
  expect(await post.ask(document)).toEqual({ data: { offices: [{ parcel: parcels }, { parcel: parcels }] } });
});

test('it is part of mutations, each of which is finished before the next one starts', async () => {
  expect(await post.ask('mutation { open { parcel { cost } } close { name parcel { fee } } }')).toEqual({
    data: { open: { parcel: { cost: 4000 } }, close: { name: 'Office o2', parcel: { fee: 600 } } },
  });
  const each = ['offices', 'mail', 'scales', 'mail'];
  expect(post.calls.map(({ subgraph }) => subgraph)).toEqual([...each, ...each]);
});

test('an error says which @requires field is missing', async () => {
  post.down.add('scales');
  expect(await post.ask('{ office { name sent { ... on Parcel { cost } ... on Letter { id } } } }')).toMatchObject({
    data: { office: { name: 'Office o1', sent: [{ cost: null }, { id: 'l1' }, null, { cost: null }] } },
    errors: [{ message: 'scales is down', path: ['office', 'sent'] }],
  });
});

test(
  'any operation gives the same result as over one schema',
  async () => {
    const schema = wholePostOffice();
    const values = { unit: ['mm', 'cm', null], times: [1, 3, null] };
    await fc.assert(
      fc.asyncProperty(operations({ schema, values }), async ({ text, variables }) => {
        const expected = await execute({ schema, document: parse(text), variableValues: variables });
        expect(await post.ask(text, variables)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
      { numRuns: RUNS },
    );
  },
  120_000 + RUNS * 1_000,
);
