import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, until } from '../harness/index.ts';
import { openRicherActions } from './richer-types.ts';

const actions = await openRicherActions();
afterAll(actions.close);
const { call, gateway, tokenOf } = actions;

const MISSING = '"__typename" expected in webhook response for a value of type Pet, but not found';
const WRONG = '"__typename" in webhook response is not one of the types of Pet';
const NO_OBJECT = 'expecting an object with "__typename" for a value of type Pet';
const cat = { __typename: 'Cat', name: 'Tom', lives: 9, owner_id: '7' };
const dog = { __typename: 'Dog', name: 'Rex', volume: 11, friend: cat };

describe('a value of an interface or union', () => {
  test('has the type that its `__typename` names', async () => {
    const query = `{ pets { __typename name friend { ...one } ...one ... on Loud { volume } ... on Pet { known: name } } }
      fragment one on Cat { lives type: __typename }`;
    expect((await call(query, [cat, dog, null])).body).toEqual({
      data: {
        pets: [
          { __typename: 'Cat', name: 'Tom', friend: null, lives: 9, type: 'Cat', known: 'Tom' },
          { __typename: 'Dog', name: 'Rex', friend: { lives: 9, type: 'Cat' }, volume: 11, known: 'Rex' },
          null,
        ],
      },
    });
  });

  test('may be deep in an object', async () => {
    const query =
      '{ home { guests { __typename ... on Plain { name } } first { ... on Cat { lives } } rooms { first { __typename } } } }';
    const plain = { __typename: 'Plain', name: 'p' };
    expect((await call(query, { guests: [plain, cat], first: cat, rooms: [{ first: plain }] })).body).toEqual({
      data: {
        home: {
          guests: [{ __typename: 'Plain', name: 'p' }, { __typename: 'Cat' }],
          first: { lives: 9 },
          rooms: [{ first: { __typename: 'Plain' } }],
        },
      },
    });
  });

  test('is joined with other services', async () => {
    const query = '{ pets { name ... on Cat { owner { name } } friend { __typename ... on Cat { owner { name } } } } }';
    expect((await call(query, [cat, dog, null])).body).toEqual({
      data: {
        pets: [
          { name: 'Tom', owner: { name: 'owner 7' }, friend: null },
          { name: 'Rex', friend: { __typename: 'Cat', owner: { name: 'owner 7' } } },
          null,
        ],
      },
    });
  });

  test('with a wrong type is an error where it is joined with other services', async () => {
    const query = '{ pets { name ... on Cat { owner { name } } friend { name } } }';
    const { body } = await call(query, [cat, { __typename: 'Wolf' }, { ...dog, friend: {} }]);
    expect(body.data).toEqual({
      pets: [{ name: 'Tom', owner: { name: 'owner 7' }, friend: null }, null, { name: 'Rex', friend: null }],
    });
    expect(body.errors).toMatchObject([
      { message: WRONG, path: ['pets', 1], extensions: { code: 'unexpected' } },
      { message: MISSING, path: ['pets', 2, 'friend'], extensions: { code: 'unexpected' } },
    ]);
  });

  test.each([
    ['no type', { name: 'x' }, MISSING],
    ['a null type', { __typename: null }, MISSING],
    ['the name of another type', { __typename: 'Plain', name: 'x' }, WRONG],
    ['the name of the interface', { __typename: 'Pet', name: 'x' }, WRONG],
    ['a name of JavaScript’s', { __typename: '__proto__' }, WRONG],
    ['another name of JavaScript’s', { __typename: 'constructor' }, WRONG],
    ['an object for a name', { __typename: { toString: 'Cat' } }, WRONG],
    ['a list for a name', { __typename: ['Cat'] }, WRONG],
    ['a very long name', { __typename: 'Cat'.repeat(400_000) }, WRONG],
  ])('with %s is an error', async (_, value, message) => {
    const single = await call('{ pet { name } }', value);
    expect([single.status, single.body.data]).toEqual([200, { pet: null }]);
    expect(single.body.errors).toMatchObject([
      { message, path: ['pet'], extensions: { code: 'unexpected', path: '$' } },
    ]);
    expect(JSON.stringify(single.body).length).toBeLessThan(500);

    const nested = await call('{ pet { name friend { name } } }', { ...cat, friend: value });
    expect(nested.body.data).toEqual({ pet: { name: 'Tom', friend: null } });
    expect(nested.body.errors).toMatchObject([
      { message, path: ['pet', 'friend'], extensions: { code: 'unexpected' } },
    ]);
  });

  test('with an own `__proto__` is read by its own `__typename` only', async () => {
    const hostile = JSON.parse('{"__proto__":{"__typename":"Cat","lives":3},"name":"x"}');
    const { body } = await call('{ home { guests { ... on Cat { lives } } first { __typename } } }', {
      guests: [hostile],
      first: cat,
    });
    expect(body.data).toEqual({ home: { guests: [null], first: { __typename: 'Cat' } } });
  });

  test('is checked one by one in a list', async () => {
    const { body } = await call('{ pets { name } }', [cat, 5, 'x', [cat], {}, true, { __typename: 'Wolf' }, dog]);
    expect(body.data).toEqual({
      pets: [{ name: 'Tom' }, null, null, null, null, null, null, { name: 'Rex' }],
    });
    expect(body.errors?.map(({ path, message }) => [path, message])).toEqual([
      [['pets', 1], NO_OBJECT],
      [['pets', 2], NO_OBJECT],
      [['pets', 3], NO_OBJECT],
      [['pets', 4], MISSING],
      [['pets', 5], NO_OBJECT],
      [['pets', 6], WRONG],
    ]);
  });

  test('does not cause more errors than a response may have', async () => {
    const garbage = (length: number) => Array.from({ length }, () => ({}));
    const most = await call('{ pets { name } }', garbage(100));
    expect(most.body.errors).toHaveLength(100);
    const { body } = await call('{ pets { name } }', garbage(50_000));
    expect(body.data).toEqual({ pets: null });
    expect(body.errors).toMatchObject([
      {
        message: 'more than 100 values of the webhook response do not fit their types',
        path: ['pets'],
        extensions: { code: 'unexpected' },
      },
    ]);
  });

  test('takes its nullable parent with it where null is not allowed', async () => {
    const inList = await call('{ sure { name } }', [cat, {}]);
    expect(inList.body.data).toBeNull();
    expect(inList.body.errors).toMatchObject([{ message: MISSING, path: ['sure', 1] }]);
    const inObject = await call('{ home { rooms { first { __typename } } first { __typename } } }', {
      first: cat,
      rooms: [{ first: {} }],
    });
    expect(inObject.body.data).toEqual({ home: { rooms: null, first: { __typename: 'Cat' } } });
    expect(inObject.body.errors).toMatchObject([{ path: ['home', 'rooms', 0, 'first'] }]);
  });

  test('is refused if it is nested a hundred thousand times', async () => {
    actions.answerText(`${'{"__typename":"Dog","friend":'.repeat(100_000)}null${'}'.repeat(100_000)}`);
    const { body } = await call('{ pet { friend { friend { __typename } } } }');
    actions.answerText(undefined);
    expect(body.errors).toMatchObject([
      { message: 'the webhook response is nested more than 500 levels deep', extensions: { code: 'unexpected' } },
    ]);
    expect((await call('{ pet { name } }', cat)).body.data).toEqual({ pet: { name: 'Tom' } });
  });

  test('with a wrong type is an error over REST', async () => {
    await call('{ sku }', { __typename: 'Wolf' });
    const answer = await gateway.send('/api/rest/pet', { headers: bearer(tokenOf('user')) });
    expect([answer.status, answer.body]).toEqual([400, { path: '$', error: WRONG, code: 'unexpected' }]);
  });

  test('may be nested a hundred times', async () => {
    let value: unknown = cat;
    for (let depth = 0; depth < 100; depth++) value = { ...dog, friend: value };
    const { body } = await call('{ pet { friend { friend { friend { name } } } } }', value);
    expect(body.data).toEqual({ pet: { friend: { friend: { friend: { name: 'Rex' } } } } });
  });
});

