import { afterEach, describe, expect, test } from '@jest/globals';
import { keeper, until } from '../harness/index.ts';
import { action, openActionWorld } from './action-world.ts';

const { keep, close } = keeper();
afterEach(close);

describe('the input of an action', () => {
  test('may be of every kind of type', async () => {
    const world = await keep(
      openActionWorld({
        types: `
          type Query { a(i: Int, f: Float, s: String, b: Boolean, id: ID, e: Color, l: [[Int!]], in: Deep, at: timestamptz, any: Anything): Int }
          enum Color { RED GREEN }
          input Deep { color: Color! = GREEN, colors: [Color!], next: Deep, any: Anything, big: bigint }
          scalar Anything
        `,
        actions: [action('a')],
      }),
    );
    const input = {
      i: 1,
      f: 1.5,
      s: 's',
      b: true,
      id: 'x',
      e: 'RED',
      l: [[1, 2], null],
      in: {
        color: 'RED',
        colors: ['GREEN'],
        next: { color: 'GREEN', next: null, any: [{ deep: [1.5, null] }], big: '9223372036854775807' },
      },
      at: '2024-01-01T00:00:00Z',
      any: { __proto: 1, list: ['x'] },
    };
    world.answerWith(200, 1);
    const query = `query ($i: Int, $f: Float, $s: String, $b: Boolean, $id: ID, $e: Color, $l: [[Int!]], $in: Deep, $at: timestamptz, $any: Anything) {
      a(i: $i, f: $f, s: $s, b: $b, id: $id, e: $e, l: $l, in: $in, at: $at, any: $any)
    }`;
    expect((await world.call(query, { variables: input })).body).toEqual({ data: { a: 1 } });
    expect(world.received().body).toMatchObject({ input });

    await world.call(
      '{ a(i: 1, f: 1.5, s: "s", b: true, id: "x", e: RED, l: [[1, 2], null], in: {color: RED, colors: GREEN, next: {next: null, any: [{deep: [1.5, null]}], big: "9223372036854775807"}}, at: "2024-01-01T00:00:00Z", any: {__proto: 1, list: ["x"]}) }',
    );
    expect(world.received().body).toMatchObject({ input });
  });

  test.each([
    ['a(i: 1.5)', 'Expected value of type "Int", found a float.'],
    ['a(i: "1")', 'Expected value of type "Int", found a string.'],
    ['a(s: 1)', 'Expected value of type "String", found an integer.'],
    ['a(e: BLUE)', 'Expected value of type "Color", found an enum value.'],
    ['a(in: {})', 'Field "In.x" of required type "Int!" was not provided.'],
  ])('is judged before the webhook is asked: %s', async (field, message) => {
    const world = await keep(
      openActionWorld({
        types: 'type Query { a(i: Int, s: String, e: Color, in: In): Int } enum Color { RED } input In { x: Int! }',
        actions: [action('a')],
      }),
    );
    expect((await world.call(`{ ${field} }`)).body.errors).toMatchObject([{ message }]);
    expect(world.hook.requests).toHaveLength(0);
  });
});

describe('the output of an action', () => {
  test('may be of every kind of type, and deep down is as the webhook says', async () => {
    const names = ['object', 'list', 'lists', 'scalar', 'scalars', 'color', 'own'] as const;
    const world = await keep(
      openActionWorld({
        types: `
          type Query { object: Node! list: [Node!]! lists: [[Node]] scalar: numeric! scalars: [Int!] color: Color own: Own }
          type Node { id: ID! color: Color! next: Node list: [Node!]! own: Own! tags: [String!]! count: Int! }
          enum Color { RED }
          scalar Own
        `,
        actions: names.map((name) => action(name)),
      }),
    );
    const leaf = { id: 1, color: 'BLUE', next: null, list: [null], own: null, tags: ['a', null, 3], count: 4e12 };
    const node = { id: 'n', color: 'RED', next: leaf, list: [leaf], own: { any: 1 }, tags: [], count: 0 };
    const answers: Record<string, unknown> = {
      object: node,
      list: [node],
      lists: [[node, null], null],
      scalar: '1.50',
      scalars: [1, 2],
      color: 'RED',
      own: { a: [1] },
    };
    world.answerBy(({ url }) => answers[url?.slice(1)]);
    const FIELDS = 'id color own tags count';
    const SELECTION = `{ ${FIELDS} next { ${FIELDS} next { id } list { id } } list { ${FIELDS} next { id } list { id } } }`;
    const { body } = await world.call(
      `{ object ${SELECTION} list ${SELECTION} lists ${SELECTION} scalar scalars color own }`,
    );
    expect(body).toEqual({ data: answers });
  });

  test('of an enum must be one of its values, of a scalar of GraphQL of its type', async () => {
    const world = await keep(
      openActionWorld({
        types: 'type Query { color: Color ids: [ID!]! } enum Color { RED }',
        actions: [action('color'), action('ids')],
      }),
    );
    world.answerWith(200, 'canary-color');
    const { body, text } = await world.call('{ color }');
    expect(body.errors).toMatchObject([
      {
        message: 'got scalar String for the action webhook response, expecting Color',
        extensions: { code: 'unexpected' },
      },
    ]);
    expect(text).not.toContain('canary');
    world.answerWith(200, [1, null]);
    expect((await world.call('{ ids }')).body.errors).toMatchObject([
      { message: 'got null for the action webhook response' },
    ]);
    world.answerWith(200, [1, 'b']);
    expect((await world.call('{ ids }')).body).toEqual({ data: { ids: ['1', 'b'] } });
  });

  test('goes by fragments, aliases, directives and type names', async () => {
    const world = await keep(
      openActionWorld({
        types: 'type Mutation { m: Node } type Node { id: ID! next: Node }',
        actions: [action('m')],
        answer: () => ({ id: '1', next: { id: '2', next: null } }),
      }),
    );
    const { body } = await world.call(
      'mutation ($no: Boolean = false) { x: m { __typename ...F a: next { ... on Node { __typename id @skip(if: true) b: id } c: next { id } } next @include(if: $no) { id } } } fragment F on Node { id }',
    );
    expect(body).toEqual({
      data: { x: { __typename: 'Node', id: '1', a: { __typename: 'Node', b: '2', c: null } } },
    });
  });
});

