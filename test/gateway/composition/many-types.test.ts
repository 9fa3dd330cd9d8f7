import { expect, test } from '@jest/globals';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])\n';

/** A service whose types each lead to the next one, the last one to the first of the other service. */
function chain(name: string, other: string, types: number): string {
  const all = Array.from({ length: types }, (_, index) => {
    const next = index + 1 < types ? `${name}${index + 1}` : `${other}0`;
    return `type ${name}${index} ${index === 0 ? '@key(fields: "id")' : ''} { id: ID! next: ${next} }`;
  });
  return `${LINK} type Query { ${name.toLowerCase()}: ${name}0 } ${all.join('\n')} type ${other}0 @key(fields: "id") { id: ID! }`;
}

test('subgraphs with a chain of thousands of types compose', async () => {
  const composed = await composeSubgraphs([
    { name: 'a', sdl: chain('A', 'B', 1_500) },
    { name: 'b', sdl: chain('B', 'A', 1_500) },
  ]);
  expect(composed).not.toHaveProperty('problems');
});

test('large subgraphs are composed by the same rules', async () => {
  const composed = await composeSubgraphs([
    {
      name: 'a',
      sdl: `${chain('A', 'B', 200)} type Mutation { m: Payload } type Payload { query: Query @op(id: "x") }
        directive @op(id: ID) on FIELD_DEFINITION`,
    },
    { name: 'b', sdl: chain('B', 'A', 200) },
  ]);
  expect(composed).not.toHaveProperty('problems');
});

test('an unreachable type among thousands is reported with the whole path to it', async () => {
  const sdl = chain('A', 'B', 200);
  const composed = await composeSubgraphs([
    { name: 'a', sdl },
    {
      name: 'b',
      // Nobody gets from A199 to what it has here: there is no key.
      sdl: `${chain('B', 'A', 100)} type A199 { hidden: String }`,
    },
  ]);
  const messages = 'problems' in composed ? composed.problems.map(({ message }) => message) : [];
  expect(messages).toEqual(expect.arrayContaining([expect.stringContaining('cannot be satisfied by the subgraphs')]));
  const [way = ''] = messages.filter((message) => message.includes('hidden'));
  expect(way.match(/^ +next \{$/gm)).toHaveLength(199);
});
