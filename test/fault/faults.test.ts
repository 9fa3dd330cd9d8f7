import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { type Handler, keeper, until } from '../gateway/harness/index.ts';
import { faults } from './faulty-service.ts';
import { openFaultPlatform } from './platform.ts';

const { keep, close } = keeper();
afterAll(close);
// Each fault is looked at by itself here, so nothing is kept from the service because of the one before.
const platform = await keep(
  openFaultPlatform(
    { circuit_breaker: { enabled: false }, retries: { limit: 0 } },
    // Patient enough for a busy machine, and short enough to be waited for.
    { timeoutSeconds: 2, environment: { PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '262144' } },
  ),
);
const { ill, sound, gateway, ask } = platform;
afterEach(() => ill.fail(undefined));

const told = (message: string, more: object = {}) => ({
  message,
  extensions: { path: '$', code: 'remote-schema-error', service: 'ill', ...more },
});
const LATE = told('the service "ill" did not respond in time', { reason: 'timeout' });
const LOST = told('the service "ill" cannot be reached', { reason: 'connection' });
const NO_JSON = told('Remote server response is not valid JSON');

const CASES: readonly (readonly [what: string, fault: Handler, expected: ReturnType<typeof told>])[] = [
  ['says nothing', faults.hangs, LATE],
  ['stops in the middle of its answer', faults.hangsInBody, LATE],
  ['is cut in the middle of its answer', faults.cutsBody, LOST],
  ['hangs up', faults.hangsUp, LOST],
  ['does not speak HTTP', faults.noHttp, LOST],
  ['does not answer in JSON', faults.noJson, NO_JSON],
  ['does not answer in GraphQL', faults.noGraphql, told('Missing "data" field with no errors in response from remote')],
  ['fails with 500', faults.fails, NO_JSON],
  ['is busy with 429', faults.isBusy, NO_JSON],
  [
    'does not stop talking',
    faults.floods,
    told('the service "ill" returned a response that is too large', { reason: 'too-large' }),
  ],
];

describe.each(CASES)('a service that %s', (_, fault, expected) => {
  test('costs its own fields, each with an error, and nothing of the others', async () => {
    ill.fail(fault);
    const { status, body, text } = await ask('{ ill again: ill ill_more sound sound_more }');
    expect(status).toBe(200);
    expect(body.data).toEqual({ ill: null, again: null, ill_more: null, sound: 'well', sound_more: 'more' });
    expect(body.errors).toHaveLength(3);
    expect(body.errors).toEqual(
      ['ill', 'again', 'ill_more'].map((key) => expect.objectContaining({ ...expected, path: [key] })),
    );
    for (const secret of [String(ill.port), '127.0.0.1', 'trace']) expect(text).not.toContain(secret);
  });

  test('costs its own fields where it is asked alone', async () => {
    ill.fail(fault);
    const { body } = await ask('{ ill again: ill }');
    expect(body.data).toEqual({ ill: null, again: null });
    expect(body.errors).toEqual(['ill', 'again'].map((key) => expect.objectContaining({ ...expected, path: [key] })));
  });

  test('does not delay callers of another service', async () => {
    ill.fail(fault);
    const failing = Array.from({ length: 20 }, (_, id) => ask(`{ ill_of(id: ${id}) }`));
    for (let id = 0; id < 20; id++) {
      const { body } = await ask(`{ sound_of(id: ${id}) }`);
      expect(body).toEqual({ data: { sound_of: `well ${id}` } });
    }
    for (const { body } of await Promise.all(failing)) expect(body.errors).toMatchObject([expected]);
  });

  test('is called again as soon as it is back, and keeps no state of the failure', async () => {
    ill.fail(fault);
    await ask('{ ill }');
    ill.fail(undefined);
    expect((await ask('{ ill sound }')).body).toEqual({ data: { ill: 'well', sound: 'well' } });
    await until('no connection hangs', () => ill.held() === 0);
    expect((await ask('mutation { ill_change }')).body).toEqual({ data: { ill_change: 'changed' } });
  });
});

test('a service that is down costs its own fields, and is back when it is back', async () => {
  await ill.stop();
  const { body } = await ask('{ ill sound }');
  expect(body).toMatchObject({ data: { ill: null, sound: 'well' }, errors: [{ ...LOST, path: ['ill'] }] });
  await ill.start();
  expect((await ask('{ ill sound }')).body).toEqual({ data: { ill: 'well', sound: 'well' } });
});

test('an action whose webhook fails costs its own field', async () => {
  const answers: [Handler, string][] = [
    [faults.hangs, 'http exception when calling webhook'],
    [faults.cutsBody, 'http exception when calling webhook'],
    [faults.noJson, 'not a valid json response from webhook'],
    [(_, response) => response.writeHead(500).end('{}'), 'internal error'],
  ];
  for (const [answer, message] of answers) {
    platform.hook.answer = answer;
    const { body } = await ask('{ act sound }');
    expect(body).toMatchObject({
      data: { act: null, sound: 'well' },
      errors: [{ message, path: ['act'], extensions: { path: '$', code: 'unexpected', service: 'act' } }],
    });
  }
  platform.hook.answer = (_, response) => response.end('"done"');
  expect((await ask('{ act }')).body).toEqual({ data: { act: 'done' } });
  expect((await gateway.send('/healthz')).text).toBe('OK');
  expect(sound.held()).toBe(0);
});
