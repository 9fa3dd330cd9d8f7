import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, type TestGateway } from '../harness/index.ts';
import { openForest, PUBLIC_LOGIN } from './service.ts';

const forest = await openForest();
afterAll(forest.close);
const { issuer } = forest;
beforeEach(() => forest.forget());

const user = issuer.token();
const manager = issuer.token({ role: 'manager' });
const admin = issuer.token({ role: 'admin', roles: ['admin'] });

const collection = (name: string, queries: Record<string, string>) => ({
  name,
  definition: { queries: Object.entries(queries).map(([query_name, query]) => ({ name: query_name, query })) },
});

const metadata = {
  'query_collections.yaml': [
    collection('everybody', {
      hello: 'query hello { hello } # said to everybody',
      login: PUBLIC_LOGIN,
      schema: '{ __schema { queryType { name } } }',
    }),
    collection('managers', { tree: '{ tree { id next { id } } }' }),
    collection('saved', { plant: 'mutation { plant }', login: `${PUBLIC_LOGIN} # over REST` }),
  ],
  'allow_list.yaml': [
    { collection: 'everybody', scope: { global: true } },
    { collection: 'managers', scope: { global: false, roles: ['manager'] } },
  ],
  'rest_endpoints.yaml': ['plant', 'login'].map((name) => ({
    name,
    url: name,
    methods: ['POST'],
    definition: { query: { collection_name: 'saved', query_name: name } },
  })),
};

const enforced = await forest.gateway({ metadata, environment: { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' } });

const NOT_ALLOWED = [{ message: 'query is not allowed', extensions: { path: '$', code: 'validation-failed' } }];
const REFUSED = { errors: NOT_ALLOWED };

async function bodyOf(query: string, token: string | undefined, gateway: TestGateway = enforced) {
  const { status, body } = await gateway.graphql(query, { token });
  expect(status).toBe(200);
  return body;
}

test('an allow list that is not enforced is logged as such', async () => {
  const gateway = await forest.gateway({ metadata });
  expect(gateway.logs()).toContain('the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true');
  expect(enforced.logs()).not.toContain('the allow list: ');
});

describe('while the allow list is enforced', () => {
  test('a listed operation is run, however it is written', async () => {
    for (const query of ['query hello { hello }', 'query hello {\n  hello\n  __typename # as clients add it\n}'])
      expect(await bodyOf(query, user)).toMatchObject({ data: { hello: 'hello' } });
  });

  test('what is not listed is refused before anything is run', async () => {
    for (const query of ['{ hello }', 'query hello { hello again: hello }', '{ nothing_of_the_kind }'])
      expect(await bodyOf(query, user)).toEqual(REFUSED);
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('the order of fields counts', async () => {
    expect(await bodyOf('{ tree { id next { id } } }', manager)).toMatchObject({ data: { tree: { id: '1' } } });
    expect(await bodyOf('{ tree { next { id } id } }', manager)).toEqual(REFUSED);
  });

  test('what is listed for one role is refused to another', async () => {
    expect(await bodyOf('{ tree { id next { id } } }', user)).toEqual(REFUSED);
  });

  test('introspection has to be listed too', async () => {
    expect(await bodyOf('{ __schema { queryType { name } } }', user)).toHaveProperty('data.__schema');
    expect(await bodyOf('{ __schema { types { name } } }', user)).toEqual(REFUSED);
  });

  test('an admin may send everything', async () => {
    expect(await bodyOf('{ hello }', admin)).toEqual({ data: { hello: 'hello' } });
  });

  test('logging in has to be listed, and what is not listed still needs a token first', async () => {
    expect(await bodyOf(PUBLIC_LOGIN, undefined)).toMatchObject({ data: { auth_user_login: { success: true } } });
    expect(await bodyOf(PUBLIC_LOGIN.replace('success', 'success error_message'), undefined)).toEqual(REFUSED);
    expect((await enforced.graphql('{ hello }')).status).toBe(401);
  });

  test('in a batch, what is listed is run and what is not is refused in its place', async () => {
    const batch = [{ query: '{ hello }' }, { query: 'query hello { hello }' }];
    const { body } = await enforced.post('/v1/graphql', batch, bearer(user));
    expect(body).toEqual([REFUSED, { data: { hello: 'hello' } }]);
  });

  test('an endpoint runs its saved operation, listed or not', async () => {
    const answer = await enforced.post('/api/rest/plant', {}, bearer(user));
    expect(answer).toMatchObject({ status: 200, body: { plant: 'planted' } });
    expect(await enforced.post('/api/rest/login', {})).toMatchObject({ status: 200 });
    expect(await bodyOf('mutation { plant }', user)).toEqual(REFUSED);
  });
});

test('a list that is not enforced forbids nothing', async () => {
  const gateway = await forest.gateway({ metadata });
  expect(await bodyOf('{ hello }', user, gateway)).toEqual({ data: { hello: 'hello' } });
});

test('an enforced list that is not there allows nothing but an admin', async () => {
  const gateway = await forest.gateway({ environment: { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' } });
  expect(await bodyOf('{ hello }', user, gateway)).toEqual(REFUSED);
  expect(await bodyOf('{ hello }', admin, gateway)).toEqual({ data: { hello: 'hello' } });
});
