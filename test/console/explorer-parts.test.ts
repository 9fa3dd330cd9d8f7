import { describe, expect, test } from '@jest/globals';
import { buildSchema, OperationTypeNode, parse, validate } from 'graphql';
import { urlOfOrigin } from '../../console/api/addresses.ts';
import { errorsIn, NO_ANSWER, outcomeOf, withShortLines } from '../../console/pages/explorer/answer.ts';
import { exampleOperation, firstOperation } from '../../console/pages/explorer/example-operation.ts';
import { withPayload } from '../../console/pages/explorer/incremental.ts';
import { prettify } from '../../console/pages/explorer/prettify.ts';
import { listsIn, tableOf, valuesOf } from '../../console/pages/explorer/response-table.ts';
import { curlOf, endpointsOf, restRequestOf } from '../../console/pages/rest/openapi.ts';

describe('a result in several payloads', () => {
  const first = { data: { product: { id: '1', tags: ['a'], owner: { name: 'x' } } }, hasNext: true };

  test('takes what was deferred into the object at its path', () => {
    const result = withPayload(withPayload(undefined, first), {
      incremental: [{ path: ['product'], data: { stock: 5, owner: { mail: 'y' } } }],
      hasNext: false,
    });
    expect(result).toEqual({ data: { product: { id: '1', tags: ['a'], stock: 5, owner: { name: 'x', mail: 'y' } } } });
  });

  test('takes streamed items at the end of their list', () => {
    const result = withPayload(withPayload(undefined, first), {
      incremental: [{ path: ['product', 'tags', 1], items: ['b', 'c'] }],
    });
    expect(result).toMatchObject({ data: { product: { tags: ['a', 'b', 'c'] } } });
  });

  test('keeps members whose aliases are names of prototypes', () => {
    const data = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": { "polluted": true } }');
    const incremental = [
      { path: [], data },
      { path: ['__proto__'], data: { more: true } },
    ];
    const result = withPayload(withPayload(undefined, { data: { id: '1' }, hasNext: true }), { incremental });
    expect(JSON.stringify(result)).toBe(
      '{"data":{"id":"1","__proto__":{"polluted":true,"more":true},"constructor":{"polluted":true}}}',
    );
    expect([Object.hasOwn(Object.prototype, 'polluted'), Object.hasOwn(Object, 'polluted')]).toEqual([false, false]);
  });

  test('collects errors, and stays as it is where a path leads nowhere', () => {
    const incremental = [{ path: ['nothing', 'here'], data: { a: 1 }, errors: [{ message: 'failed' }] }];
    expect(withPayload(withPayload(undefined, first), { incremental })).toEqual({
      data: first.data,
      errors: [{ message: 'failed' }],
    });
  });
});

describe('an operation to begin with', () => {
  const schema = buildSchema(`
    type Query {
      node(id: ID!, depth: Int! = 1, kinds: [Kind!]!): Node
      tree: Tree!
      either: [Either!]
      version: String!
      empty: OnlyArguments
    }
    type Mutation { add(data: NewNode!, options: Options!): Added! }
    type Node { id: ID! name: String old: String @deprecated child(id: ID!): Node parent: Node tags: [Tag!]! }
    type Tag { key: String! values: [String!]! node: Node! }
    type Tree { tree: Tree! }
    type Added { ok: Boolean! data: AddedData }
    type AddedData { node: Node }
    type OnlyArguments { of(id: ID!): Int }
    union Either = Node | Tag
    enum Kind { LEAF ROOT }
    input NewNode { name: String! kind: Kind! at: Position! weight: Float! comment: String }
    input Position { x: Int! next: Position }
    input Options { dry: Boolean quiet: Boolean }
  `);
  const example = (kind: OperationTypeNode, name: string) => {
    const field = schema.getRootType(kind)?.getFields()[name];
    if (!field) throw new Error(name);
    const { query, variables } = exampleOperation(kind, field);
    return { query: query.replace(/\s+/g, ' ').trim(), variables: variables === '' ? '' : JSON.parse(variables) };
  };

  test('has what is required, and what needs no argument', () => {
    expect(example(OperationTypeNode.QUERY, 'node')).toEqual({
      query:
        'query node($id: ID!, $kinds: [Kind!]!) { node(id: $id, kinds: $kinds) ' +
        '{ id name parent { id name } tags { key values } } }',
      variables: { id: '', kinds: [] },
    });
    expect(example(OperationTypeNode.MUTATION, 'add')).toEqual({
      query:
        'mutation add($data: NewNode!, $options: Options!) { add(data: $data, options: $options) ' +
        '{ ok data { node { id name } } } }',
      variables: {
        data: { name: '', kind: 'LEAF', at: { x: 0 }, weight: 0 },
        options: { dry: null, quiet: null },
      },
    });
    expect(example(OperationTypeNode.QUERY, 'either')).toEqual({
      query: 'query either { either { __typename } }',
      variables: '',
    });
  });

  test('is valid for every root field, also where types lead to themselves', () => {
    for (const kind of [OperationTypeNode.QUERY, OperationTypeNode.MUTATION])
      for (const name of Object.keys(schema.getRootType(kind)?.getFields() ?? {}))
        expect([name, validate(schema, parse(example(kind, name).query))]).toEqual([name, []]);
  });
});

