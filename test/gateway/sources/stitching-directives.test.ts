import { describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import {
  lookupArguments,
  readStitchingDirectives,
  STITCHING_DIRECTIVE_DEFINITIONS,
  type StitchedLookup,
  stitchingDirectiveProblems,
} from '../../../gateway/sources/stitching/stitching-directives.ts';

const schemaOf = (sdl: string) => buildSchema(`${STITCHING_DIRECTIVE_DEFINITIONS} scalar In ${sdl}`);

const PRODUCT = 'type Product @key(selectionSet: "{ id owner { id } }") { id: ID }';

function lookupOf(root: string, type = PRODUCT): StitchedLookup {
  const [lookup] = readStitchingDirectives(schemaOf(`type Query { ${root} } ${type}`)).get('Product')?.lookups ?? [];
  if (!lookup) throw new TypeError('no lookup');
  return lookup;
}

describe('arguments of a lookup', () => {
  const byExpression = (expression: string) =>
    lookupOf(`a(a: In, b: In): Product @merge(argsExpr: ${JSON.stringify(expression)})`);
  const listByExpression = (expression: string) =>
    lookupOf(`a(a: In, b: In): [Product] @merge(argsExpr: ${JSON.stringify(expression)})`);

  test('are data: a mapping of the key', () => {
    expect(listByExpression('a: { first: 1, ids: [[$key.owner.id]] }')).toEqual({
      field: 'a',
      key: 'id owner { id }',
      isMany: true,
      arguments: [
        {
          name: 'a',
          value: {
            kind: 'object',
            fields: [
              { name: 'first', value: { kind: 'constant', value: 1 } },
              { name: 'ids', value: { kind: 'each', item: { kind: 'key', path: ['owner', 'id'] } } },
            ],
          },
        },
      ],
    });
  });

  test('contain the same part of a key as often as it is written', () => {
    expect(lookupArguments(byExpression('a: $key.id, b: { id: $key.id }'), [{ id: '1' }])).toEqual({
      a: '1',
      b: { id: '1' },
    });
  });

  test('contain constants within a list of keys', () => {
    expect(lookupArguments(listByExpression('a: [[{ id: $key.id, kind: NEW }]]'), [{ id: '1' }, { id: '2' }])).toEqual({
      a: [
        { id: '1', kind: 'NEW' },
        { id: '2', kind: 'NEW' },
      ],
    });
  });

  test('may contain lists of lists and texts with brackets and dollars', () => {
    const lookup = byExpression('a: [ [1, [2]] ], b: { id: $key.id, t: "[[ $key.id ]]", u: """ " $key """ }');
    expect(lookupArguments(lookup, [{ id: '1' }])).toEqual({
      a: [[1, [2]]],
      b: { id: '1', t: '[[ $key.id ]]', u: ' " $key ' },
    });
  });

  test('contain nothing that an object inherits, and set no prototype', () => {
    const type = 'type Product @key(selectionSet: "{ constructor owner { toString } }") { constructor: ID }';
    const expression = 'a: { __proto__: { x: $key.constructor }, t: $key.owner.toString }, b: $key';
    const lookup = lookupOf(`a(a: In, b: In): Product @merge(argsExpr: "${expression}")`, type);
    const none = lookupArguments(lookup, [{ owner: {} }]);
    expect(JSON.stringify(none)).toBe('{"a":{"__proto__":{}},"b":{"owner":{}}}');
    const some = lookupArguments(lookup, [{ constructor: 1, owner: JSON.parse('{"__proto__":{"toString":2}}') }]);
    expect(JSON.stringify(some)).toBe('{"a":{"__proto__":{"x":1}},"b":{"constructor":1,"owner":{}}}');
    expect({}).not.toHaveProperty('x');
  });

  test('of two calls share nothing that one of them could change', () => {
    const lookup = byExpression('a: { in: { id: $key.id } }');
    const [one, other] = ['1', '2'].map((id) => lookupArguments(lookup, [{ id }]));
    expect([one, other]).toEqual([{ a: { in: { id: '1' } } }, { a: { in: { id: '2' } } }]);
  });

  test('leave out what is not known, and have null where an object on the way is null', () => {
    const lookup = byExpression('a: { of: $key.owner.id, id: $key.id }');
    expect(lookupArguments(lookup, [{ owner: null }])).toEqual({ a: { of: null } });
    expect(lookupArguments(listByExpression('a: [[$key.id]]'), [{}, { id: '1' }])).toEqual({ a: [null, '1'] });
  });
});

test('a whole key has the fields of @key and what fields require, and no others', () => {
  const type = `type Product @key(selectionSet: "{ id owner { id } }") {
    id: ID cost: Int @computed(selectionSet: "{ parts { price } }")
  }`;
  const lookup = lookupOf('a(keys: [In]): [Product] @merge', type);
  const known = { __typename: 'Product', id: '1', parts: [{ price: 1, sku: 's' }, null], stock: 3 };
  expect(
    lookupArguments(lookup, [
      { ...known, owner: { id: 'o', name: 'n' } },
      { id: '2', owner: null },
    ]),
  ).toEqual({
    keys: [
      { __typename: 'Product', id: '1', owner: { id: 'o' }, parts: [{ price: 1 }, null] },
      { id: '2', owner: null },
    ],
  });
  expect(readStitchingDirectives(schemaOf(`type Query { a: Int } ${type}`)).get('Product')?.requires).toEqual(
    new Map([['cost', 'parts { price }']]),
  );
});

test('members of an interface without the key have no lookup', () => {
  const types = readStitchingDirectives(
    schemaOf(`type Query { nodes(ids: [ID]): [Node] @merge(argsExpr: "ids: [[$key.id]]") } interface Node { id: ID }
      type Product implements Node @key(selectionSet: "{ id }") { id: ID } type Note implements Node { id: ID }`),
  );
  expect([...types.keys()]).toEqual(['Product']);
});

test('a service may define @merge with the types that count', () => {
  const schema = (types: string) =>
    buildSchema(`directive @key(selectionSet: String!) on OBJECT
      directive @merge(keyField: String, types: [String!]) on FIELD_DEFINITION
      type Query { nodes(ids: [ID]): [Node] @merge(keyField: "id", types: ${types}) } interface Node { id: ID }
      type A implements Node { id: ID } type B implements Node { id: ID } type C { id: ID }`);
  expect([...readStitchingDirectives(schema('["B"]')).keys()]).toEqual(['B']);
  expect(stitchingDirectiveProblems(schema('["C"]'))).toEqual([
    'Query.nodes @merge: "types" contains "C", which is not a type of "Node"',
  ]);
});

describe('problems', () => {
  const merge = (text: string) => `a(a: In, b: In): Product @merge(${text})`;
  const mergeMany = (text: string) => `a(a: In, b: In): [Product] @merge(${text})`;
  test.each([
    [
      'a(a: In, b: In): Product @merge',
      'the field does not have exactly one argument, so "keyArg" must name the argument for the key',
    ],
    [
      'a: Product @merge',
      'the field does not have exactly one argument, so "keyArg" must name the argument for the key',
    ],
    ['a(a: In): In @merge', 'the field must return an object or a list of objects, not "In"'],
    ['a(a: In): [[Product]] @merge', 'the field must return an object or a list of objects, not "[[Product]]"'],
    [merge('keyArg: "a b"'), '"keyArg": "a b" is neither a name nor several names separated by dots'],
    [merge('keyArg: "c"'), 'the field has no argument "c"'],
    [merge('keyArg: "a", keyField: "owner.id"'), '"keyField" must be the name of a field'],
    [merge('keyArg: "a", keyField: "id", key: ["id"]'), 'it has both "keyField" and "key"'],
    [merge('keyArg: "a", key: []'), '"key" is empty'],
    [merge('keyArg: "a", key: ["a:b:c"]'), '"key": "a:b:c" contains more than one ":"'],
    [merge('keyArg: "a", key: ["x:id", "x.y:id"]'), '"x" is given twice'],
    [merge('keyArg: "a", key: ["sku"]'), 'it uses "sku", which @key of "Product" does not contain'],
    [merge('keyArg: "a", additionalArgs: "a: 1"'), '"a" is given twice'],
    [merge('keyArg: "a", additionalArgs: "b: $key"'), '"additionalArgs" contains a variable'],
    [merge('keyArg: "a", additionalArgs: "b"'), '"additionalArgs": Syntax Error: Expected ":", found "}".'],
    [
      merge('keyArg: "a", argsExpr: "a: $key"'),
      '"argsExpr" contains all arguments: it cannot be combined with "keyArg" or "additionalArgs"',
    ],
    [merge('argsExpr: "a: 1"'), '"argsExpr" does not use "$key"'],
    [merge('argsExpr: "a: [$key.id]"'), '"argsExpr": a key within a list: only "[[…]]" puts keys into a list'],
    [merge('argsExpr: "a: [[$key.id]]"'), 'the field returns one object, so "argsExpr" cannot take keys by "[[…]]"'],
    [merge('argsExpr: "a: $key..id"'), '"argsExpr": ".id" is neither a name nor several names separated by dots'],
    [merge('argsExpr: "a: $key, a: 1"'), '"argsExpr": "a" is given twice'],
    [
      mergeMany('argsExpr: "a: $key.id"'),
      'the field returns a list, so "argsExpr" must take keys, as in "ids: [[$key.id]]"',
    ],
    [mergeMany('argsExpr: "a: [[$key.id]], b: $key.id"'), '"argsExpr" uses "$key" outside of "[[…]]"'],
    [
      mergeMany('argsExpr: "a: [[$key.id, 1]]"'),
      '"argsExpr": "[[" and "]]" must enclose one value that contains a key',
    ],
    [
      mergeMany('argsExpr: "a: [[[[$key.id]]]]"'),
      '"argsExpr": "[[" and "]]" must enclose one value that contains a key',
    ],
    [
      mergeMany('argsExpr: "a: [[{ x: [[$key.id]] }]]"'),
      '"argsExpr": "[[" and "]]" must enclose one value that contains a key',
    ],
    [
      mergeMany('argsExpr: "a: [[$key.id], [1]]"'),
      '"argsExpr": "[[" and "]]" must enclose one value that contains a key',
    ],
  ])('%s', (root, problem) => {
    expect(stitchingDirectiveProblems(schemaOf(`type Query { ${root} } ${PRODUCT}`))).toEqual([
      `Query.a @merge: ${problem}`,
    ]);
  });

  test.each([
    ['{ id', '"{ id": Syntax Error: Expected Name, found <EOF>.'],
    ['id', '"id": Syntax Error: Unexpected Name "id".'],
    ['type A { id: ID }', '"type A { id: ID }" is not a selection set'],
    ['{ id } { name }', '"{ id } { name }" is not a selection set'],
    ['{ upc: id }', 'the selection set contains the alias "upc": it must name fields only'],
    ['{ ...F }', 'the selection set contains the fragment "F": it must name fields only'],
    ['{ owner { id @skip(if: true) } }', 'the selection set contains the directive "@skip": it must name fields only'],
    ['{ price(in: $in) }', 'the selection set contains the variable "$in": it must name fields only'],
  ])('of the selection set %s', (text, problem) => {
    const sdl = `type Query { a: Int } type Product @key(selectionSet: ${JSON.stringify(text)}) {
      id: ID @computed(selectionSet: ${JSON.stringify(text)}) }`;
    expect(stitchingDirectiveProblems(schemaOf(sdl))).toEqual([
      `Product @key: ${problem}`,
      `Product.id @computed: ${problem}`,
    ]);
  });

  test('of a type without a key, and of a field that is no root field of queries', () => {
    const sdl = `type Query { a(keys: [In]): [Product] @merge } type Product { id: ID more(a: In): Product @merge }`;
    expect(stitchingDirectiveProblems(schemaOf(sdl))).toEqual([
      'Query.a @merge: "Product" has no @key, so its objects cannot be fetched',
      'Product.more @merge: only root fields of queries can have it',
    ]);
    expect(() => readStitchingDirectives(schemaOf(sdl))).toThrow('"Product" has no @key');
  });

  test('of a directive with a value of another type', () => {
    const [problem, ...more] = stitchingDirectiveProblems(
      schemaOf(`type Query { a(a: In): Product @merge(keyField: 5) } ${PRODUCT}`),
    );
    expect(problem).toMatch(/^Query\.a @merge: Argument "keyField" has invalid value 5/);
    expect(more).toEqual([]);
  });
});
