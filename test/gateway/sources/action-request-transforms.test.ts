import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { action, openActionWorld } from './action-world.ts';

const FIELDS = {
  path: {
    request_transform: { version: 2, method: 'get', url: '{{$base_url}}/users/{{$body.input.id}}/posts?sort=new' },
  },
  credentials: { request_transform: { version: 2, url: 'http://one:hush@127.0.0.1/{{$body.input.id}}' } },
  host: { request_transform: { version: 2, url: '{{$body.input.id}}/x' } },
  mapping: {
    handler: '{{HOOK_URL}}/mapping?kept=no&twice=1&twice=2',
    request_transform: {
      version: 2,
      method: 'GET',
      query_params: {
        q: '{{$body.input.id}}',
        page: 2,
        all: true,
        more: '{{$body.input?.more}}',
        none: null,
        'a b': 'c&d',
        twice: '{{$query_params[1][0]}}:{{$query_params[1][1]}}',
      },
      body: { action: 'remove' },
    },
  },
  emptyMapping: {
    handler: '{{HOOK_URL}}/empty?kept=yes',
    request_transform: { version: 2, query_params: {} },
  },
  textual: {
    request_transform: {
      version: 2,
      query_params: 'q={{$body.input.id}}{{ if $body.input?.more != null }} "&more=1" {{ else }} "" {{ end }}',
    },
  },
  form: {
    request_transform: {
      version: 2,
      body: {
        action: 'x_www_form_urlencoded',
        form_template: {
          id: '{{$body.input.id}}',
          'more of it': '{{$body.input?.more}}',
          fixed: 'a=b',
          role: "{{getSessionVariable('X-Hasura-Role')}}",
        },
      },
    },
  },
  formOfOne: {
    request_transform: {
      content_type: 'application/x-www-form-urlencoded',
      body: '{"id": {{$body.input.id}}, "n": 1, "none": null, "list": [1, 2]}',
    },
  },
  plain: { request_transform: { content_type: 'text/plain', body: '{{$body.input.id}}' } },
  headers: {
    forward_client_headers: true,
    headers: [
      { name: 'X-Configured', value: 'configured' },
      { name: 'X-Key', value: 'key' },
    ],
    request_transform: {
      version: 2,
      request_headers: {
        add_headers: {
          'X-Tenant': "{{$session_variables['x-hasura-tenant-id']}}",
          'x-key': 'Bearer {{$body.input.id}}',
          'X-None': '{{$body.input?.more}}',
          'user-agent': 'ours/1',
        },
        remove_headers: ['X-Configured', 'X-Own', 'accept'],
      },
    },
  },
  everything: {
    request_transform: {
      version: 2,
      method: 'PUT',
      body: {
        action: 'transform',
        template: `{
          "base": {{$base_url}},
          "name": {{$body.action.name}},
          "query": {{$body.request_query}},
          "input": {{$body.input}},
          "session": {{$session_variables}},
          "params": {{$query_params}}
        }`,
      },
    },
  },
  nothing: { request_transform: { version: 2 } },
} satisfies Record<string, Record<string, unknown>>;

const { keep, close } = keeper();
afterAll(close);
const world = await keep(
  openActionWorld({
    types: `type Query { ${Object.keys(FIELDS)
      .map((name) => `${name}(id: String!, more: Int): JSON`)
      .join(' ')} } scalar JSON`,
    actions: Object.entries(FIELDS).map(([name, definition]) => action(name, definition)),
  }),
);
beforeEach(() => {
  world.hook.requests.length = 0;
});

const ask = (name: keyof typeof FIELDS, id = 'a', more?: number | null, headers: Record<string, string> = {}) =>
  world.call(`query ($id: String!, $more: Int) { ${name}(id: $id, more: $more) }`, {
    variables: { id, more },
    headers,
  });

/** What the webhook got for it. */
async function sent(...asked: Parameters<typeof ask>) {
  const { body } = await ask(...asked);
  expect(body).not.toHaveProperty('errors');
  return world.received();
}