describe('an interface or union', () => {
  test('is shown by introspection with its types', async () => {
    const query = `{
      pet: __type(name: "Pet") { kind description fields { name } possibleTypes { name } }
      loud: __type(name: "Loud") { interfaces { name } possibleTypes { name } }
      dog: __type(name: "Dog") { interfaces { name } }
      guest: __type(name: "Guest") { kind possibleTypes { name } }
    }`;
    expect((await call(query)).body.data).toEqual({
      pet: {
        kind: 'INTERFACE',
        description: 'An animal with a name',
        fields: [{ name: 'name' }, { name: 'friend' }],
        possibleTypes: [{ name: 'Cat' }, { name: 'Dog' }],
      },
      loud: { interfaces: [{ name: 'Pet' }], possibleTypes: [{ name: 'Dog' }] },
      dog: { interfaces: [{ name: 'Pet' }, { name: 'Loud' }] },
      guest: { kind: 'UNION', possibleTypes: [{ name: 'Cat' }, { name: 'Plain' }] },
    });
  });

  test('is not seen by a role without an action that uses it', async () => {
    const query =
      '{ pet: __type(name: "Pet") { name } cat: __type(name: "Cat") { name } plain: __type(name: "Plain") { name } }';
    const { body } = await gateway.graphql(query, { token: tokenOf('plain') });
    expect(body.data).toEqual({ pet: null, cat: null, plain: { name: 'Plain' } });
  });

  test('refuses fragments of types that it does not have', async () => {
    expect((await call('{ pet { ... on Plain { name } } }')).body.errors).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
  });
});

