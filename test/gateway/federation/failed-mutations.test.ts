import { expect, test } from '@jest/globals';
import { federate } from './world.ts';

const run: string[] = [];
const ran = (name: string, value: number | null) => () => {
  run.push(name);
  return value;
};
const world = await federate({
  one: {
    sdl: 'type Query { q: Int } type Mutation { sure: Int! maybe: Int }',
    resolvers: { Mutation: { sure: ran('sure', null), maybe: ran('maybe', null) } },
  },
  other: { sdl: 'type Mutation { next: Int }', resolvers: { Mutation: { next: ran('next', 1) } } },
});

test('after a null in a non-null field of a mutation the following fields are not run', async () => {
  run.length = 0;
  const { data, errors } = await world.ask('mutation { sure next }');
  expect(data).toBeNull();
  expect(errors).toHaveLength(1);
  expect(run).toEqual(['sure']);
});

test('after a null in a nullable one they are', async () => {
  run.length = 0;
  expect(await world.ask('mutation { maybe next }')).toEqual({ data: { maybe: null, next: 1 } });
  expect(run).toEqual(['maybe', 'next']);
});