describe('the schema of an action', () => {
  test('are its types as they are written, and its comment', async () => {
    const world = await keep(
      openActionWorld({
        types:
          'type Query { a: Node } "A node." type Node { id: ID! tags: [String!]! at: timestamptz! } type Unused { x: Int }',
        actions: [{ ...action('a'), comment: 'What it does.' }],
        answer: () => ({ id: '1', tags: ['x'], at: 'now' }),
      }),
    );
    const { body } = await world.call(
      '{ a { id } __type(name: "Node") { description fields { name type { kind ofType { kind name } } } } __schema { types { name } queryType { fields { name description } } } }',
    );
    expect(body.errors).toBeUndefined();
    expect(body.data).toMatchObject({
      a: { id: '1' },
      __type: {
        description: 'A node.',
        fields: [
          { name: 'id', type: { kind: 'NON_NULL', ofType: { name: 'ID' } } },
          { name: 'tags', type: { kind: 'NON_NULL', ofType: { kind: 'LIST' } } },
          { name: 'at', type: { kind: 'NON_NULL', ofType: { name: 'timestamptz' } } },
        ],
      },
      __schema: { queryType: { fields: [{ name: 'a', description: 'What it does.' }] } },
    });
    expect(JSON.stringify(body.data)).not.toMatch(/portico_Anything|Unused/);
  });
});

describe('several actions in one document', () => {
  test('are asked at once when they are queries', async () => {
    const world = await keep(
      openActionWorld({
        types: 'type Query { a: Int b: Int c: Int }',
        actions: ['a', 'b', 'c'].map((name) => action(name)),
      }),
    );
    // Nobody is answered before everybody has asked.
    world.answerBy(() => until('all three ask', () => world.hook.requests.length === 3).then(() => 1));
    expect((await world.call('{ a b c }')).body).toEqual({ data: { a: 1, b: 1, c: 1 } });
  });

  test('are asked one after the other when they are mutations, a failed one included', async () => {
    const world = await keep(
      openActionWorld({
        types: 'type Mutation { a: Int b: Int c: Int }',
        actions: ['a', 'b', 'c'].map((name) => action(name)),
      }),
    );
    const events: string[] = [];
    world.answerBy(async ({ url }, response) => {
      events.push(`begin ${url}`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`end ${url}`);
      if (url === '/a') response.writeHead(500).end('{}');
      return 1;
    });
    const { body } = await world.call('mutation { c a b }');
    expect(body.data).toEqual({ c: 1, a: null, b: 1 });
    expect(events).toEqual(['c', 'a', 'b'].flatMap((name) => [`begin /${name}`, `end /${name}`]));
  });
});

describe('an error in development mode', () => {
  const types = 'type Query { a: Int b: Int }';
  const actions = [action('a'), action('b', { request_transform: { body: '{"x": {{$body.nowhere}}}' } })];

  test('has its internal details, which production mode does not show', async () => {
    const developing = await keep(
      openActionWorld({ types, actions, environment: { HASURA_GRAPHQL_DEV_MODE: 'true' } }),
    );
    const production = await keep(openActionWorld({ types, actions }));
    const internals = async (world: typeof developing, query: string) =>
      (await world.call(query)).body.errors?.[0]?.extensions.internal;

    for (const world of [developing, production]) world.answerWith(500, { trace: 'x' });
    expect(await internals(developing, '{ a }')).toEqual({
      error: 'expecting 2xx or 4xx status code, but found 500',
      response: { status: 500, body: '{"trace":"x"}' },
    });
    expect(await internals(developing, '{ b }')).toEqual({ error: 'line 1, column 14: there is no field "nowhere"' });
    for (const query of ['{ a }', '{ b }']) expect(await internals(production, query)).toBeUndefined();

    for (const world of [developing, production]) world.answerBy((_, response) => response.end('<html>'));
    expect(await internals(developing, '{ a }')).toEqual({
      error: 'the response is not JSON',
      response: { status: 200, body: '<html>' },
    });
    expect(await internals(production, '{ a }')).toBeUndefined();
  });
});
