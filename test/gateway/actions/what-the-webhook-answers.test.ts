import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper } from '../harness/index.ts';
import { openActionsGateway } from './actions-gateway.ts';

const { keep, close } = keeper();
afterAll(close);
const actions = await keep(openActionsGateway());
const { token, hook, gateway, call, answerWith } = actions;
beforeEach(actions.forget);

describe('what the webhook answers', () => {
  const fine: [string, string, unknown, unknown][] = [
    ['an object', '{ object { id name } }', { id: '1', name: 'a', extra: 1 }, { id: '1', name: 'a' }],
    ['an object under other names', '{ object { a: id b: id } }', { id: '1' }, { a: '1', b: '1' }],
    [
      'an object without what may be missing',
      '{ object { id name nested { must } } }',
      { id: '1' },
      { id: '1', name: null, nested: null },
    ],
    [
      'an object in an object',
      '{ object { nested { must things { id } } } }',
      { id: '1', nested: { must: 'm', things: [{ id: '2' }, null] } },
      { nested: { must: 'm', things: [{ id: '2' }, null] } },
    ],
    ['null for an object', '{ object { id } }', null, null],
    ['a list', '{ list { id } }', [{ id: '1' }, { id: '2' }], [{ id: '1' }, { id: '2' }]],
    ['an empty list', '{ list { id } }', [], []],
    ['a text', '{ text }', 'hello', 'hello'],
    ['a number', '{ number }', 42, 42],
    ['a decimal', '{ decimal }', 1.5, 1.5],
    ['a truth value', '{ flag }', false, false],
    ['a number for an id', '{ id }', 7, '7'],
    ['a list of texts', '{ texts }', ['a', null], ['a', null]],
    ['any JSON', '{ json }', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ['an enum value', '{ mood }', 'SAD', 'SAD'],
  ];

  test.each(fine)('comes to me as %s', async (_, query, answer, expected) => {
    answerWith(200, answer);
    const { status, body } = await call(query);
    expect([status, body]).toEqual([200, { data: { [query.match(/\w+/)?.[0] ?? '']: expected } }]);
  });

  test('comes under the name that I give the field', async () => {
    answerWith(200, 'hello');
    expect((await call('{ a: text b: text }')).body).toEqual({ data: { a: 'hello', b: 'hello' } });
    expect(hook.requests).toHaveLength(2);
  });

  const wrong: [string, string, unknown, string][] = [
    ['null for what must not be', '{ required { id } }', null, 'got null for the action webhook response'],
    ['null for a list that must not be', '{ list { id } }', null, 'got null for the action webhook response'],
    [
      'an object without a field',
      '{ object { name } }',
      { name: 'a' },
      'field "id" expected in webhook response, but not found',
    ],
    ['an object with null in a field', '{ object { id } }', { id: null }, 'expecting not null value for field "id"'],
    [
      'a list item without a field',
      '{ list { id } }',
      [{ id: 1 }, {}],
      'field "id" expected in webhook response, but not found',
    ],
    [
      'a list for an object',
      '{ object { id } }',
      [{ id: 1 }],
      'got array for the action webhook response, expecting Thing',
    ],
    ['an object for a list', '{ list { id } }', { id: 1 }, 'expecting array for the action webhook response'],
    ['an object for a text', '{ text }', { a: 1 }, 'got object for the action webhook response, expecting String'],
    ['a list for a text', '{ text }', ['a'], 'got array for the action webhook response, expecting String'],
    ['a text for a number', '{ number }', '42', 'got scalar String for the action webhook response, expecting Int'],
    ['a number for a text', '{ text }', 42, 'got scalar Int for the action webhook response, expecting String'],
    [
      'a number too large',
      '{ number }',
      2_147_483_648,
      'got scalar Int for the action webhook response, expecting Int',
    ],
    [
      'a text for a truth value',
      '{ flag }',
      'true',
      'got scalar String for the action webhook response, expecting Boolean',
    ],
    [
      'a text for an object',
      '{ object { id } }',
      'a',
      'got scalar String for the action webhook response, expecting Thing',
    ],
  ];

  test.each(wrong)('is refused in Hasura’s words when it is %s', async (_, query, answer, message) => {
    answerWith(200, answer);
    const { status, body } = await call(query);
    expect(status).toBe(200);
    expect(body.errors).toMatchObject([{ message, extensions: { path: '$', code: 'unexpected' } }]);
  });
});

describe('what the webhook answers deep in an object', () => {
  test.each([
    ['a text', { nested: 'text' }, { nested: null }],
    ['a list', { nested: [{ must: 'm' }] }, { nested: null }],
    ['a text for a list', { nested: { things: 'text' } }, { nested: { must: null, things: null } }],
    ['an object for a list', { nested: { things: { id: '2' } } }, { nested: { must: null, things: null } }],
    [
      'a text in a list',
      { nested: { things: [1, { id: '2' }] } },
      { nested: { must: null, things: [null, { id: '2' }] } },
    ],
  ])('is null where an object is declared and it is %s', async (_, answered, object) => {
    answerWith(200, { id: '1', ...answered });
    const { body } = await call('{ object { nested { must things { id } } } }');
    expect(body).toEqual({ data: { object } });
  });

  test('comes to me as it is, null where it should not be null included', async () => {
    answerWith(200, { id: '1', nested: { things: [{ id: null, size: 'large' }] } });
    const { body } = await call('{ object { id nested { must things { id size } } } }');
    expect(body).toEqual({
      data: { object: { id: '1', nested: { must: null, things: [{ id: null, size: 'large' }] } } },
    });
  });

  test('comes to me as it is where a scalar is of another type', async () => {
    answerWith(200, { id: 7, size: 4_294_967_296 });
    expect((await call('{ object { id size } }')).body).toEqual({ data: { object: { id: 7, size: 4_294_967_296 } } });
  });
});

describe('a cookie that the webhook sets', () => {
  const COOKIES = ['a=1; HttpOnly', 'b=2; Path=/'];

  test('comes to me from a mutation, over GraphQL and over REST', async () => {
    answerWith(200, { id: '1' }, { 'set-cookie': COOKIES, 'x-other': 'o' });
    const graphql = await call('mutation { change(id: 1) { id } }');
    expect(graphql.headers['set-cookie']).toEqual(COOKIES);
    expect(graphql.headers).not.toHaveProperty('x-other');
    const rest = await gateway.post('/api/rest/change', { id: '1' }, bearer(token));
    expect(rest.headers['set-cookie']).toEqual(COOKIES);
  });

  test('is relayed with a rejection too, which may have to clear a cookie', async () => {
    answerWith(400, { message: 'no' }, { 'set-cookie': COOKIES });
    expect((await call('mutation { change(id: 1) { id } }')).headers['set-cookie']).toEqual(COOKIES);
  });

  test('does not come from a query, a failure or a batch', async () => {
    answerWith(200, { id: '1' }, { 'set-cookie': COOKIES });
    expect((await call('{ object { id } }')).headers).not.toHaveProperty('set-cookie');
    const batch = await gateway.post('/v1/graphql', [{ query: 'mutation { change(id: 1) { id } }' }], bearer(token));
    expect(batch.body).toEqual([{ data: { change: { id: '1' } } }]);
    expect(batch.headers).not.toHaveProperty('set-cookie');
    answerWith(500, { message: 'no' }, { 'set-cookie': COOKIES });
    expect((await call('mutation { change(id: 1) { id } }')).headers).not.toHaveProperty('set-cookie');
  });
});
