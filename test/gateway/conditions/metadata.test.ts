import { describe, expect, test } from '@jest/globals';
import { describeProblem, metadataWarnings } from '../../../gateway/metadata/index.ts';
import { collection, load, problemsIn, restEndpoint } from '../metadata/load.ts';

const shop = (conditions: string, schema = 'type Query { order: Order } type Order { id: ID! margin: Int }') => `
- name: shop
  definition: { url: 'http://127.0.0.1:1/graphql' }
  permissions:
    - role: user
      definition:
        schema: '${schema}'
      session_conditions:
${conditions.replace(/^/gm, '        ')}
`;
const problemsOfShop = (conditions: string, schema?: string) =>
  problemsIn({ 'remote_schemas.yaml': shop(conditions, schema) }).map(describeProblem);
const AT = 'remote_schemas.yaml:9 [0].permissions[0].session_conditions[0]';

describe('a condition of fields', () => {
  test.each<[string, string]>([
    [
      '- { fields: [Order.margn], condition: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.fields[0]: the permission has no field "margn" in "Order": did you mean "margin"?`,
    ],
    [
      '- { fields: [Ordr.margin], condition: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.fields[0]: the permission has no type "Ordr": did you mean "Order"?`,
    ],
    [
      '- { fields: [__proto__.margin], condition: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.fields[0]: the permission has no type "__proto__"`,
    ],
    [
      '- { fields: [margin], condition: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.fields[0]: expected a field as Type.field, such as Query.orders`,
    ],
    [
      '- { fields: [], condition: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.fields: Too small: expected array to have >=1 items`,
    ],
    [
      '- { fields: [Order.margin] }',
      `${AT}.condition: expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }`,
    ],
    [
      '- { fields: [Order.margin], conditon: { x-hasura-plan: { _eq: pro } } }',
      `${AT}.conditon: unknown key "conditon": did you mean "condition"?`,
    ],
    [
      '- { fields: [Order.margin], condition: { x-hasura-plan: { _inn: [pro] } } }',
      `${AT}.condition.x-hasura-plan._inn: unknown operator "_inn": did you mean "_in"?`,
    ],
    [
      '- { fields: [Order.margin], condition: { x-hasura-plan: { _in: pro } } }',
      `${AT}.condition.x-hasura-plan._in: expected a list: [pro]`,
    ],
    [
      '- { fields: [Order.margin], condition: { __proto__: { _eq: pro } } }',
      `${AT}.condition.__proto__: unknown key "__proto__": expected one of _and, _or, _not`,
    ],
  ])('%s', (conditions, problem) => {
    expect(problemsOfShop(conditions)).toContain(problem);
  });

  test('may name fields of extended types and of interfaces', () => {
    const schema = 'type Query { node: Node } extend type Query { more: Int } interface Node { id: ID }';
    const conditions = '- { fields: [Query.more, Node.id], condition: { x-hasura-plan: { _eq: pro } } }';
    expect(load({ 'remote_schemas.yaml': shop(conditions, schema) }).remoteSchemas[0]?.permissions?.[0]).toMatchObject({
      session_conditions: [
        {
          fields: ['Query.more', 'Node.id'],
          condition: { kind: 'one-of', variable: 'x-hasura-plan', values: ['pro'] },
        },
      ],
    });
  });

  test('may not name an input', () => {
    const schema = 'type Query { order(by: By): Int } input By { id: ID }';
    const conditions = '- { fields: [By.id], condition: { x-hasura-plan: { _eq: pro } } }';
    expect(problemsOfShop(conditions, schema)).toEqual([`${AT}.fields[0]: the permission has no type "By"`]);
  });
});

const ACTION_FILES = { 'actions.graphql': 'type Query { ping: String }' };
const action = (permission: object) => ({
  'actions.yaml': {
    actions: [{ name: 'ping', definition: { handler: 'http://127.0.0.1:1' }, permissions: [permission] }],
  },
});

