import { describe, expect, test } from '@jest/globals';
import { describeProblem, metadataWarnings } from '../../../gateway/metadata/index.ts';
import { load, remote } from './load.ts';

const SDL = 'type Query { orders: [String] }';
const permissions = (...roles: string[]) => roles.map((role) => ({ role, definition: { schema: SDL } }));
const warningsIn = (files: Record<string, unknown>) => metadataWarnings(load(files)).map(describeProblem);
const shops = (...roles: string[][]) =>
  roles.map((list, index) => ({ ...remote(`shop${index}`), permissions: permissions(...list) }));

describe('a role that is named once is questioned where it is like one that is known', () => {
  test.each(['uesr', 'users', 'usr', 'User'])('%s beside user', (role) => {
    expect(warningsIn({ 'remote_schemas.yaml': shops(['user'], ['user'], [role]) })).toEqual([
      `remote_schemas.yaml:19 [2].permissions[0].role: the role "${role}" is not used anywhere else: did you mean "user"?`,
    ]);
  });

  test('in every file that names roles, beside those that are always there', () => {
    const warnings = warningsIn({
      'remote_schemas.yaml': shops(['anonymus', 'clerk']),
      'actions.yaml': {
        actions: [
          {
            name: 'ping',
            definition: { handler: 'http://127.0.0.1:1/' },
            permissions: [{ role: 'clerk' }, { role: 'clrek' }],
          },
        ],
      },
      'actions.graphql': 'type Query { ping: String }',
      'services.yaml': [{ name: 'files', path: '/f', url: 'http://127.0.0.1:1', permissions: [{ role: 'clerc' }] }],
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [] } }],
      'allow_list.yaml': [{ collection: 'saved', scope: { global: false, roles: ['clerkk'] } }],
      'api_limits.yaml': { depth_limit: { per_role: { cerk: 3 } } },
      'graphql_schema_introspection.yaml': { disabled_for_roles: ['clark'] },
    });
    expect(warnings.map((line) => line.replace(/: the role.*did you mean/, ':'))).toEqual([
      'remote_schemas.yaml:5 [0].permissions[0].role: "anonymous"?',
      'actions.yaml:7 actions[0].permissions[1].role: "clerk"?',
      'services.yaml:5 [0].permissions[0].role: "clerk"?',
      'allow_list.yaml:5 [0].scope.roles[0]: "clerk"?',
      'api_limits.yaml:3 depth_limit.per_role.cerk: "clerk"?',
      'graphql_schema_introspection.yaml:2 disabled_for_roles[0]: "clerk"?',
    ]);
  });

  test('and not where both are in use, differ in digits, or have little in common', () => {
    for (const role of ['user2', 'reader', 'owner'])
      expect(warningsIn({ 'remote_schemas.yaml': shops(['user1'], ['user1'], [role]) })).toEqual([]);
    expect(warningsIn({ 'remote_schemas.yaml': shops(['user', 'users'], ['user', 'users']) })).toEqual([]);
  });
});

test('a permission for the role admin is said to have no effect', () => {
  expect(warningsIn({ 'remote_schemas.yaml': shops(['admin']) })).toEqual([
    'remote_schemas.yaml:5 [0].permissions[0].role: has no effect: the role "admin" always has access to everything',
  ]);
});

