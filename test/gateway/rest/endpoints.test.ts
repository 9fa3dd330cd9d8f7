import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Answer, bearer, keeper, openPlatform, type Sent } from '../harness/index.ts';
import { openCatalogue } from './catalogue.ts';

const { keep, close } = keeper();
afterAll(close);
const catalogue = await keep(openCatalogue());
const { gateway, issuer, upstream } = catalogue;
beforeEach(() => upstream.forget());

const headers = bearer(issuer.token());
const asManager = { ...headers, 'x-hasura-role': 'manager' };
const JSON_TYPE = { 'content-type': 'application/json' };

const call = (method: string, path: string, sent: Sent = {}): Promise<Answer> =>
  gateway.send(`/api/rest/${path}`, { method, headers, ...sent });
const callWith = (method: string, path: string, body: unknown, more = headers): Promise<Answer> =>
  call(method, path, { headers: { ...JSON_TYPE, ...more }, body: JSON.stringify(body) });
const error = (code: string, text: string) => ({ path: '$', error: text, code });

describe('an endpoint', () => {
  test('answers the bare data of its operation', async () => {
    const { status, body, headers: sent } = await call('GET', 'stock');
    expect({ status, body }).toEqual({ status: 200, body: { stock: 2 } });
    expect(sent['content-type']).toBe('application/json; charset=utf-8');
  });

  test.each(['POST', 'DELETE'])('takes variables from the JSON body of a %s as they are', async (method) => {
    const given = { text: '17', count: 17, filter: { name: 'a', kind: 'GAME' }, texts: ['a,b'], flag: null };
    const { status, body } = await callWith(method, 'echo', given);
    expect({ status, body }).toEqual({ status: 200, body: { echo: { ...given, must: 'given' } } });
  });

  test('takes variables from the body of a GET too, as those do who could not send lists otherwise', async () => {
    expect((await callWith('GET', 'echo', { counts: [1, 2] })).body).toMatchObject({ echo: { counts: [1, 2] } });
  });

  test.each(['GET', 'POST', 'DELETE'])('needs no body and no content type for a %s', async (method) => {
    expect((await call(method, 'echo?count=1')).body).toMatchObject({ echo: { count: 1 } });
    expect((await call(method, 'echo?count=1', { body: '' })).body).toMatchObject({ echo: { count: 1 } });
  });

  test('takes a value of the path before one of the body before one of the query string', async () => {
    const { body } = await callWith('GET', 'echo/path?text=query&must=query&id=query', { text: 'body', must: 'body' });
    expect(body).toEqual({ echo: { text: 'path', must: 'body', id: 'query' } });
  });

  test('takes the default for an empty text of the query string', async () => {
    expect((await call('GET', 'things?long=false&first=&kind=')).status).toBe(200);
    expect(upstream.operations().map(({ body }) => body.variables)).toEqual([{ long: false }]);
  });

  test('refuses a text in the body where a number is declared', async () => {
    const { status, body } = await callWith('POST', 'echo', { count: '17' });
    expect(status).toBe(400);
    expect(body).toEqual(error('validation-failed', 'Variable "$count" got an invalid value: Expected type "Int".'));
  });

  test.each([
    ['a list', '[]', 400, 'parse-failed'],
    ['a text', '"text"', 400, 'parse-failed'],
    ['null', 'null', 400, 'parse-failed'],
    ['no JSON', '{"text":', 400, 'invalid-json'],
  ])('refuses a body that is %s', async (_, text, status, code) => {
    const answer = await call('POST', 'echo', { headers: { ...JSON_TYPE, ...headers }, body: text });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ path: '$', code });
  });

  test('refuses a form, which other sites could send', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await call('POST', 'echo', { headers: { ...type, ...headers }, body: 'text=a' });
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ code: 'unsupported-media-type' });
  });

  test('says which variable is missing', async () => {
    const missing = error('validation-failed', 'expecting a value for non-nullable variable: "text"');
    const answers = [await call('GET', 'needy?counts=1'), await callWith('PUT', 'needy', { counts: [1] })];
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 400, body: missing });
    expect(upstream.operations()).toEqual([]);
  });

  test('does not miss a variable that has a default', async () => {
    expect((await call('GET', 'echo')).body).toEqual({ echo: { must: 'given' } });
  });

  test('refuses null for a variable that may not be null, and says no value', async () => {
    const { status, body } = await callWith('PUT', 'needy', { text: null, counts: [4711, null] });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'validation-failed' });
    expect(JSON.stringify(body)).not.toContain('4711');
  });

  test('refuses a variable that is not declared, wherever it comes from', async () => {
    const refused = error('bad-request', 'Unexpected variable colour');
    expect(await call('GET', 'echo?colour=red')).toMatchObject({ status: 400, body: refused });
    expect(await callWith('POST', 'echo', { colour: 'red' })).toMatchObject({ status: 400, body: refused });
  });

  test('answers 400 to a role whose schema lacks a field of it', async () => {
    const { status, body } = await call('GET', 'stock', { headers: asManager });
    expect(status).toBe(400);
    expect(body).toMatchObject({ path: '$', code: 'validation-failed', error: expect.stringContaining('"stock"') });
    expect(upstream.operations()).toEqual([]);
  });
});

