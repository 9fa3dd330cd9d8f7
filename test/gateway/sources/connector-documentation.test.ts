import { afterEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { openActionWorld } from './action-world.ts';

const { keep, close } = keeper();
afterEach(close);

/*
 * The examples of REST connectors in Hasura's documentation of actions (https://hasura.io/docs/2.0/actions/): their
 * transformations as they stand there. Only the addresses of handlers are those of a server that exists here.
 */

describe('the examples of REST connectors', () => {
  const types = `
type Mutation {
  create_user(username: String!, email: String!): User
}
type User {
  id: Int!
}
`;
  const CREATE = 'mutation { create_user(username: "jane", email: "jane@example.test") { id } }';
  const openConnector = (transform: string) =>
    keep(
      openActionWorld({
        types,
        actions: `
actions:
  - name: create_user
    definition:
      kind: synchronous
      handler: '{{HOOK_URL}}'
      timeout: 60
      request_transform:
${transform.replace(/^/gm, '        ')}
    comment: Custom action to create user
    permissions: [{role: user}]
`,
        answer: () => ({ id: 5 }),
      }),
    );

  test('a request of another URL, with a parameter and a body of its own', async () => {
    const world = await openConnector(`
template_engine: Kriti
method: POST
content_type: application/json
url: '{{$base_url}}/create_user'
query_params:
  id: "{{$session_variables['x-hasura-user-id']}}"
body: '{"username": {{$body.input.username}}}'
`);
    expect((await world.call(CREATE)).body).toEqual({ data: { create_user: { id: 5 } } });
    expect(world.received()).toMatchObject({
      method: 'POST',
      url: '/create_user?id=7',
      body: { username: 'jane' },
      headers: { 'content-type': 'application/json' },
    });
  });

  test('a GET without a body', async () => {
    const world = await openConnector(`
template_engine: Kriti
version: 2
method: GET
url: '{{$base_url}}/create_user'
query_params:
  id: '{{$session_variables[''x-hasura-user-id'']}}'
body:
  action: 'remove'
request_headers:
  remove_headers: ['content-type']
`);
    await world.call(CREATE);
    expect(world.received()).toMatchObject({ method: 'GET', url: '/create_user?id=7', text: '' });
    expect(world.received().headers).not.toHaveProperty('content-type');
  });

  test('a body in JSON', async () => {
    const world = await openConnector(`
template_engine: Kriti
version: 2
method: POST
url: '{{$base_url}}/create_user'
body:
  action: 'transform'
  template: '{"username": {{$body.input.username}}}'
`);
    await world.call(CREATE);
    expect(world.received()).toMatchObject({ method: 'POST', url: '/create_user', body: { username: 'jane' } });
  });

  test('a form', async () => {
    const world = await openConnector(`
template_engine: Kriti
version: 2
method: POST
url: '{{$base_url}}/create_user'
query_params:
  id: '{{$session_variables[''x-hasura-user-id'']}}'
body:
  action: 'x_www_form_urlencoded'
  form_template:
    username: '{{$body.input.username}}'
request_headers:
  remove_headers: ['content-type']
  add_headers:
    'content-type': 'application/x-www-form-urlencoded'
`);
    await world.call(CREATE);
    expect(world.received()).toMatchObject({
      method: 'POST',
      text: 'username=jane',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  test('the profile of a user at Auth0', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Mutation {
  updateProfile(picture_url: String!): ProfileOutput
}

type ProfileOutput {
  id: String!
  user_metadata: String!
}
`,
        actions: [
          {
            name: 'updateProfile',
            definition: {
              handler: '{{HOOK_URL}}/api/v2/users',
              request_transform: {
                body: '{"user_metadata": {"picture": {{$body.input.picture_url}} } }',
                url: "{{$base_url}}/{{$session_variables['x-hasura-user-id']}}",
                method: 'PATCH',
              },
            },
            permissions: [{ role: 'user' }],
          },
        ],
        answer: () => ({ id: 'auth0|7', user_metadata: '{}' }),
      }),
    );
    const { body } = await world.call(
      'mutation { updateProfile(picture_url: "https://pictures.test/7.png") { id user_metadata } }',
    );
    expect(body).toEqual({ data: { updateProfile: { id: 'auth0|7', user_metadata: '{}' } } });
    expect(world.received()).toMatchObject({
      method: 'PATCH',
      url: '/api/v2/users/7',
      body: { user_metadata: { picture: 'https://pictures.test/7.png' } },
    });
  });

  test('the action that the console writes, with everything that it leaves empty', async () => {
    const world = await keep(
      openActionWorld({
        types: `
type Query { actionName(arg1: SampleInput!): SampleOutput }
input SampleInput { username: String! password: String! }
type SampleOutput { accessToken: String! }
`,
        actions: [
          {
            name: 'actionName',
            comment: null,
            definition: {
              kind: 'synchronous',
              handler: '{{HOOK_URL}}',
              headers: [],
              timeout: null,
              request_transform: {
                version: 2,
                template_engine: 'Kriti',
                method: null,
                query_params: {},
                body: {
                  action: 'transform',
                  template:
                    '{\n "users": {\n "name": {{$body.input.arg1.username}},\n "password": {{$body.input.arg1.password}}\n }\n}',
                },
                content_type: 'application/json',
              },
              response_transform: {
                version: 2,
                template_engine: 'Kriti',
                body: { action: 'transform', template: '{"accessToken": {{$body.token}}}' },
              },
            },
            permissions: [{ role: 'user' }],
          },
        ],
        answer: () => ({ token: 't' }),
      }),
    );
    const { body } = await world.call('{ actionName(arg1: {username: "a", password: "p"}) { accessToken } }');
    expect(body).toEqual({ data: { actionName: { accessToken: 't' } } });
    expect(world.received()).toMatchObject({ method: 'POST', body: { users: { name: 'a', password: 'p' } } });
  });
});
