import { beforeEach, expect, test } from '@jest/globals';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { copy } from '../../../gateway/planning/joins/execute/merge.ts';
import { type FederatedGraph, responseObject } from '../../../gateway/planning/joins/index.ts';
import { openFederatedGraph } from './open-federated-graph.ts';
import { sending } from './sending.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])\n';

/** What the subgraphs answer, whatever they are asked, and what they were asked. */
let answers: Record<string, string>;
let asked: string[];

function openGraph(): FederatedGraph<undefined> {
  return openGraphOf({
    shop: `type Query { items: [Item] one: Item animal: Animal } type Item @key(fields: "id") { id: ID! title: String size: Float }
      interface Animal { id: ID! } type Cat implements Animal @key(fields: "id") { id: ID! }
      type Dog implements Animal @key(fields: "id") { id: ID! }`,
    prices: `type Query { offers: Int } type Item @key(fields: "id") { id: ID! price: Float name: String }
      type Cat @key(fields: "id") { id: ID! legs: Int }`,
  });
}

/** Animals, of which other services answer this. */
function openZoo(zoo: string, vet = '') {
  answers = { zoo, vet };
  return openGraphOf({
    zoo: `type Query { animals: [Animal] } interface Animal { id: ID! }
      type Cat implements Animal @key(fields: "id") { id: ID! meals: [Meal!]! } type Dog implements Animal { id: ID! }
      type Meal { food: String! }`,
    vet: 'type Cat @key(fields: "id") { id: ID! legs: Int! tails: Int! }',
  });
}

function openGraphOf(sdl: Record<string, string>): FederatedGraph<undefined> {
  const composed = composeServices(
    Object.entries(sdl).map(([name, typeDefs]) => ({ name, typeDefs: parse(LINK + typeDefs), url: 'http://none' })),
  );
  if (compositionHasErrors(composed)) throw new Error(String(composed.errors));
  return openFederatedGraph(
    composed.supergraphSdl,
    sending(async (subgraph, body) => {
      asked.push(body);
      return answers[subgraph] ?? '';
    }),
  );
}
const graph = openGraph();
beforeEach(() => {
  answers = {};
  asked = [];
});

const ask = async (document: string) => responseObject(await graph.prepare(document).run({}, undefined));

const ITEMS = '{"data":{"items":[{"__typename":"Item","id":"1","title":"mine"},{"__typename":"Item","id":"2"}]}}';

test('a service says nothing of what others are asked for', async () => {
  answers = {
    shop: ITEMS,
    prices: '{"data":{"_entities":[{"price":1,"title":"EVIL","id":"EVIL"},{"price":2,"title":"EVIL"}],"items":[]}}',
  };
  expect(await ask('{ items { id title price } }')).toEqual({
    data: {
      items: [
        { id: '1', title: 'mine', price: 1 },
        { id: '2', title: null, price: 2 },
      ],
    },
  });
  answers = { shop: '{"data":{"one":null,"offers":5}}', prices: '{"data":{"offers":7,"one":{"title":"EVIL"}}}' };
  expect(await ask('{ one { title } offers }')).toEqual({ data: { one: null, offers: 7 } });
});

test('an object of another type is none that was asked for', async () => {
  answers = {
    shop: ITEMS,
    prices: '{"data":{"_entities":[{"__typename":"Cat","price":1},{"__typename":"Item","price":2}]}}',
  };
  expect(await ask('{ items { __typename id price } }')).toEqual({
    data: {
      items: [
        { __typename: 'Item', id: '1', price: null },
        { __typename: 'Item', id: '2', price: 2 },
      ],
    },
  });
  answers = {
    shop: '{"data":{"animal":{"__typename":"Cat","id":"1"}}}',
    prices: '{"data":{"_entities":[{"__typename":"Dog","legs":3}]}}',
  };
  expect(await ask('{ animal { __typename ... on Cat { legs } } }')).toEqual({
    data: { animal: { __typename: 'Cat', legs: null } },
  });
});

test('missing or invalid entities are null, and excess ones are ignored', async () => {
  for (const [entities, prices] of [
    ['[]', [null, null]],
    ['[{"price":1}]', [1, null]],
    ['[{"price":1},{"price":2},{"price":3}]', [1, 2]],
    ['[[{"price":1}],"x"]', [null, null]],
    ['{"price":1}', [null, null]],
    ['null', [null, null]],
    ['[{"__proto__":{"price":5},"constructor":{"prototype":{"price":6}}},{"price":2}]', [null, 2]],
  ] as const) {
    answers = { shop: ITEMS, prices: `{"data":{"_entities":${entities}}}` };
    expect(await ask('{ items { price } }')).toEqual({ data: { items: prices.map((price) => ({ price })) } });
  }
  expect(({} as { price?: unknown }).price).toBeUndefined();
});

test('the path of an error is the client’s to its end, through types and lists that are null because of it', async () => {
  const zoo = openZoo(
    '{"data":{"animals":[null]},"errors":[{"message":"hungry","path":["animals",0,"meals",1,"name_of_food"]}]}',
  );
  const document = '{ animals { ... on Cat { meals { name_of_food: food } } ... on Dog { id } } }';
  const { data, errors } = await zoo.prepare(document).run({}, undefined);
  expect([data, errors]).toMatchObject([
    ['{"animals":[null]}'],
    [{ message: 'hungry', path: ['animals', 0, 'meals', 1, 'name_of_food'] }],
  ]);
});

test('a null below a reported error is not reported again', async () => {
  const zoo = openZoo(
    '{"data":{"animals":[{"__typename":"Cat","id":"1"}]}}',
    '{"data":{"_entities":[null]},"errors":[{"message":"asleep","path":["_entities",0,"legs"]}]}',
  );
  const { data, errors } = await zoo.prepare('{ animals { ... on Cat { tails legs } } }').run({}, undefined);
  expect([data, errors]).toMatchObject([['{"animals":[null]}'], [{ message: 'asleep', path: ['animals', 0, 'legs'] }]]);
});

test('a number that no double holds is none', async () => {
  answers = {
    shop: '{"data":{"one":{"__typename":"Item","id":1e999,"size":-1e999}}}',
    prices: '{"data":{"_entities":[{"price":1e999,"name":"n"}]}}',
  };
  expect(await ask('{ one { size price name } }')).toMatchObject({
    data: { one: { size: null, price: null } },
    errors: [{ path: ['one', 'size'] }, { path: ['one', 'price'] }],
  });
  expect(() => asked.map((body) => JSON.parse(body))).not.toThrow();
});

test('a value of a JSON scalar is copied with all of its members, whatever their names', () => {
  const text = '{"a":[{"__proto__":{"b":1},"constructor":2}]}';
  const copied = copy(JSON.parse(text));
  expect(JSON.stringify(copied)).toBe(text);
  expect(copied.a[0].b).toBeUndefined();
});

test('errors beyond a thousand are left out, wherever they are reported', async () => {
  const many = (error: object) =>
    JSON.stringify({ data: { _entities: [null, null] }, errors: Array(3_000).fill(error) });
  const places = Array(2_000).fill({ __typename: 'Item', id: '1' });
  answers.shop = JSON.stringify({ data: { items: places } });
  const errorsOf = async () => (await ask('{ items { price } }')).errors ?? [];
  for (const error of [{ message: 'closed' }, { message: 'closed', path: ['_entities', 0, 'price'] }]) {
    answers.prices = many(error);
    const errors = await errorsOf();
    expect(errors.length).toBeLessThan(1_100);
    expect([errors[999]?.message, errors[1_000]?.message]).toEqual([
      'closed',
      'services reported further errors, which are omitted',
    ]);
  }
});