describe('where several endpoints could be meant', () => {
  test('a literal segment goes before a parameter', async () => {
    expect((await callWith('POST', 'echo/literal', { text: 'said' })).body).toMatchObject({ echo: { text: 'said' } });
  });

  test('the method decides where only it differs', async () => {
    expect((await call('GET', 'echo/literal')).body).toMatchObject({ echo: { text: 'literal' } });
    expect((await call('DELETE', 'things/b1')).body).toEqual({ drop: true });
  });

  test('the leftmost literal segment decides', async () => {
    expect((await call('GET', 'echo/17')).body).toEqual({ echo: { text: '17', must: 'given' } });
    expect((await call('GET', 'other/17')).body).toEqual({ echo: { text: 'other', id: '17', must: 'given' } });
  });
});

describe('a path or method that is not there', () => {
  test.each(['nothing', '', 'stock/', 'stock//', 'echo/a/b/c', 'Stock'])('"%s" is no endpoint', async (path) => {
    const { status, body } = await call('GET', path);
    expect({ status, body }).toEqual({ status: 404, body: error('not-found', 'Endpoint not found') });
  });

  test('another method is answered with the allowed ones', async () => {
    const { status, body, headers: sent } = await call('PATCH', 'echo');
    expect({ status, body }).toEqual({
      status: 405,
      body: error('method-not-allowed', 'Allowed methods: GET, POST, DELETE'),
    });
    expect(sent.allow).toBe('GET, POST, DELETE');
  });

  test.each(['stock', 'nothing'])('HEAD is not supported for "%s"', async (path) => {
    const { status, text } = await call('HEAD', path);
    expect({ status, text }).toEqual({ status: 400, text: '' });
  });

  test.each(['OPTIONS', 'TRACE'])('%s is not supported', async (method) => {
    const { status, body } = await call(method, 'stock');
    expect({ status, body }).toEqual({ status: 400, body: error('bad-request', `Method ${method} not supported.`) });
  });

  test.each(['PROPFIND', 'PURGE', 'REPORT'])('%s is no standard method', async (method) => {
    const { status, body } = await call(method, 'stock');
    const text = 'Nonstandard method not allowed for REST endpoints';
    expect({ status, body }).toEqual({ status: 400, body: error('bad-request', text) });
  });
});

describe('without a token', () => {
  const refused: readonly (readonly [string, string, string, Sent?])[] = [
    ['an endpoint', 'GET', 'stock'],
    ['an endpoint that does not exist', 'GET', 'nothing'],
    ['a method that an endpoint does not have', 'DELETE', 'stock'],
    ['a method that no endpoint has', 'OPTIONS', 'stock'],
    ['a variable that an endpoint does not declare', 'GET', 'echo?colour=red'],
    ['a missing variable', 'GET', 'needy'],
    ['a body that is no JSON', 'POST', 'echo', { headers: JSON_TYPE, body: '{' }],
    ['a body of another type', 'POST', 'echo', { headers: { 'content-type': 'text/plain' }, body: 'a' }],
  ];

  test.each(refused)('%s is answered with 401 and nothing else is said', async (_, method, path, sent = {}) => {
    const answer = await gateway.send<{ code: string }>(`/api/rest/${path}`, { method, ...sent });
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe('invalid-headers');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico"');
  });

  test('a public endpoint works, and says what is wrong', async () => {
    const enter = (body: unknown) => gateway.post('/api/rest/enter', body);
    expect(await enter({ name: 'alice' })).toMatchObject({
      status: 200,
      body: { enter: { success: true, ticket: 't' } },
    });
    expect(await enter({})).toMatchObject({
      status: 400,
      body: error('validation-failed', 'expecting a value for non-nullable variable: "name"'),
    });
    expect(await enter({ name: 'alice', age: 7 })).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(await gateway.send('/api/rest/enter')).toMatchObject({ status: 405 });
  });

  test('a public endpoint does not judge a token that comes with the request', async () => {
    const answer = await gateway.post('/api/rest/enter', { name: 'alice' }, bearer('expired.or.else'));
    expect(answer.status).toBe(200);
  });

  test('a role that the token does not allow is answered with 403', async () => {
    const answer = await call('GET', 'stock', { headers: { ...headers, 'x-hasura-role': 'admin' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'access-denied' } });
  });
});