describe('a request that is transformed', () => {
  test('goes to the URL and with the method that the template says', async () => {
    const request = await sent('path', 'x 7');
    expect([request.method, request.url]).toEqual(['GET', '/path/users/x%207/posts?sort=new']);
    expect(request.body).toMatchObject({ input: { id: 'x 7' } });
  });

  test('stays within its place in the URL, whatever a client sends', async () => {
    expect((await sent('path', '../../admin?x=1#')).url).toBe('/path/users/..%2F..%2Fadmin%3Fx%3D1%23/posts?sort=new');
    expect((await sent('path', '%2e%2e/')).url).toBe('/path/users/%252e%252e%2F/posts?sort=new');
    expect((await sent('path', 'ü€')).url).toBe('/path/users/%C3%BC%E2%82%AC/posts?sort=new');
  });

  test('is not sent at all to a place that a client made up', async () => {
    for (const id of ['..', '.']) {
      const { body } = await ask('path', id);
      expect(body.errors).toMatchObject([
        { message: 'Request Transformation Failed', extensions: { path: '$', code: 'unexpected' } },
      ]);
    }
    const { body } = await ask('host', `${world.hook.url}/stolen`);
    expect(body.errors).toMatchObject([{ message: 'Request Transformation Failed' }]);
    expect(world.hook.requests).toHaveLength(0);
    expect(world.gateway.logs()).toContain('the template of the URL did not produce an http or https URL');
  });

  test('is not sent with a URL whose user and password would be left out', async () => {
    const { body } = await ask('credentials', 'x');
    expect(body.errors).toMatchObject([{ message: 'Request Transformation Failed' }]);
    expect(world.gateway.logs()).toContain('the template of the URL produced a user and password, which are not sent');
    expect(world.gateway.logs()).not.toContain('hush');
  });

  test('has the parameters of the mapping in place of those of the handler, nulls left out', async () => {
    const { url, text } = await sent('mapping', 'a&b=c d');
    expect(url).toBe('/mapping?q=a%26b%3Dc%20d&page=2&all=true&a%20b=c%26d&twice=twice:1'.replace(':', '%3A'));
    expect(text).toBe('');
    expect((await sent('mapping', 'a', 0)).url).toContain('&more=0&');
  });

  test('keeps the parameters of the handler where the mapping is empty', async () => {
    expect((await sent('emptyMapping')).url).toBe('/empty?kept=yes');
  });

  test('may have its parameters as one text', async () => {
    expect((await sent('textual', 'a&b')).url).toBe('/textual?q=a%26b');
    expect((await sent('textual', 'a', 1)).url).toBe('/textual?q=a&more=1');
  });

  test('may be a form, with its content type, nulls left out', async () => {
    const request = await sent('form', 'a b&c=ü');
    expect(request.text).toBe('id=a%20b%26c%3D%C3%BC&fixed=a%3Db&role=user');
    expect(Object.fromEntries(new URLSearchParams(request.text))).toEqual({
      id: 'a b&c=ü',
      fixed: 'a=b',
      role: 'user',
    });
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect((await sent('form', 'a', 3)).text).toBe('id=a&more%20of%20it=3&fixed=a%3Db&role=user');
  });

  test('in version 1 has the content type that it names, and is a form where that says so', async () => {
    const request = await sent('formOfOne', 'a b');
    expect(request.text).toBe('id=a%20b&n=1&list=%5B1%2C2%5D');
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect((await sent('plain')).headers['content-type']).toBe('text/plain');
    expect(world.received().text).toBe('"a"');
  });

  test('has headers added, replaced and removed', async () => {
    const { headers } = await sent('headers', 'a', undefined, { 'x-own': 'mine', 'x-other': 'mine' });
    expect(headers).toMatchObject({ 'x-tenant': '1', 'x-key': 'Bearer a', 'user-agent': 'ours/1', 'x-other': 'mine' });
    for (const name of ['x-configured', 'x-own', 'accept', 'x-none']) expect(headers).not.toHaveProperty(name);
    expect(Buffer.from(String((await sent('headers', 'ü')).headers['x-key']), 'latin1').toString()).toBe('Bearer ü');
  });

  test('does not let values inject headers', async () => {
    for (const id of ['a\r\nx-admin: yes', 'a\nb', 'a\0b']) {
      const { body } = await ask('headers', id);
      expect(body.errors).toMatchObject([{ message: 'Request Transformation Failed' }]);
    }
    expect(world.hook.requests).toHaveLength(0);
  });

  test('can use everything that Hasura gives to a template', async () => {
    const { method, body } = await sent('everything', 'a', null);
    expect(method).toBe('PUT');
    expect(body).toEqual({
      base: `${world.hook.url}/everything`,
      name: 'everything',
      query: 'query ($id: String!, $more: Int) { everything(id: $id, more: $more) }',
      input: { id: 'a', more: null },
      session: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-hasura-tenant-id': '1' },
      params: [],
    });
  });

  test('is the usual request where the transform says nothing', async () => {
    expect(await sent('nothing', 'a')).toMatchObject({
      method: 'POST',
      url: '/nothing',
      headers: { 'content-type': 'application/json', 'user-agent': 'portico' },
      body: { action: { name: 'nothing' }, input: { id: 'a' } },
    });
  });

  test('logs the reason of a failure without the value, and hides it from clients', async () => {
    const { body, text } = await ask('path', '..');
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'unexpected' });
    expect(text).not.toContain('dots');
    expect(world.gateway.logs()).toContain('a value of a URL cannot consist of dots');
    await ask('headers', 'canary-\r\n');
    expect(world.gateway.logs()).toContain('produced a line break');
    for (const control of ['\u0001', '\u007f'])
      expect((await ask('headers', `canary-${control}-`)).body.errors?.[0]?.extensions).toEqual({
        path: '$',
        code: 'unexpected',
      });
    expect(world.gateway.logs()).not.toContain('canary-');
  });
});
