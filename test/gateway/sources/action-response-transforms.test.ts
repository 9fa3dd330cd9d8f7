import { afterAll, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { action, openActionWorld } from './action-world.ts';

const transform = (template: string) => ({
  response_transform: { version: 2, template_engine: 'Kriti', body: { action: 'transform', template } },
});

const FIELDS = {
  renamed: transform('{"id": {{$body.data.id}}, "name": {{$body.data?.title ?? "nameless"}}}'),
  ranged: {
    response_transform: {
      body: '{{ range i, user := $body.users }} {"id": {{user.id}}, "name": "{{i}}:{{user.name}}"} {{ end }}',
    },
  },
  byStatus: transform(`
    {{ if $response.status == 200 }}
      {"id": {{$body.id}}, "name": "found"}
    {{ elif $response.status == 404 }}
      {"message": "there is no {{$request.body.input.id}} for {{$session_variables['x-hasura-user-id']}}", "extensions": {"code": "gone", "reason": {{$body?.error}}}}
    {{ else }}
      {"message": "unforeseen: {{$response.status}}"}
    {{ end }}`),
  fromText: transform(
    '{"id": "{{$response.status}}", "name": {{ if $body == null }} "no JSON" {{ else }} "JSON" {{ end }}}',
  ),
  emptied: { response_transform: { version: 2, body: { action: 'remove' } } },
  asked: {
    request_transform: { version: 2, method: 'PUT', url: '{{$base_url}}/x' },
    ...transform(
      '{"id": {{$request.url}}, "name": "{{$request.method}} {{$request.base_url}} {{$request.session_variables.x-hasura-role}} {{size($request.query_params)}}"}',
    ),
  },
  untouched: { response_transform: { version: 2 } },
} satisfies Record<string, Record<string, unknown>>;

const { keep, close } = keeper();
afterAll(close);
const world = await keep(
  openActionWorld({
    types: `type Query { ${Object.keys(FIELDS)
      .map((name) => `${name}(id: String): ${name === 'ranged' ? '[Thing!]' : 'Thing'}`)
      .join(' ')} } type Thing { id: ID! name: String }`,
    actions: Object.entries(FIELDS).map(([name, definition]) => action(name, definition)),
  }),
);

const ask = (name: keyof typeof FIELDS) => world.call(`{ ${name}(id: "7") { id name } }`);

describe('an answer that is transformed', () => {
  test('is read as what the template makes of it', async () => {
    world.answerWith(200, { data: { id: '5', title: 'a' } });
    expect((await ask('renamed')).body).toEqual({ data: { renamed: { id: '5', name: 'a' } } });
    world.answerWith(200, { data: { id: '5' } });
    expect((await ask('renamed')).body).toEqual({ data: { renamed: { id: '5', name: 'nameless' } } });
    world.answerWith(201, {
      users: [
        { id: '1', name: 'a' },
        { id: '2', name: 'b' },
      ],
    });
    expect((await ask('ranged')).body).toEqual({
      data: {
        ranged: [
          { id: '1', name: '0:a' },
          { id: '2', name: '1:b' },
        ],
      },
    });
  });

  test('is transformed at every status, before the status is looked at', async () => {
    world.answerWith(200, { id: '5' });
    expect((await ask('byStatus')).body).toEqual({ data: { byStatus: { id: '5', name: 'found' } } });
    world.answerWith(404, { error: 'E17' });
    expect((await ask('byStatus')).body.errors).toEqual([
      { message: 'there is no 7 for 7', path: ['byStatus'], extensions: { code: 'gone', reason: 'E17' } },
    ]);
    world.answerWith(409, {});
    expect((await ask('byStatus')).body.errors).toMatchObject([
      { message: 'unforeseen: 409', extensions: { path: '$', code: 'unexpected' } },
    ]);
    world.answerWith(503, {});
    expect((await ask('byStatus')).body.errors).toMatchObject([{ message: 'internal error' }]);
  });

  test('need not have been JSON', async () => {
    world.answerBy((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('created'));
    expect((await ask('fromText')).body).toEqual({ data: { fromText: { id: '200', name: 'no JSON' } } });
    world.answerBy((_, response) => response.writeHead(204).end());
    expect((await ask('fromText')).body).toEqual({ data: { fromText: { id: '204', name: 'no JSON' } } });
    expect((await ask('emptied')).body).toEqual({ data: { emptied: null } });
    expect((await ask('untouched')).body.errors).toMatchObject([{ message: 'not a valid json response from webhook' }]);
  });

  test('can use the request', async () => {
    world.answerWith(200, {});
    expect((await ask('asked')).body).toEqual({
      data: { asked: { id: `${world.hook.url}/asked/x`, name: `PUT ${world.hook.url}/asked user 0` } },
    });
  });

  test('still has to fit the output type', async () => {
    world.answerWith(200, { data: { id: null } });
    expect((await ask('renamed')).body.errors).toMatchObject([{ message: 'expecting not null value for field "id"' }]);
  });

  test.each([200, 400, 500])('that does not fit its template is an error of its own, at status %p', async (status) => {
    world.answerWith(status, { canary: 'canary-value' });
    const { body, text } = await ask('renamed');
    expect(body.errors).toEqual([
      { message: 'Response Transformation Failed', path: ['renamed'], extensions: { path: '$', code: 'unexpected' } },
    ]);
    expect(text).not.toContain('canary');
    expect(world.gateway.logs()).toContain('there is no field \\"data\\"');
    expect(world.gateway.logs()).not.toContain('canary-value');
  });
});