describe('when a service reports an error', () => {
  test('its data come with the status that it named', async () => {
    const { status, body, headers } = await gateway.post('/api/rest/enter', { name: 'mallory' });
    expect({ status, body }).toEqual({ status: 401, body: { enter: { success: false, ticket: null } } });
    expect(headers['www-authenticate']).toBe('Bearer realm="portico"');
  });

  test.each([
    ['404', 404],
    ['429', 429],
    ['503', 503],
    ['BAD_USER_INPUT', 400],
    ['UNAUTHENTICATED', 401],
    ['FORBIDDEN', 403],
    ['NOT_FOUND', 404],
    ['INTERNAL_SERVER_ERROR', 502],
    ['OUT_OF_PAPER', 400],
    ['constructor', 400],
    ['access-denied', 403],
    ['unexpected', 500],
  ])('%s becomes the status %i', async (how, status) => {
    const answer = await call('GET', `fail?how=${how}`);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ path: '$', error: `failed: ${how}`, code: how });
  });

  test('an error without a code is a bad gateway', async () => {
    const { status, body } = await call('GET', 'fail?how=no+code');
    expect({ status, body }).toEqual({ status: 502, body: error('remote-schema-error', 'failed: no code') });
  });

  test('a status of success does not make a success of an error', async () => {
    expect((await call('GET', 'fail?how=200')).status).toBe(400);
  });

  test('of an operation that failed in part nothing is shown', async () => {
    const { body } = await call('GET', 'fail?how=404');
    expect(body).not.toHaveProperty('stock');
    expect(body).not.toHaveProperty('data');
  });

  test('a service that is down is a bad gateway', async () => {
    await upstream.stop();
    try {
      expect(await call('GET', 'stock')).toMatchObject({
        status: 502,
        body: { path: '$', code: 'remote-schema-error' },
      });
    } finally {
      await upstream.start();
    }
  });

  test.each([
    ['says so in GraphQL', { errors: [{ message: 'starting', extensions: { code: 'not-ready' } }] }, '7', '7'],
    ['does not say when it can', { errors: [{ message: 'starting' }] }, undefined, '5'],
    ['is answered for by a proxy', '<html>503</html>', '7', '7'],
    ['says it in no form of HTTP', { errors: [{ message: 'starting' }] }, 'in a while', '5'],
    [
      'says it by a date',
      { errors: [{ message: 'starting' }] },
      'Fri, 31 Dec 2999 23:59:59 GMT',
      'Fri, 31 Dec 2999 23:59:59 GMT',
    ],
  ])('one that cannot answer now and %s is a 503 with the time to come back', async (_, body, after, told) => {
    const { gateway, orders, issuer } = await keep(openPlatform());
    orders.instead = (_received, response) => {
      response.writeHead(503, { 'content-type': 'application/json', ...(after && { 'retry-after': after }) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const { status, headers } = await gateway.send('/api/rest/orders', { headers: bearer(issuer.token()) });
    expect([status, headers['retry-after']]).toEqual([503, told]);
  });

  test('one that does not answer in time is a gateway timeout', async () => {
    const slow = await keep(openPlatform());
    slow.orders.instead = () => {};
    const answer = await slow.gateway.send('/api/rest/orders', { headers: bearer(slow.issuer.token()) });
    expect(answer).toMatchObject({ status: 504, body: { path: '$', code: 'remote-schema-error' } });
  });
});

describe('when the webhook of an action', () => {
  const shred = () => callWith('POST', 'shred', { id: '1' }, asManager);

  test('is content, the endpoint answers its data', async () => {
    catalogue.shredded = { status: 200, body: { done: true } };
    expect(await shred()).toMatchObject({ status: 200, body: { shred: { done: true } } });
  });

  test('refuses, its own status, message and code are passed on', async () => {
    catalogue.shredded = { status: 422, body: { message: 'too thick', code: 'thick' } };
    const { status, body } = await shred();
    expect({ status, body }).toEqual({ status: 422, body: error('thick', 'too thick') });
  });

  test('refuses without a code, the code is "unexpected"', async () => {
    catalogue.shredded = { status: 409, body: { message: 'jammed' } };
    expect(await shred()).toMatchObject({ status: 409, body: error('unexpected', 'jammed') });
  });

  test('has extensions that are no texts, the body stays one that programs can read', async () => {
    catalogue.shredded = { status: 409, body: { message: 'jammed', extensions: { code: 7, path: ['a'] } } };
    expect(await shred()).toMatchObject({ status: 409, body: error('7', 'jammed') });
  });

  test.each([
    [{ message: 'jammed', code: 'jam', extensions: { code: 'other', tray: 2 } }, 'jam'],
    [{ message: 'jammed', code: 'jam', extensions: {} }, 'jam'],
    [{ message: 'jammed', extensions: { code: 'other' } }, 'other'],
    [{ message: 'jammed', extensions: { tray: 2 } }, 'unexpected'],
  ])('refuses with %j, the code is %s', async (body, code) => {
    catalogue.shredded = { status: 422, body };
    const answer = await shred();
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 422, body: error(code, 'jammed') });
  });

  test('breaks, it is an internal error', async () => {
    catalogue.shredded = { status: 503, body: { message: 'paper jam' } };
    expect(await shred()).toMatchObject({ status: 500, body: error('unexpected', 'internal error') });
  });

  test('answers what does not fit its type, it is a bad request as with Hasura', async () => {
    catalogue.shredded = { status: 200, body: { done: null } };
    const text = 'expecting not null value for field "done"';
    expect(await shred()).toMatchObject({ status: 400, body: error('unexpected', text) });
  });
});
