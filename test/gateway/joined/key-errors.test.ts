import { afterAll, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { type Resolvers, stitched } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const OFFICE = 'type Office { id: ID name: String }';
const staff = await stitched(
  'staff',
  `type Query { worker: Worker workers: [Worker!]! } type Worker { office: Office } ${OFFICE}`,
  {
    Query: { worker: () => ({}), workers: () => [{}, {}] },
    Worker: { office: () => ({ name: 'north' }) },
    Office: {
      id: () => {
        throw new GraphQLError('no office');
      },
    },
  },
);
const desks = await stitched(
  'desks',
  `scalar Key type Query { _workers(keys: [Key!]!): [Worker] @merge }
   type Worker @key(selectionSet: "{ office { id } }") { office: Office desk: Int floor: Int } ${OFFICE}`,
  {
    Query: { _workers: (_: unknown, { keys }: { readonly keys: unknown[] }) => keys.map(() => ({ desk: 1 })) },
  } as Resolvers,
);
for (const { upstream } of [staff, desks]) await keep(upstream);
const metadata = { 'remote_schemas.yaml': [staff, desks].map(({ entry }) => entry) };
const gateway = await keep(openGateway({ issuer, metadata }));
const ask = async (query: string) => (await gateway.graphql(query, { token: issuer.token() })).body;
const reported = (...path: (string | number)[]) => expect.objectContaining({ message: 'no office', path });

test('an error of a nested key is reported at the fields that need it', async () => {
  expect(await ask('{ worker { desk } }')).toEqual({
    data: { worker: { desk: null } },
    errors: [reported('worker', 'desk')],
  });
});

test('also where the client selects another field of the nested object', async () => {
  const { data, errors } = await ask('{ worker { office { name } desk level: floor } }');
  expect(data).toEqual({ worker: { office: { name: 'north' }, desk: null, level: null } });
  expect(errors).toEqual([reported('worker', 'desk'), reported('worker', 'level')]);
});

test('also in lists', async () => {
  const { data, errors } = await ask('{ workers { office { name } desk } }');
  expect(data).toEqual({ workers: [0, 1].map(() => ({ office: { name: 'north' }, desk: null })) });
  expect(errors).toEqual([reported('workers', 0, 'desk'), reported('workers', 1, 'desk')]);
});