describe('the result of an asynchronous action', () => {
  const resultOf = async (value: unknown) => {
    const accepted = await call('mutation { adopt(name: "x") }', value);
    const { adopt: id } = accepted.body.data as { adopt: string };
    const query = `{ adopt(id: "${id}") { errors output { __typename name ... on Cat { lives owner { name } } friend { name } } } }`;
    return until('the job has ended', async () => {
      const { body } = await gateway.graphql(query, { token: tokenOf('user') });
      const { output, errors } = (body.data as { adopt: { output: unknown; errors: unknown } }).adopt;
      return output || errors || body.errors ? body : undefined;
    });
  };

  test('has the type that the handler named', async () => {
    expect(await resultOf({ ...cat, friend: dog, extra: 1 })).toEqual({
      data: {
        adopt: {
          errors: null,
          output: { __typename: 'Cat', name: 'Tom', lives: 9, owner: { name: 'owner 7' }, friend: { name: 'Rex' } },
        },
      },
    });
  });

  test('fails if it is nested too deeply, and the gateway goes on', async () => {
    actions.answerText(`${'{"__typename":"Dog","friend":'.repeat(100_000)}null${'}'.repeat(100_000)}`);
    const result = await resultOf(undefined);
    actions.answerText(undefined);
    expect(result).toMatchObject({ data: { adopt: { errors: { code: 'unexpected' }, output: null } } });
    expect(await resultOf(cat)).toMatchObject({ data: { adopt: { output: { name: 'Tom' } } } });
  });

  test('fails if it is nested too deeply without any interface', async () => {
    actions.answerText(`${'{"nest":'.repeat(100_000)}null${'}'.repeat(100_000)}`);
    const accepted = await call('mutation { nest }');
    const { nest: id } = accepted.body.data as { nest: string };
    const errors = await until('the job has ended', async () => {
      const { body } = await call(`{ nest(id: "${id}") { errors } }`);
      return (body.data as { nest: { errors: unknown } }).nest.errors ?? undefined;
    });
    actions.answerText(undefined);
    expect(errors).toMatchObject({ code: 'unexpected' });
  });

  test('fails with a wrong type', async () => {
    expect(await resultOf({ __typename: 'Wolf' })).toEqual({
      data: { adopt: { errors: { path: '$', error: WRONG, code: 'unexpected' }, output: null } },
    });
  });

  test('has an error where a type is wrong deep in it', async () => {
    const { data, errors } = (await resultOf({ ...cat, friend: { __typename: 'Wolf' } })) as {
      data: unknown;
      errors: unknown;
    };
    expect(data).toMatchObject({ adopt: { output: { name: 'Tom', friend: null } } });
    expect(errors).toMatchObject([{ message: MISSING, path: ['adopt', 'output', 'friend'] }]);
  });
});
