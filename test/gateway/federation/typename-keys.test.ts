import { expect, test } from '@jest/globals';
import { federate } from './world.ts';

test('an entity that is known by its type alone is asked for with a requirement that is null', async () => {
  const sent: unknown[] = [];
  const world = await federate({
    one: {
      sdl: 'type Query { clock: Clock } type Clock @key(fields: "__typename") { zone: String }',
      resolvers: { Query: { clock: () => ({}) }, Clock: { zone: () => null } },
    },
    two: {
      sdl: `type Clock @key(fields: "__typename") { zone: String @external label: String @requires(fields: "zone") }`,
      resolvers: {
        Clock: {
          __resolveReference: (representation: object) => {
            sent.push(representation);
            return representation;
          },
          label: ({ zone }: { zone: string | null }) => `in ${zone ?? 'no zone'}`,
        },
      },
    },
  });
  expect(await world.ask('{ clock { label } }')).toEqual({ data: { clock: { label: 'in no zone' } } });
  expect(sent).toEqual([{ __typename: 'Clock', zone: null }]);
});