describe('the operation that the first tab begins with', () => {
  const first = (fields: string) => {
    const schema = buildSchema(`type Query { ${fields} } type Order { id: ID! } input Filter { a: Int }`);
    const operation = firstOperation(schema);
    if (operation) expect(validate(schema, parse(operation.query))).toEqual([]);
    return operation?.query.replace(/\s+/g, ' ').trim();
  };

  test('prefers documented lists of objects, and what requires no argument', () => {
    expect(first('version: String order: Order orders: [Order!]!')).toBe('query orders { orders { id } }');
    expect(first('a: [Order] "of the tenant" b: [Order]')).toBe('query b { b { id } }');
    expect(first('order(id: ID!): Order version: String')).toBe('query version { version }');
    expect(first('old: [Order] @deprecated version: String')).toBe('query version { version }');
  });

  test('has simple arguments at most, and is none if there is no such field', () => {
    expect(first('order(id: ID!): Order')).toBe('query order($id: ID!) { order(id: $id) { id } }');
    expect(first('search(filter: Filter!): [Order]')).toBeUndefined();
  });
});

describe('errors of a result', () => {
  const failed = {
    message: 'no',
    path: ['orders', 0, 'item'],
    locations: [{ line: 2, column: 3 }],
    extensions: { code: 'x' },
  };

  test('have message, code, path and places', () => {
    expect(errorsIn({ errors: [failed] })).toEqual([
      { message: 'no', code: 'x', path: 'orders[0].item', locations: [{ line: 2, column: 3 }] },
    ]);
  });

  test('may have any form', () => {
    const unknown = { code: undefined, path: undefined, locations: [] };
    expect(errorsIn({ errors: ['text', null, { message: 1, path: 'x', locations: [{}], extensions: [] }] })).toEqual([
      { ...unknown, message: '"text"' },
      { ...unknown, message: 'null' },
      { ...unknown, message: '{"message":1,"path":"x","locations":[{}],"extensions":[]}' },
    ]);
    for (const result of [undefined, null, 1, 'x', [], {}, { errors: {} }]) expect(errorsIn(result)).toEqual([]);
  });

  test('keep a response from being shown as a success', () => {
    const outcome = (result: unknown, status = 200) => outcomeOf({ ...NO_ANSWER, status, result });
    expect(outcome({ data: { a: 1 } })).toBe('good');
    expect(outcome({ data: { a: 1, b: null }, errors: [failed] })).toBe('warn');
    expect(outcome({ data: { a: null }, errors: [failed] })).toBe('bad');
    expect(outcome({ errors: [failed] })).toBe('bad');
    expect(outcome({ data: { a: 1 } }, 500)).toBe('bad');
    expect(outcomeOf({ ...NO_ANSWER, problem: 'lost' })).toBe('bad');
  });
});

describe('a result as a table', () => {
  test('has a list of objects, with columns for fields of objects within them', () => {
    const orders = [
      { id: '1', customer: { name: 'x', address: null }, tags: ['a', 'b'] },
      { id: '2', extra: true },
    ];
    const [list] = listsIn({ shop: { orders } });
    expect(list?.name).toBe('shop.orders');
    expect(tableOf(list?.items ?? [])).toEqual({
      columns: ['id', 'customer.name', 'customer.address', 'tags', 'extra'],
      rows: [
        ['1', 'x', 'null', '["a","b"]', undefined],
        ['2', undefined, undefined, undefined, 'true'],
      ],
    });
  });

  test('has its values if there is no such list, whatever their names', () => {
    const data = JSON.parse('{ "__proto__": { "a": 1 }, "constructor": [1, 2] }');
    expect(listsIn(data)).toEqual([]);
    expect(valuesOf(data).rows).toEqual([
      ['__proto__.a', '1'],
      ['constructor', '[1,2]'],
    ]);
    for (const nothing of [null, undefined, 1, 'x', []]) expect(valuesOf(nothing).rows).toEqual([]);
  });

  test('is small, however large the result is', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, 'x'.repeat(10_000)]));
    const { columns, rows } = tableOf([wide]);
    expect([columns.length, rows[0]?.length, rows[0]?.[0]?.length]).toEqual([40, 40, 201]);
    const lists = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`l${at}`, [{}]]));
    expect(listsIn(lists)).toHaveLength(20);
  });
});

