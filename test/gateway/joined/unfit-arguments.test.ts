import { afterAll, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { plain, type Resolvers } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const CODES = ['7', '-1.5e1', 'abc', '', ' 8', '0x10'];
const toSensor = { sensor: { arguments: { number: '$code' } } };
const relationship = { remote_schema: 'sensors', lhs_fields: ['code'], remote_field: toSensor };
const machines = await plain(
  'machines',
  'scalar Code type Query { machines: [Machine!]! } type Machine { code: Code }',
  { Query: { machines: () => CODES.map((code) => ({ code })) } },
  {
    remote_relationships: [
      { type_name: 'Machine', relationships: [{ name: 'sensor', definition: { to_remote_schema: relationship } }] },
    ],
  },
);
const sensors = await plain('sensors', 'type Query { sensor(number: Float): Sensor } type Sensor { number: Float }', {
  Query: { sensor: (_: unknown, { number }: { readonly number?: number | null }) => ({ number: number ?? 0 }) },
} as Resolvers);
for (const { upstream } of [machines, sensors]) await keep(upstream);
const metadata = { 'remote_schemas.yaml': [machines, sensors].map(({ entry }) => entry) };
const gateway = await keep(openGateway({ issuer, metadata }));

test('a text that is no number is not sent as null or as zero', async () => {
  await gateway.graphql('{ machines { sensor { number } } }', { token: issuer.token() });
  const [{ body } = { body: undefined }] = sensors.upstream.operations();
  expect(Object.values(body?.variables ?? {})).toEqual([7, -15, 'abc', '', ' 8', '0x10']);
});
