import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type TestGateway, until } from '../harness/index.ts';
import { begun, FIRST, PENDING } from './begun-answer.ts';
import { ask, DEFERRED, openWorld, type World } from './world.ts';

let world: World;
let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(() => world.forget());

const errorOf = (message: string, reason: string) => ({
  message,
  extensions: { path: '$', code: 'remote-schema-error', service: 'shop', reason },
});
const CUT = errorOf('the service "shop" did not complete its response', 'connection');

describe('a service that does not finish', () => {
  test('because it is cut ends with an error in the form of August 2022', async () => {
    const { written, answer } = await begun(gateway, world);
    written.response.destroy();
    expect(await answer.end()).toEqual([FIRST, { errors: [CUT], hasNext: false }]);
    expect(answer.text().endsWith('\r\n-----\r\n')).toBe(true);
    await until('it is logged', () => gateway.logs().includes('upstream.response_truncated'));
  });

  test('ends what is still promised in the form of today', async () => {
    const { written, answer } = await begun(gateway, world, PENDING);
    const next = { pending: [{ id: '2', path: [] }], completed: [{ id: '0' }], hasNext: true };
    written.part(next);
    await answer.untilParts(2);
    written.response.destroy();
    const completed = [
      { id: '1', errors: [CUT] },
      { id: '2', errors: [CUT] },
    ];
    expect(await answer.end()).toEqual([PENDING, next, { completed, hasNext: false }]);
  });

  test('because it promises ever more is cut, before the promises fill the memory', async () => {
    const { written, answer } = await begun(gateway, world, PENDING);
    const promised = (part: number) =>
      Array.from({ length: 1_000 }, (_, index) => ({ id: `${part}-${index}`.padEnd(1_000, '-'), path: [] }));
    for (let part = 0; part < 3; part += 1) written.part({ pending: promised(part), hasNext: true });
    const parts = await answer.end();
    // An error for each of them would be as long as the promises.
    expect(parts.at(-1)).toEqual({ errors: [CUT], hasNext: false });
    await until('it is cut', () => written.isCut);
  });

  test('after a long answer ends what is still promised', async () => {
    const { written, answer } = await begun(gateway, world, PENDING);
    const long = { incremental: [{ id: '0', data: { long: 'x'.repeat(700_000) } }], completed: [{ id: '0' }] };
    written.part({ ...long, pending: [{ id: '2', path: [] }], hasNext: true });
    written.part({ ...long, completed: [{ id: '2' }], hasNext: true });
    written.part({ ...long, completed: [], pending: [{ id: '3', path: [] }], hasNext: true });
    await answer.untilParts(4);
    written.response.destroy();
    const [last] = (await answer.end()).slice(-1);
    expect(last).toEqual({ completed: ['1', '3'].map((id) => ({ id, errors: [CUT] })), hasNext: false });
  });

  test.each([
    ['ends its body too early', (end: () => void) => end()],
    ['sends what is no JSON', (_: () => void, part: (text: string) => void) => part('{"errors": oh')],
    ['sends JSON that is no object', (_: () => void, part: (text: string) => void) => part('[{}]')],
    ['sends a text that is no object', (_: () => void, part: (text: string) => void) => part('oh')],
    ['sends what is no multipart', (_: () => void, __: unknown, write: (text: string) => void) => write('oh\r\n\r\n')],
  ])('because it %s ends with an error', async (_, fail) => {
    const { written, answer } = await begun(gateway, world);
    fail(written.end, written.part, (text) => written.response.write(text));
    expect(await answer.end()).toEqual([FIRST, { errors: [CUT], hasNext: false }]);
  });

  test.each([
    ['is cut before the first part', (response: { destroy(): void }) => response.destroy(), 'cannot be reached'],
    ['ends before the first part', (response: { end(): void }) => response.end(), 'cannot be reached'],
  ])('because it %s fails in one piece', async (_, fail, message) => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, 'mutation { order { ... @defer { id } } }');
    fail((await world.shop.written()).response as never);
    const answer = await asked;
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text())).toMatchObject({
      data: { order: null },
      errors: [{ message: `the service "shop" ${message}`, path: ['order'] }],
    });
  });

  test('and whose first part is no JSON fails in one piece', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    (await world.shop.written()).part('oh');
    const answer = await asked;
    await answer.end();
    expect(JSON.parse(answer.text())).toMatchObject({
      data: { product: null },
      errors: [{ message: 'Remote server response is not valid JSON', path: ['product'] }],
    });
  });

  test('within its time ends with an error, and is cut', async () => {
    const slow = await world.gatewayWith({ timeout_seconds: 1 });
    const { written, answer } = await begun(slow, world);
    const error = errorOf('the service "shop" did not respond in time', 'timeout');
    expect(await answer.end()).toEqual([FIRST, { errors: [error], hasNext: false }]);
    await until('it is cut', () => written.isCut);
  });

  test('within the time of an operation ends with an error, and is cut', async () => {
    const limited = await world.gatewayWith(
      {},
      {},
      { 'api_limits.yaml': { disabled: false, time_limit: { global: 1, per_role: {} } } },
    );
    const { written, answer } = await begun(limited, world, PENDING);
    const [, last] = await answer.end();
    const errors = [{ extensions: { code: 'tenant-time-limit-exceeded' } }];
    expect(last).toMatchObject({
      completed: [
        { id: '0', errors },
        { id: '1', errors },
      ],
      hasNext: false,
    });
    await until('it is cut', () => written.isCut);
  });

  test('because it has sent too much ends with an error, and is cut', async () => {
    const small = await world.gatewayWith({}, { PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '50000' });
    const { written, answer } = await begun(small, world);
    written.part({ incremental: [{ data: { long: 'x'.repeat(100_000) } }], hasNext: true });
    const error = errorOf('the service "shop" returned a response that is too large', 'too-large');
    expect(await answer.end()).toEqual([FIRST, { errors: [error], hasNext: false }]);
    await until('it is cut', () => written.isCut);
  });
});

describe('the deadline of the headers', () => {
  test('is for the first part', async () => {
    const strict = await world.gatewayWith({ resilience: { headers_timeout_seconds: 1 } });
    world.shop.answerInParts();
    const answer = await ask(strict, world.issuer, DEFERRED);
    await answer.end();
    expect(JSON.parse(answer.text())).toMatchObject({ errors: [{ extensions: { reason: 'timeout' } }] });
  });

  test('and for no other one', async () => {
    const strict = await world.gatewayWith({ resilience: { headers_timeout_seconds: 1 } });
    const { written, answer } = await begun(strict, world);
    // Another operation begins later, and its deadline passes.
    const late = await ask(strict, world.issuer, DEFERRED);
    await late.end();
    expect(JSON.parse(late.text())).toMatchObject({ errors: [{ extensions: { reason: 'timeout' } }] });
    written.part({ hasNext: false });
    expect(await answer.end()).toEqual([FIRST, { hasNext: false }]);
  });
});
