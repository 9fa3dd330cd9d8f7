import { expect, test } from '@jest/globals';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import fc from 'fast-check';
import { buildSchema, type ExecutionResult, execute, parse, printSchema } from 'graphql';
import { type FederatedGraph, responseObject } from '../../../gateway/planning/joins/index.ts';
import { openFederatedGraph } from './open-federated-graph.ts';
import { sending } from './sending.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@requires", "@external"])\n';
const SDL = {
  shop: `type Query { items: [Item!] one: Item! animal: Animal lists: [[Int!]] }
    type Item @key(fields: "id") { id: ID! title: String kind: Kind weight: Int! }
    enum Kind { BIG SMALL } interface Animal { id: ID! name: String! }
    type Cat implements Animal @key(fields: "id") { id: ID! name: String! }
    type Dog implements Animal @key(fields: "id") { id: ID! name: String! friend: Animal }`,
  prices: `type Item @key(fields: "id") { id: ID! price: Float! tags: [String!] weight: Int! @external
      postage: Int @requires(fields: "weight") }
    type Cat @key(fields: "id") { id: ID! legs: Int! }`,
};
const DOCUMENT = `{ items { __typename id title kind price tags postage } one { title price }
  animal { __typename id ... on Cat { legs } ... on Dog { name friend { __typename id name } } } lists }`;

const ITEM = (id: string): Json => ({ __typename: 'Item', id, title: 't', kind: 'BIG', weight: 3 });
const ANSWERS: Record<string, Json> = {
  shop: {
    data: {
      items: [ITEM('1'), ITEM('2')],
      one: ITEM('3'),
      animal: { __typename: 'Dog', id: 'd', name: 'Rex', friend: { __typename: 'Cat', id: 'c', name: 'Tom' } },
      lists: [[1, 2], null, []],
    },
  },
  prices: {
    data: Object.fromEntries(
      ['_entities', '_e0', '_e1', '_e2'].map((key) => [
        key,
        ['1', '2', '3'].map(() => ({ __typename: 'Item', price: 1.5, tags: ['a'], postage: 7, legs: 4 })),
      ]),
    ),
  },
};

const RUNS = Number(process.env.FEDERATION_RUNS ?? 300);

/** What takes the place of some part of an answer. */
const ODD: readonly (Json | undefined)[] = [
  ...[undefined, null, null, 0, -1.5, '', 'Cat', 'Animal', '__proto__', true, [], [null], [[1]], {}],
  { __typename: 'Dog', id: 'x' },
  { __typename: 'Cat', id: 'y', legs: null },
  { __typename: 7 },
  { constructor: { prototype: { price: 1 } } },
];
const ERRORS: readonly Json[] = [
  [{ message: 'm', path: ['items', 1, 'title'] }],
  [{ message: 'm', path: ['_entities', 0, 'price'], extensions: { code: 'C', service: 'forged' } }],
  [
    { message: 'm', path: ['_entities', 99] },
    { message: 'n', path: [{}, null] },
  ],
  [{ message: 'm', path: ['animal', 'friend', 'name'] }, {}],
  [{ message: 4, locations: 'here', path: 'items' }, null, 'odd'],
  {},
  [],
];

function mutated(value: Json, draw: (limit: number) => number): Json | undefined {
  if (draw(7) === 0) return ODD[draw(ODD.length)];
  if (Array.isArray(value)) return value.map((item) => mutated(item, draw) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mutated(item, draw)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as Json;
}

function openGraph(): { graph: FederatedGraph<undefined>; become: (answers: Record<string, string>) => void } {
  const services = Object.entries(SDL).map(([name, typeDefs]) => ({
    name,
    typeDefs: parse(LINK + typeDefs),
    url: 'http://none',
  }));
  const composed = composeServices(services);
  if (compositionHasErrors(composed)) throw new Error(String(composed.errors));
  let answers: Record<string, string> = {};
  const send = sending<undefined>(async (subgraph) => answers[subgraph] ?? '');
  return {
    graph: openFederatedGraph(composed.supergraphSdl, send),
    become: (next) => {
      answers = next;
    },
  };
}

test(
  'for any subgraph response, the result fits the schema, and a null in a non-null position is reported',
  async () => {
    const { graph, become } = openGraph();
    // Values of scalars are the subgraphs' own: what clients are told is what they say.
    const anyScalar = printSchema(graph.publicSchema).replace(/\b(Int|Float|String|ID|Boolean)\b/g, 'Any');
    const schema = buildSchema(`${anyScalar} scalar Any`);
    const document = parse(DOCUMENT);
    const prepared = graph.prepare(DOCUMENT);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(10_000), { minLength: 10, maxLength: 150 }), async (decisions) => {
        let at = 0;
        const draw = (limit: number) => (decisions[at++] ?? 1) % limit;
        const answers = Object.entries(ANSWERS).map(([name, answer]) => {
          const changed = mutated(answer, draw);
          const errors = draw(3) === 0 ? { errors: ERRORS[draw(ERRORS.length)] } : {};
          const isObject = typeof changed === 'object' && changed !== null && !Array.isArray(changed);
          return [name, JSON.stringify(isObject ? { ...changed, ...errors } : (changed ?? 'gone'))] as const;
        });
        become(Object.fromEntries(answers));
        const { data, errors } = responseObject(await prepared.run({}, undefined));
        if (data === null) expect(errors?.length).toBeGreaterThan(0);
        else {
          // Data that the schema allows comes out as it went in.
          const again = (await execute({ schema, document, rootValue: data })) as ExecutionResult;
          expect({ errors: again.errors, data: JSON.parse(JSON.stringify(again.data)) }).toEqual({
            errors: undefined,
            data,
          });
        }
        for (const { message, path, extensions } of errors ?? []) {
          expect(typeof message).toBe('string');
          expect(extensions.service).not.toBe('forged');
          if (path) expect(valueAt(data, path)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
    expect(({} as { price?: unknown }).price).toBeUndefined();
  },
  120_000 + RUNS * 1_000,
);

/** Whether a path leads through the data, up to where it is null. */
function valueAt(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const key of path) {
    if (value === null) return true;
    if (typeof value !== 'object' || !Object.hasOwn(value as object, key)) return false;
    value = (value as Record<string | number, unknown>)[key];
  }
  return true;
}