describe('a document that is prettified', () => {
  test('takes the usual form', () => {
    expect(prettify('query a{orders{id,status}}')).toBe('query a {\n  orders {\n    id\n    status\n  }\n}\n');
    expect(() => prettify('{ orders {')).toThrow('Syntax Error');
  });

  test('keeps its comments, its lines and its block strings', () => {
    const given = [
      '# of mine {',
      '{',
      'orders(note: """',
      ' kept {',
      '  as it is""") { # why',
      '      id',
      '',
      '# last',
      '}',
      '      }',
      '',
    ];
    const expected = [
      '# of mine {',
      '{',
      '  orders(note: """',
      ' kept {',
      '  as it is""") { # why',
      '    id',
      '',
      '    # last',
      '  }',
      '}',
      '',
    ];
    expect(prettify(given.join('\n')).split('\n')).toEqual(expected);
    expect(prettify(expected.join('\n')).split('\n')).toEqual(expected);
  });
});

describe('an answer to look at', () => {
  test('has its long lines shortened, and all others as they are', () => {
    const long = 'x'.repeat(30_000);
    const shown = withShortLines(`{\n  "a": 1,\n  "b": "${long}",\n  "c": "${long}"\n}`);
    const line = (name: string) => `  "${name}": "${'x'.repeat(20_000 - 8)}… (`;
    expect(shown).toBe(`{\n  "a": 1,\n${line('b')}30,010 characters)\n${line('c')}30,009 characters)\n}`);
    expect(withShortLines('{\n}')).toBe('{\n}');
  });
});

describe('a request to a REST endpoint', () => {
  const [endpoint] = endpointsOf({
    paths: {
      '/api/rest/orders/{id}': {
        get: {
          operationId: 'order',
          description: 'One order.\n\n***\nThe GraphQL query:\n```graphql\nquery { a }\n```',
          parameters: [
            { name: 'id', in: 'path', required: true },
            { name: 'with', in: 'query' },
          ],
        },
      },
    },
  });
  if (!endpoint) throw new Error('the document has an endpoint');

  test('is made of the values of its parameters', () => {
    expect(endpoint).toMatchObject({ method: 'GET', description: 'One order.', query: 'query { a }', body: undefined });
    expect(restRequestOf(endpoint, { id: 'a/b ?', with: 'ü&' }, '')).toEqual({
      method: 'GET',
      path: '/api/rest/orders/a%2Fb%20%3F?with=%C3%BC%26',
      body: undefined,
    });
  });

  test('as a curl command is safe to paste whatever was typed, and holds no token', () => {
    const sent = { method: 'POST', path: '/x', body: `{"a":"'; rm -rf / #"}` };
    const command = curlOf(sent, 'http://127.0.0.1', 'user', false);
    expect(command).toContain(`-d '{"a":"'\\''; rm -rf / #"}'`);
    expect(command).toContain('"authorization: Bearer $TOKEN"');
  });
});

describe('an address that is typed', () => {
  const base = new URL('https://portico.test/below/');

  test('leads to the gateway, below the path of its proxy', () => {
    expect(urlOfOrigin('api/x?y=1', base).href).toBe('https://portico.test/below/api/x?y=1');
    expect(urlOfOrigin('https://portico.test/api/x', base).href).toBe('https://portico.test/api/x');
  });

  test.each([
    'http://evil.test/x',
    'http://portico.test/x',
    'https://portico.test:8443/x',
    '//evil.test/x',
    '\\\\evil.test/x',
    '/\t/evil.test/x',
    'https:\\\\evil.test',
    'javascript:alert(1)',
    'https://',
  ])('is refused where it leads elsewhere: %j', (path) => {
    expect(() => urlOfOrigin(path, base)).toThrow('does not belong to this gateway');
  });
});
