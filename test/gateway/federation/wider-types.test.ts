import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import { widenFields } from '../../../gateway/planning/supergraph/index.ts';
import { eventsRequest } from './open-federated-graph.ts';
import { federate } from './world.ts';

const WORKS = `interface Work { id: ID! }
  type Song implements Work @key(fields: "id") { id: ID! title: String @shareable }
  type Play implements Work @key(fields: "id") { id: ID! title: String @shareable }
  union Item = Song | Play`;
const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable",
  "@override", "@external"])\n`;

async function composed(first: string, second: string): Promise<string> {
  const result = await composeSubgraphs([
    { name: 'first', sdl: `${LINK}${WORKS} ${first}` },
    { name: 'second', sdl: `${LINK}${WORKS} ${second}` },
  ]);
  if ('problems' in result) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.publicSchema.join('\n');
}

test('an operation may ask for what only the wider type knows, whichever service answers it', async () => {
  const song = { __typename: 'Song', id: 's1', title: 'Air' };
  const own = (id: string) => ({ id, top: song, all: [song], label: 'L', size: 1 });
  const Shelf = { __resolveReference: ({ id }: { id: string }) => own(id) };
  const world = await federate({
    narrow: {
      sdl: `${WORKS} type Query { best: Song @shareable shelf: Shelf @shareable } type Subscription { filled: Shelf }
        type Shelf @key(fields: "id") { id: ID! top: Song @shareable all: [Song!]! @shareable label: String }`,
      resolvers: { Query: { best: () => song, shelf: () => own('1') }, Shelf },
    },
    wide: {
      sdl: `${WORKS} type Query { best: Work @shareable shelf: Shelf @shareable }
        type Shelf @key(fields: "id") { id: ID! top: Item @shareable all: [Work!]! @shareable size: Int }`,
      resolvers: { Query: { best: () => song, shelf: () => own('1') }, Shelf },
    },
  });
  const works = `top { __typename ... on Song { id title } ... on Play { id title } }
    all { __typename id ... on Play { title } ... on Song { title } }`;
  const answer = { top: song, all: [song] };
  try {
    for (const [extra, value] of [
      ['', {}],
      ['label', { label: 'L' }],
      ['size', { size: 1 }],
      ['label size', { label: 'L', size: 1 }],
    ] as const)
      expect(await world.ask(`{ shelf { ${extra} ${works} } }`)).toEqual({ data: { shelf: { ...value, ...answer } } });
    const best = '{ best { __typename id ... on Play { title } ... on Song { title } } }';
    expect(await world.ask(best)).toEqual({ data: { best: song } });
    const asked = world.calls.filter(({ subgraph }) => subgraph === 'narrow').map(({ query }) => query);
    expect(asked).toHaveLength(4);
    expect(asked.join()).not.toContain('Play');
    const planned = await world.graph.prepareSubscription(`subscription { filled { ${works} } }`).plan({});
    expect(eventsRequest(planned, {}).query).not.toContain('Play');
    world.forget();
    // Where nothing is left to ask, the object is still told from null.
    expect(await world.ask('{ shelf { label all { ... on Play { title } } } }')).toEqual({
      data: { shelf: { label: 'L', all: [{}] } },
    });
    expect(world.counts()).toEqual({ narrow: 1 });
  } finally {
    await world.close();
  }
});

test('the widest type counts in any order of the services, through lists, in interfaces and at the root', async () => {
  const narrow = `interface Holder { held: Song } type Query { best: Song @shareable }
    type Box implements Holder @key(fields: "id") { id: ID! held: Song @shareable all: [Song!]! @shareable any: Song! @shareable }`;
  const wide = `interface Holder { held: Work } type Query { best: Work @shareable }
    type Box implements Holder @key(fields: "id") { id: ID! held: Work @shareable all: [Work]! @shareable any: Item! @shareable }`;
  for (const sdl of [await composed(narrow, wide), await composed(wide, narrow)]) {
    expect(sdl).toContain('interface Holder {\n  held: Work\n}');
    expect(sdl).toContain('best: Work\n');
    expect(sdl).toContain('  held: Work\n  all: [Work]!\n  any: Item!\n');
  }
});

test('a root type of another name counts as well', async () => {
  const sdl = await composed(
    'type Query { best: Song @shareable }',
    'schema { query: Root } type Root { best: Work @shareable }',
  );
  expect(sdl).toContain('best: Work\n');
});

test('a field that was taken over has the type of the service that has it now', async () => {
  const sdl = await composed(
    'type Query { box: Box } type Box @key(fields: "id") { id: ID! held: Work }',
    'type Box @key(fields: "id") { id: ID! held: Song @override(from: "first") }',
  );
  expect(sdl).toContain('held: Song\n');
});

test('a supergraph that was composed elsewhere has its fields widened to the types that it states', () => {
  const widened = widenFields(
    parse(`enum join__Graph { A @join__graph(name: "a", url: "") B @join__graph(name: "b", url: "") }
      union Item @join__type(graph: A) = Song | Play
      type Song @join__type(graph: A) { id: ID! }
      type Play @join__type(graph: A) { id: ID! }
      interface Holder @join__type(graph: A) @join__type(graph: B) { held: Song }
      type Box implements Holder @join__type(graph: A) @join__type(graph: B) {
        held: Song @join__field(graph: A, type: "Song") @join__field(graph: B, type: "Item")
        all: [Song] @join__field(graph: A, type: "[Song]") @join__field(graph: B, type: "Item", usedOverridden: true)
      }`),
  );
  const sdl = print(widened);
  expect(sdl).toContain('held: Item @join__field(graph: A, type: "Song") @join__field(graph: B, type: "Item")');
  expect(sdl).toContain('{\n  held: Item\n}');
  expect(sdl).toContain('all: [Song] @join__field');
});

test('a supergraph whose fields are all of one type stays as it is', async () => {
  const world = await federate({ only: { sdl: `${WORKS} type Query { best: Work }` } });
  try {
    const supergraph = parse(world.supergraphSdl);
    expect(widenFields(supergraph, [])).toBe(supergraph);
  } finally {
    await world.close();
  }
});
