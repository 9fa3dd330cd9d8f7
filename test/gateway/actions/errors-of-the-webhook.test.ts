import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, reply } from '../harness/index.ts';
import { type Answering, openActionsGateway } from './actions-gateway.ts';

const { keep, close } = keeper();
afterAll(close);
const actions = await keep(openActionsGateway());
const { token, hook, gateway, call, answerBy, answerWith } = actions;
beforeEach(actions.forget);

describe('an error of the webhook', () => {
  const relayed: [string, number, unknown, string, Record<string, unknown>][] = [
    ['has the code unexpected without one', 400, { message: 'no' }, 'no', { path: '$', code: 'unexpected' }],
    ['keeps its code', 404, { message: 'no', code: 'gone' }, 'no', { path: '$', code: 'gone' }],
    [
      'keeps its extensions as they are',
      409,
      { message: 'no', code: 'c', extensions: { foo: 'bar', code: 'own' } },
      'no',
      { foo: 'bar', code: 'own' },
    ],
    ['keeps extensions without a code', 400, { message: 'no', extensions: { foo: 'bar' } }, 'no', { foo: 'bar' }],
    ['keeps extensions of nothing', 400, { message: 'no', code: 'c', extensions: {} }, 'no', {}],
    [
      'needs a message',
      400,
      { code: 'c' },
      'the error response of the action webhook has no "message"',
      { path: '$', code: 'parse-failed' },
    ],
    [
      'needs to be an object',
      400,
      'no',
      'the error response of the action webhook has no "message"',
      { path: '$', code: 'parse-failed' },
    ],
    [
      'is an internal error with a status of 500',
      500,
      { message: 'trace' },
      'internal error',
      { path: '$', code: 'unexpected', service: 'text' },
    ],
    [
      'is an internal error with a status of 302',
      302,
      { message: 'moved' },
      'internal error',
      { path: '$', code: 'unexpected', service: 'text' },
    ],
  ];

  test.each(relayed)('%s', async (_, status, answer, message, extensions) => {
    answerWith(status, answer);
    const { body, ...rest } = await call('{ text }');
    expect(rest.status).toBe(200);
    expect(body.data).toEqual({ text: null });
    expect(body.errors?.[0]).toEqual({ message, path: ['text'], extensions });
  });

  const broken: [string, Answering, string][] = [
    ['an answer that is not JSON', (_, response) => response.end('<html>'), 'not a valid json response from webhook'],
    ['an empty 204', (_, response) => response.writeHead(204).end(), 'not a valid json response from webhook'],
    ['a 502 in HTML', (_, response) => response.writeHead(502).end('<html>'), 'not a valid json response from webhook'],
    ['a connection that is cut', (_, response) => response.destroy(), 'http exception when calling webhook'],
    ['no answer in time', () => new Promise(() => {}), 'http exception when calling webhook'],
  ];

  test.each(broken)('has Hasura’s message for %s', async (_, answer, message) => {
    answerBy(answer);
    const { body, text } = await call('{ text }');
    const extensions = { path: '$', code: 'unexpected', service: 'text' };
    expect(body.errors).toEqual([{ message, path: ['text'], extensions }]);
    expect(text).not.toContain(String(hook.port));
  });

  test('leaves me what the other fields brought', async () => {
    answerBy(({ url }, response) => (url === '/text' ? reply(response, 400, { message: 'no' }) : 42));
    const { body } = await call('{ text number }');
    expect(body).toMatchObject({ data: { text: null, number: 42 }, errors: [{ message: 'no', path: ['text'] }] });
  });

  test('has its own status over REST, and 500 where it is not my fault', async () => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    answerWith(409, { message: 'taken', code: 'taken' });
    const refused = await gateway.send('/api/rest/object', { headers });
    expect([refused.status, refused.body]).toEqual([409, { path: '$', error: 'taken', code: 'taken' }]);
    answerWith(400, { message: 'no', extensions: { foo: 'bar' } });
    const bare = await gateway.send('/api/rest/object', { headers });
    expect([bare.status, bare.body]).toEqual([400, { path: '$', error: 'no', code: 'unexpected' }]);
    answerWith(500, { message: 'trace' });
    const failed = await gateway.send('/api/rest/object', { headers });
    expect([failed.status, failed.body]).toEqual([500, { path: '$', error: 'internal error', code: 'unexpected' }]);
    answerWith(200, []);
    expect((await gateway.send('/api/rest/object', { headers })).status).toBe(400);
  });

  test('is logged by its status where a server or a proxy fails in HTML', async () => {
    answerBy((_, response) => response.writeHead(502).end('<html>'));
    const before = gateway.logs().length;
    await call('{ text }');
    const logged = gateway.logs().slice(before);
    expect(logged).toContain('"event":"action.call_failed","action":"text","status":502');
    expect(logged).not.toContain('action.invalid_response');
  });
});
