import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { federate, type World } from './world.ts';

let harbor: World;
const failing = new Set<string>();

const unlessFailing =
  (field: string, value: () => unknown): (() => unknown) =>
  () => {
    if (failing.has(field)) throw new Error(`${field} fails`);
    return value();
  };

beforeAll(async () => {
  harbor = await federate({
    ships: {
      sdl: `type Query { ship: Ship fleet: [Ship] }
        type Ship @key(fields: "id") { id: ID! weight: Int hold: Hold crates: [Crate] }
        type Hold { size: Int sealed: Boolean! note: String }
        type Crate @key(fields: "id") { id: ID! }`,
      resolvers: {
        Query: {
          ship: () => ({ id: '1' }),
          fleet: () => Array.from({ length: 1_500 }, (_, at) => ({ id: String(at) })),
        },
        Ship: {
          __resolveReference: (key: object) => key,
          weight: unlessFailing('weight', () => 40),
          hold: () => ({}),
          crates: () => [{ id: 'a' }, { id: 'b' }],
        },
        Hold: { size: () => 9, sealed: unlessFailing('sealed', () => true), note: unlessFailing('note', () => 'dry') },
        Crate: { __resolveReference: (key: object) => key },
      },
    },
    crates: {
      sdl: 'type Crate @key(fields: "id") { id: ID! mass: Int label: String }',
      resolvers: {
        Crate: { __resolveReference: (key: object) => key, mass: () => 3, label: () => 'fragile' },
      },
    },
    fees: {
      sdl: `type Ship @key(fields: "id") { id: ID! weight: Int @external hold: Hold @external crates: [Crate] @external
          fee: Int @requires(fields: "weight") rent: Int @requires(fields: "hold { size }")
          toll: Int @requires(fields: "crates { mass }") }
        type Hold { size: Int @external } type Crate @key(fields: "id") { id: ID! mass: Int @external }`,
      resolvers: {
        Ship: {
          __resolveReference: (given: object) => given,
          fee: ({ weight }: { weight: number | null }) => (weight ?? -1) * 2,
          rent: ({ hold }: { hold: { size: number } | null }) => (hold?.size ?? -1) * 2,
          toll: ({ crates }: { crates: { mass: number }[] }) => crates.reduce((sum, { mass }) => sum + mass, 0),
        },
      },
    },
  });
});
afterEach(() => {
  failing.clear();
  harbor.down.clear();
});
afterAll(() => harbor.close());

const pathsOf = ({ errors = [] }: { readonly errors?: readonly { readonly path?: unknown }[] }) =>
  errors.map(({ path }) => path);

test('fields are computed from what they require', async () => {
  expect(await harbor.ask('{ ship { fee rent toll } }')).toEqual({ data: { ship: { fee: 80, rent: 18, toll: 6 } } });
});

test.each([
  ['{ ship { fee } }', { fee: null }, [['ship', 'fee']]],
  [
    '{ ship { heavy: weight fee } }',
    { heavy: null, fee: null },
    [
      ['ship', 'heavy'],
      ['ship', 'fee'],
    ],
  ],
])('a field is not computed from a null that stands for an error: %s', async (text, ship, paths) => {
  failing.add('weight');
  harbor.forget();
  const result = await harbor.ask(text);
  expect(result.data).toEqual({ ship });
  expect(pathsOf(result)).toEqual(paths);
  expect(harbor.calls.filter(({ subgraph }) => subgraph === 'fees')).toEqual([]);
});

test('an error that takes away a required object is also reported at the field that requires it', async () => {
  failing.add('sealed');
  const result = await harbor.ask('{ ship { hold { sealed } rent } }');
  expect(result.data).toEqual({ ship: { hold: null, rent: null } });
  expect(pathsOf(result)).toEqual([
    ['ship', 'hold', 'sealed'],
    ['ship', 'rent'],
  ]);
});

test('an error beside what is required changes nothing for the field that requires it', async () => {
  failing.add('weight');
  expect(await harbor.ask('{ ship { weight rent } }')).toMatchObject({
    data: { ship: { weight: null, rent: 18 } },
    errors: [{ path: ['ship', 'weight'] }],
  });
});

test.each([
  ['{ ship { toll } }', { toll: null }, [['ship', 'toll']]],
  ['{ ship { crates { id } toll } }', { crates: [{ id: 'a' }, { id: 'b' }], toll: null }, [['ship', 'toll']]],
  [
    '{ ship { crates { label } toll } }',
    { crates: [{ label: null }, { label: null }], toll: null },
    [
      ['ship', 'crates'],
      ['ship', 'toll'],
    ],
  ],
])(
  'objects that a service did not return are reported at the fields that require them: %s',
  async (text, ship, paths) => {
    harbor.down.add('crates');
    const result = await harbor.ask(text);
    expect(result.data).toEqual({ ship });
    expect(pathsOf(result)).toEqual(paths);
  },
);

test('a field at one of two places of one request is not computed either', async () => {
  failing.add('weight');
  const result = await harbor.ask('{ a: ship { fee } b: ship { fee } }');
  expect(result.data).toEqual({ a: { fee: null }, b: { fee: null } });
  expect(pathsOf(result)).toEqual([
    ['a', 'fee'],
    ['b', 'fee'],
  ]);
});

test('an error beside what is required is not reported at a field that fails for another reason', async () => {
  failing.add('note');
  harbor.down.add('fees');
  const result = await harbor.ask('{ ship { hold { note } rent } }');
  expect(result.data).toEqual({ ship: { hold: { note: null }, rent: null } });
  expect(pathsOf(result)).toEqual([['ship', 'hold', 'note'], ['ship']]);
});

test('a field with an alias that every object has gets the error of what it requires', async () => {
  failing.add('weight');
  const result = await harbor.ask('{ ship { toString: fee } }');
  expect(pathsOf(result)).toEqual([['ship', 'toString']]);
});

test('no field is computed where a service reports more errors than are relayed', async () => {
  failing.add('weight');
  const { data } = await harbor.ask('{ fleet { fee } }');
  expect(data).toEqual({ fleet: Array.from({ length: 1_500 }, () => ({ fee: null })) });
});