describe('a preset', () => {
  const preset = (...values: string[]) => ({
    'remote_schemas.yaml': values.map((value, index) => ({
      ...remote(`shop${index}`),
      permissions: [
        { role: 'user', definition: { schema: `type Query { orders(of: ID @preset(value: ${value})): [String] }` } },
      ],
    })),
  });

  test.each(['"x-hasura-usr-id"', '"X-Hasura-User-Idd"', '["x-hasura-user-di"]'])(
    'of a session variable like a usual one is questioned: %s',
    (value) => {
      expect(warningsIn(preset(value))).toEqual([
        expect.stringMatching(/schema: the session variable "x-hasura-.*did you mean "x-hasura-user-id"\?$/),
      ]);
    },
  );

  test('is named with its own line of the SDL', () => {
    const schema = 'type Query {\n  orders(\n    of: ID @preset(value: "x-hasura-usr-id")\n  ): [String]\n}\n';
    expect(
      warningsIn({
        'remote_schemas.yaml':
          '- name: shop\n  definition: { url: http://shop.test }\n  permissions:\n    - role: user\n      definition:\n        schema: |\n' +
          schema.replace(/^/gm, '          '),
      }),
    ).toEqual([expect.stringMatching(/^remote_schemas\.yaml:9 /)]);
  });

  test('of one that others name is questioned too', () => {
    expect(warningsIn(preset('"x-hasura-region"', '"x-hasura-region"', '"x-hasura-regoin"'))).toEqual([
      expect.stringContaining('"x-hasura-regoin" is not used anywhere else: did you mean "x-hasura-region"?'),
    ]);
  });

  test.each(['"x-hasra-user-id"', '"hasura-user-id"', '"xhasura-user-id"'])(
    'that is sent as a text and looks like a name is questioned: %s',
    (value) => {
      expect(warningsIn(preset(value))).toEqual([
        expect.stringContaining('is sent as literal text: names of session variables begin with "x-hasura-"'),
      ]);
    },
  );

  test.each([
    '"x-hasura-user-id"',
    '"x-hasura-store-id"',
    '"x-ray"',
    '"house"',
    '7',
    '"x-hasura-usr-id", static: true',
  ])('is not questioned: %s', (value) => {
    expect(warningsIn(preset(value))).toEqual([]);
  });
});

describe('a template of an action', () => {
  const action = (template: string, more: object = {}) => ({
    'actions.yaml': {
      actions: [
        {
          name: 'order',
          definition: {
            handler: 'http://127.0.0.1:1/',
            request_transform: { version: 2, template_engine: 'Kriti', body: { action: 'transform', template } },
            ...more,
          },
        },
      ],
    },
    'actions.graphql': `type Mutation { order(item: Item!, many: [Item], note: String): String }
      input Item { code: ID! size: Size raw: jsonb } input Size { height: Int } scalar jsonb`,
  });

  test.each([
    ['{{$body.input.itm.code}}', '$body.input.itm, which is not an input of the action: did you mean "item"?'],
    [
      "{{$body['input']['item'].cod}}",
      '$body.input.item.cod, which is not an input of the action: did you mean "code"?',
    ],
    [
      '{{if $body.input?.item.size.hight > 1}} 1 {{else}} 2 {{end}}',
      '$body.input.item.size.hight, which is not an input of the action: did you mean "height"?',
    ],
    ['{{$body.inputs.item}}', '$body.inputs, which does not exist: did you mean "input"?'],
    ['{{$body.input.zzzzzzz}}', '$body.input.zzzzzzz, which is not an input of the action'],
  ])('is questioned where it reads what is not there: %s', (value, message) => {
    expect(warningsIn(action(`{"a": ${value}}`))).toEqual([
      `actions.yaml:5 actions[0].definition.request_transform: a template reads ${message}`,
    ]);
  });

  test('is questioned wherever it stands, each thing once', () => {
    const request_transform = {
      version: 2,
      url: '{{$base_url}}/{{$body.input.nte}}',
      query_params: { a: '{{$body.input.nte}}' },
      request_headers: { add_headers: { b: '{{$body.input.itemm.code}}' } },
      body: { action: 'x_www_form_urlencoded', form_template: { c: '{{$body.input.many.anything}}' } },
    };
    const warnings = warningsIn(action('', { request_transform }));
    expect(warnings).toHaveLength(2);
    expect(warnings.join('\n')).toMatch(/\$body\.input\.nte.*"note"\?\n.*\$body\.input\.itemm.*"item"\?/);
  });

  test.each([
    '{{$body}}',
    '{{$body.input}}',
    '{{$body.input.item.raw.anything}}',
    '{{$body.input.many[0].code}}',
    '{{range _, one := $body.input.many}} {{one.whatever}} {{end}}',
    "{{$body.session_variables['x-hasura-user-id']}}",
    '{{$body.input[$body.action.name]}}',
    '{{$body.request_query}}',
  ])('is not questioned where it reads what may be there: %s', (value) => {
    expect(warningsIn(action(`{"a": ${value}}`))).toEqual([]);
  });

  test.each([
    "{{$session_variables['x-hasura-usre-id']}}",
    "{{$body.session_variables['x-hasura-usre-id']}}",
    "{{getSessionVariable('x-hasura-usre-id')}}",
  ])('is questioned where it reads a session variable that is like a usual one: %s', (value) => {
    expect(warningsIn(action(`{"a": ${value}}`))).toEqual([
      expect.stringContaining(
        'the session variable "x-hasura-usre-id" is not used anywhere else: did you mean "x-hasura-user-id"?',
      ),
    ]);
  });
});
