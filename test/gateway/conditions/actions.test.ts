import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import {
  bearer,
  endpoint,
  type GraphqlBody,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  webhook,
} from '../harness/index.ts';
import { FREE, IS_PRO, PRO } from './shop.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const hook = await keep(webhook(({ body }) => body));
beforeEach(() => {
  hook.requests.length = 0;
});

const action = (name: string, permissions: readonly object[], more: object = {}) => ({
  name,
  definition: { handler: hook.url, ...more },
  permissions,
});
const OLD = { 'x-hasura-age': { _gt: 5 } };
const EXPORT = action('exported', [
  { role: 'user', session_condition: IS_PRO },
  { role: 'clerk', session_condition: OLD },
  { role: 'free' },
]);
const FILES = {
  'actions.graphql': /* GraphQL */ `
    type Query { exported: Echo teams: Teams plain: Echo }
    type Mutation { close: Echo }
    type Echo { session_variables: JSON }
    type Teams { teams: JSON first: String }
    scalar JSON
  `,
  'actions.yaml': {
    actions: [
      EXPORT,
      action('close', [
        { role: 'user', session_condition: { _or: [IS_PRO, OLD] } },
        { role: 'clerk' },
        { role: 'free' },
      ]),
      action(
        'plain',
        ['user', 'clerk', 'free'].map((role) => ({ role })),
      ),
      action(
        'teams',
        ['user', 'clerk', 'free'].map((role) => ({ role })),
        {
          request_transform: {
            version: 2,
            template_engine: 'Kriti',
            body: {
              action: 'transform',
              template:
                '{ "teams": {{ toList($session_variables[\'x-hasura-teams\']) }}, "first": {{ head(toList($session_variables[\'x-hasura-teams\'])) }} }',
            },
          },
        },
      ),
    ],
  },
  'inherited_roles.yaml': [
    { role_name: 'both', role_set: ['user', 'clerk'] },
    { role_name: 'any', role_set: ['user', 'free'] },
  ],
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [
          { name: 'plain', query: '{ plain { session_variables } }' },
          { name: 'exported', query: '{ exported { session_variables } }' },
        ],
      },
    },
  ],
  'rest_endpoints.yaml': [
    { ...endpoint('plain', 'plain', ['GET']), session_condition: IS_PRO },
    endpoint('exported', 'exported', ['GET']),
    { ...endpoint('plain', 'open', ['GET']), name: 'open' },
  ],
};
const gateway = await keep(openEditedGateway(FILES, { issuer }));
await gateway.ready();
const CODE = 'session-condition-failed';
const tokenOf = (hasura: object = {}, role = 'user') => issuer.token({ role, roles: [role], hasura: { ...hasura } });
const ask = async (query: string, hasura?: object, role?: string) =>
  (await gateway.graphql(query, { token: tokenOf(hasura, role) })).body;
const codesOf = ({ errors = [] }: GraphqlBody) => errors.map(({ extensions }) => extensions.code);

describe('an action with a condition', () => {
  test('is called for sessions that meet it, and for the admin', async () => {
    expect(codesOf(await ask('{ exported { session_variables } }', PRO))).toEqual([]);
    expect(codesOf(await ask('{ exported { session_variables } }', {}, 'admin'))).toEqual([]);
    expect(codesOf(await ask('mutation { close { session_variables } }', { 'x-hasura-age': '6' }))).toEqual([]);
    expect(hook.requests).toHaveLength(3);
  });

  test('is refused for others, with its path, and no webhook is called', async () => {
    expect(await ask('{ plain { session_variables } mine: exported { session_variables } }', FREE)).toMatchObject({
      errors: [{ path: ['mine'], extensions: { code: CODE } }],
    });
    expect(codesOf(await ask('mutation { close { session_variables } }'))).toEqual([CODE]);
    expect(hook.requests).toEqual([]);
  });

  test.each<[string, object, boolean]>([
    ['clerk', PRO, false],
    ['clerk', { 'x-hasura-age': 6 }, true],
    ['free', {}, true],
    // An inherited role may do what any of its roles may.
    ['both', {}, false],
    ['both', PRO, true],
    ['both', { 'x-hasura-age': 6 }, true],
    ['both', { ...FREE, 'x-hasura-age': 5 }, false],
    ['any', {}, true],
  ])('has the condition of the role: %s %j', async (role, hasura, isAllowed) => {
    expect(codesOf(await ask('{ exported { session_variables } }', hasura, role))).toEqual(isAllowed ? [] : [CODE]);
    expect(hook.requests).toHaveLength(isAllowed ? 1 : 0);
  });
});

