import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { keeper, reply, until } from '../gateway/harness/index.ts';
import { openFaultPlatform } from './platform.ts';

const { keep, close } = keeper();
afterAll(close);
const { ill, sound, ask, leave, hook } = await keep(openFaultPlatform());

/** Answers to what the slow service was asked, in the order in which it came. */
const owed: (() => void)[] = [];
const isSlow = (service = ill) =>
  service.fail(({ body }, response) => {
    const [, id = ''] = /id: ?(\d+)/.exec((body as { query: string }).query) ?? [];
    owed.push(() => reply(response, 200, { data: { ill_of: `slow ${id}` } }));
  });

afterEach(() => {
  for (const answer of owed.splice(0)) answer();
  ill.fail(undefined);
});

describe('while a service is slow', () => {
  test('the others are served as if nothing were', async () => {
    isSlow();
    let over = 0;
    const waiting = Array.from({ length: 200 }, (_, id) => ask(`{ ill_of(id: ${id}) }`).finally(() => over++));
    await until('all of them wait', () => owed.length === 200);
    for (let id = 0; id < 20; id++)
      expect((await ask(`{ sound_of(id: ${id}) }`)).body).toEqual({ data: { sound_of: `well ${id}` } });
    expect((await ask('{ act }')).body).toEqual({ data: { act: 'done' } });
    expect(over).toBe(0);
    for (const answer of owed.splice(0)) answer();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ body }) => body.data?.ill_of)).toEqual(waiting.map((_, id) => `slow ${id}`));
  });

  test('a client that disconnects cancels its own calls, and no other client’s', async () => {
    isSlow();
    const leaving = leave('{ ill_of(id: 1) more: ill_of(id: 2) sound }');
    const staying = ask('{ ill_of(id: 3) }');
    await until('both wait', () => ill.held() === 2);
    leaving.go();
    await until('its call is over', () => ill.held() === 1);
    for (const answer of owed.splice(0)) answer();
    expect((await staying).body).toEqual({ data: { ill_of: 'slow 3' } });
    expect(sound.held()).toBe(0);
  });

  test('a client that disconnects cancels its action calls too', async () => {
    const open = new Set<unknown>();
    hook.answer = (_, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
    };
    const leaving = leave('{ act }');
    await until('the webhook is called', () => open.size === 1);
    leaving.go();
    await until('the call is over', () => open.size === 0);
    hook.answer = (_, response) => response.end('"done"');
  });
});

test('who comes when a service has no place left, and none in its line, is refused at once', async () => {
  const small = await keep(openFaultPlatform({ concurrency: { max_in_flight: 1, max_queue: 0 } }));
  isSlow(small.ill);
  const waiting = small.ask('{ ill_of(id: 1) }');
  await until('it is under way', () => owed.length === 1);
  const refused = await small.ask('{ ill sound }');
  expect(refused.body).toEqual({
    data: { ill: null, sound: 'well' },
    errors: [
      expect.objectContaining({
        message: 'too many requests are waiting for the service "ill"',
        path: ['ill'],
        extensions: { path: '$', code: 'upstream-overloaded', service: 'ill', reason: 'overloaded', retry_after: 1 },
      }),
    ],
  });
  expect(refused.headers['retry-after']).toBe('1');
  owed.shift()?.();
  expect((await waiting).body).toEqual({ data: { ill_of: 'slow 1' } });
  small.ill.fail(undefined);
  expect((await small.ask('{ ill }')).body).toEqual({ data: { ill: 'well' } });
});