test('a condition of an action and of an endpoint is checked in the same way', () => {
  const wrong = { 'x-hasura-plan': { _equ: 'pro' } };
  expect(problemsIn({ ...ACTION_FILES, ...action({ role: 'user', session_condition: wrong }) })).toMatchObject([
    {
      file: 'actions.yaml',
      path: 'actions[0].permissions[0].session_condition.x-hasura-plan._equ',
      message: 'unknown operator "_equ": did you mean "_eq"?',
    },
  ]);
  expect(problemsIn({ ...ACTION_FILES, ...action({ role: 'user', session_conditon: wrong }) })).toMatchObject([
    { message: 'unknown key "session_conditon": did you mean "session_condition"?' },
  ]);
  expect(
    problemsIn({
      'query_collections.yaml': [collection('saved', { ping: '{ ping }' })],
      'rest_endpoints.yaml': [{ ...restEndpoint('ping', 'ping'), session_condition: { plan: { _eq: 'pro' } } }],
    }),
  ).toMatchObject([{ file: 'rest_endpoints.yaml', path: '[0].session_condition.plan' }]);
});

describe('the variables of conditions', () => {
  test('count as used, so a misspelt one is questioned', () => {
    const files = {
      'remote_schemas.yaml': shop(
        '- { fields: [Order.margin], condition: { _or: [{ x-hasura-user-idd: { _eq: a } }, { _not: { x-hasura-plan: { _eq: b } } }] } }',
      ),
      ...ACTION_FILES,
      ...action({ role: 'user', session_condition: { 'x-hasura-plan': { _eq: 'pro' } } }),
    };
    expect(metadataWarnings(load(files)).map(describeProblem)).toEqual([
      'remote_schemas.yaml:9 [0].permissions[0].session_conditions[0].condition: the session variable "x-hasura-user-idd" is not used anywhere else: did you mean "x-hasura-user-id"?',
    ]);
  });
});

describe('an inherited role', () => {
  const PRO = { 'x-hasura-plan': { _eq: 'pro' } };
  const OLD = { 'x-hasura-age': { _gt: 5 } };
  const inherited = (permissions: readonly object[]) =>
    load({
      ...ACTION_FILES,
      'actions.yaml': { actions: [{ name: 'ping', definition: { handler: 'http://127.0.0.1:1' }, permissions }] },
      'inherited_roles.yaml': [
        { role_name: 'both', role_set: ['a', 'b'] },
        { role_name: 'top', role_set: ['both', 'c'] },
      ],
    }).actions.actions[0]?.permissions.map(({ role, session_condition }) => [role, session_condition?.kind]);

  test('may call an action if any of its roles may', () => {
    const a = { role: 'a', session_condition: PRO };
    const b = { role: 'b', session_condition: OLD };
    expect(inherited([a, b])).toEqual([
      ['a', 'one-of'],
      ['b', 'number'],
      ['both', 'any'],
      ['top', 'any'],
    ]);
    expect(inherited([a])).toEqual([
      ['a', 'one-of'],
      ['both', 'one-of'],
      ['top', 'one-of'],
    ]);
    expect(inherited([a, { role: 'b' }])).toEqual([
      ['a', 'one-of'],
      ['b', undefined],
      ['both', undefined],
      ['top', undefined],
    ]);
    expect(inherited([a, { role: 'c' }])?.at(-1)).toEqual(['top', undefined]);
  });

  test('inherits a permission on a remote schema only if its conditions are the same', () => {
    const permission = (role: string, ...conditions: object[]) => ({
      role,
      definition: { schema: 'type Query { a: Int b: Int }' },
      ...(conditions.length > 0 && { session_conditions: conditions }),
    });
    const rolesOf = (...permissions: object[]) =>
      load({
        'remote_schemas.yaml': [{ name: 'shop', definition: { url: 'http://127.0.0.1:1' }, permissions }],
        'inherited_roles.yaml': [{ role_name: 'both', role_set: ['a', 'b'] }],
      }).remoteSchemas[0]?.permissions?.map(({ role, session_conditions }) => [role, session_conditions?.length]);
    const both = { fields: ['Query.a', 'Query.b'], condition: PRO };
    const apart = [
      { fields: ['Query.b'], condition: PRO },
      { fields: ['Query.a'], condition: PRO },
    ];
    expect(rolesOf(permission('a', both), permission('b', ...apart))).toEqual([
      ['a', 1],
      ['b', 2],
      ['both', 1],
    ]);
    for (const other of [
      [],
      [{ fields: ['Query.a'], condition: PRO }],
      [{ fields: ['Query.a', 'Query.b'], condition: OLD }],
    ])
      expect(rolesOf(permission('a', both), permission('b', ...other))).toHaveLength(2);
  });
});