test('the condition of a mutation does not apply to a query field of another service with its name', async () => {
  const shop = await keep(graphqlUpstream('type Query { search: String }', { Query: { search: () => 'found' } }));
  const other = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          {
            name: 'shop',
            definition: { url: shop.graphqlUrl },
            permissions: [{ role: 'user', definition: { schema: 'type Query { search: String }' } }],
          },
        ],
        'actions.graphql': 'type Mutation { search: Echo } type Echo { action: JSON } scalar JSON',
        'actions.yaml': { actions: [action('search', [{ role: 'user', session_condition: IS_PRO }])] },
      },
    }),
  );
  const send = async (query: string) => (await other.graphql(query, { token: tokenOf(FREE) })).body;
  expect(await send('{ search }')).toEqual({ data: { search: 'found' } });
  expect(codesOf(await send('mutation { search { action } }'))).toEqual([CODE]);
});

describe('a REST endpoint', () => {
  const call = async (path: string, hasura: object, role = 'user', headers: Record<string, string> = {}) => {
    const { status, body } = await gateway.send(`/api/rest/${path}`, {
      headers: { ...bearer(tokenOf(hasura, role)), ...headers },
    });
    return [status, (body as { code?: string }).code];
  };

  test('with a condition is for sessions that meet it', async () => {
    expect(await call('plain', PRO)).toEqual([200, undefined]);
    expect(await call('plain', FREE)).toEqual([403, CODE]);
    expect(await call('plain', {}, 'free')).toEqual([403, CODE]);
    expect(await call('plain', {}, 'admin')).toEqual([200, undefined]);
    expect(await call('plain', FREE, 'user', { 'x-hasura-plan': 'pro' })).toEqual([403, CODE]);
    expect((await gateway.send('/api/rest/plain')).status).toBe(401);
    expect(hook.requests).toHaveLength(2);
  });

  test('does not pass its condition on to its operation', async () => {
    expect(await call('open', FREE)).toEqual([200, undefined]);
  });

  test('without one has the conditions of its fields', async () => {
    expect(await call('exported', PRO)).toEqual([200, undefined]);
    expect(await call('exported', FREE)).toEqual([403, CODE]);
  });
});

describe('a list in a session variable', () => {
  test.each<[unknown, unknown]>([
    [
      ['a', 'b "c"', null],
      ['a', 'b "c"', null],
    ],
    ['["a","b"]', ['a', 'b']],
    ['{a,b}', ['a', 'b']],
  ])('becomes a list in a template: %j', async (teams, list) => {
    const { data, errors } = await ask('{ teams { teams first } }', { 'x-hasura-teams': teams });
    expect([data, errors]).toEqual([{ teams: { teams: list, first: 'a' } }, undefined]);
  });

  test.each(['a,b', '', '{"a"', '["a"', '{"a":1}'])('is no other text: %j', async (teams) => {
    const { errors } = await ask('{ teams { teams } }', { 'x-hasura-teams': teams });
    expect(errors?.[0]?.message).toBe('Request Transformation Failed');
    expect(hook.requests).toEqual([]);
  });

  test('stays a text in the session variables that the handler gets', async () => {
    const { data } = await ask('{ plain { session_variables } }', { 'x-hasura-teams': ['a', 'b'] });
    expect(data).toMatchObject({ plain: { session_variables: { 'x-hasura-teams': '{"a","b"}' } } });
  });
});

test('a reload applies a changed condition to documents that are already known', async () => {
  const query = '{ exported { session_variables } }';
  expect(codesOf(await ask(query, FREE))).toEqual([CODE]);
  const without = { ...EXPORT, permissions: [{ role: 'user' }, ...EXPORT.permissions.slice(1)] };
  const edited = (first: object) => ({ actions: [first, ...FILES['actions.yaml'].actions.slice(1)] });
  await gateway.edit({ 'actions.yaml': edited(without) });
  expect(codesOf(await ask(query, FREE))).toEqual([]);
  await gateway.edit({ 'actions.yaml': edited(EXPORT) });
  expect(codesOf(await ask(query, FREE))).toEqual([CODE]);
});
