import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, reply, until } from '../gateway/harness/index.ts';
import { faults } from './faulty-service.ts';
import { type FaultPlatform, openFaultPlatform } from './platform.ts';

const { keep, close } = keeper();
afterEach(close);

const BREAKER = { failure_percent: 50, minimum_requests: 4, open_seconds: 0.5, half_open_probes: 1 };

const open = (more: object = {}) =>
  openFaultPlatform({ circuit_breaker: { ...BREAKER, ...more }, retries: { limit: 0 } }, { timeoutSeconds: 1 });

const several = async (count: number, ask: () => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await ask();
};

interface Readiness {
  readonly ready: boolean;
  readonly circuits: readonly object[];
}

const circuits = async ({ gateway }: FaultPlatform) => (await gateway.send<Readiness>('/readyz')).body.circuits;

describe('a service that fails too often', () => {
  let platform: FaultPlatform;
  beforeEach(async () => {
    platform = await keep(open({ open_seconds: 600 }));
  });

  test('is not called any more, fails its own fields only, and is shown to operators', async () => {
    const { ill, ask, gateway } = platform;
    expect(await circuits(platform)).toEqual([]);
    ill.fail(faults.hangsUp);
    await several(4, () => ask('{ ill sound }'));
    expect(ill.asked()).toBe(4);
    // It is well again, but no call shows that yet.
    ill.fail(undefined);
    const { body, headers } = await ask('{ ill ill_more sound }');
    const extensions = {
      path: '$',
      code: 'circuit-open',
      service: 'ill',
      reason: 'circuit-open',
      retry_after: expect.any(Number),
    };
    const message = 'the service "ill" has failed too often and is temporarily not called';
    expect(body.data).toEqual({ ill: null, ill_more: null, sound: 'well' });
    expect(body.errors).toEqual(
      ['ill', 'ill_more'].map((key) => expect.objectContaining({ message, path: [key], extensions })),
    );
    expect(Number(headers['retry-after'])).toBeGreaterThan(590);
    expect((await ask('mutation { ill_change }')).body.errors).toMatchObject([
      { extensions: { code: 'circuit-open' } },
    ]);
    expect(ill.asked()).toBe(4);

    expect(await circuits(platform)).toEqual([{ name: 'ill', kind: 'remote-schema', state: 'open' }]);
    expect(await gateway.send('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
    expect(await gateway.send('/healthz')).toMatchObject({
      status: 200,
      text: 'WARN: failing services are temporarily not called',
    });
    expect(gateway.logs().split('circuit_breaker.opened').length - 1).toBe(1);
  });

  test.each([
    ['with 500', faults.fails],
    ['with 503', faults.isUnavailable],
    ['by not answering in time', faults.hangs],
    ['by stopping in the middle of its answer', faults.hangsInBody],
  ])('%s counts as one', async (_, fault) => {
    platform.ill.fail(fault);
    await Promise.all(Array.from({ length: 4 }, (_, id) => platform.ask(`{ ill_of(id: ${id}) }`)));
    expect(await circuits(platform)).toHaveLength(1);
  });

  test.each([
    ['answers with GraphQL errors', faults.refusesInGraphql],
    ['says that it was asked for something wrong', faults.refuses],
    ['is too busy for us', faults.isBusy],
  ])('is not one that %s', async (_, fault) => {
    platform.ill.fail(fault);
    await several(8, () => platform.ask('{ ill }'));
    expect(await circuits(platform)).toEqual([]);
    expect(platform.ill.asked()).toBe(8);
  });

  test('is not one whose clients go away', async () => {
    const { ill, leave } = platform;
    ill.fail(faults.hangs);
    const clients = Array.from({ length: 8 }, (_, id) => leave(`{ ill_of(id: ${id}) }`));
    await until('all wait', () => ill.held() === 8);
    for (const client of clients) client.go();
    await until('all are gone', () => ill.held() === 0);
    expect(await circuits(platform)).toEqual([]);
  });
});

test('a service gets one trial call after a while, and all callers are served once it answers', async () => {
  const platform = await keep(open());
  const { ill, ask, gateway } = platform;
  ill.fail(faults.fails);
  await several(4, () => ask('{ ill }'));
  expect((await ask('{ ill }')).body.errors).toMatchObject([{ extensions: { code: 'circuit-open' } }]);
  // Still ill: one is let through after the time is over, and the circuit is open again.
  await until('somebody is let through', async () => {
    await ask('{ ill }');
    return ill.asked() === 5;
  });
  expect(await circuits(platform)).toHaveLength(1);

  let answer = () => {};
  ill.fail((_, response) => {
    answer = () => reply(response, 200, { data: { ill: 'well' } });
  });
  await until('its time is over', async () =>
    (await circuits(platform)).some((one) => 'state' in one && one.state === 'half-open'),
  );
  const probe = ask('{ ill }');
  await until('the probe is sent', () => ill.held() === 1);
  expect((await ask('{ ill }')).body.errors).toMatchObject([{ extensions: { code: 'circuit-open', retry_after: 1 } }]);
  expect(ill.asked()).toBe(6);
  answer();
  expect((await probe).body).toEqual({ data: { ill: 'well' } });
  ill.fail(undefined);
  expect(await circuits(platform)).toEqual([]);
  expect((await gateway.send('/healthz')).text).toBe('OK');
  expect((await ask('{ ill }')).body).toEqual({ data: { ill: 'well' } });
});

test('a service that stays down is logged once, and once more when it is back', async () => {
  const platform = await keep(open({ open_seconds: 0.05 }));
  const { ill, ask, gateway } = platform;
  const logged = (event: string) => gateway.logs().split(event).length - 1;
  ill.fail(faults.hangsUp);
  await several(4, () => ask('{ ill }'));
  await until('several probes have failed', async () => {
    await ask('{ ill }');
    return ill.asked() > 7;
  });
  expect(logged('circuit_breaker.opened')).toBe(1);
  ill.fail(undefined);
  await until('it is answered again', async () => (await ask('{ ill }')).body.errors === undefined);
  expect([logged('circuit_breaker.opened'), logged('circuit_breaker.closed')]).toEqual([1, 1]);
});

test('an action that fails too often is not called, over REST that is 503 and when to come back', async () => {
  const queries = [{ name: 'act', query: '{ act }' }];
  const platform = await keep(
    openFaultPlatform(
      { circuit_breaker: { ...BREAKER, open_seconds: 600 }, retries: { limit: 0 } },
      {
        metadata: {
          'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
          'rest_endpoints.yaml': [
            {
              name: 'act',
              url: 'act',
              methods: ['GET'],
              definition: { query: { collection_name: 'saved', query_name: 'act' } },
            },
          ],
        },
      },
    ),
  );
  const { hook, ask, gateway, token } = platform;
  hook.answer = faults.fails;
  await several(4, () => ask('{ act }'));
  const { status, headers, body } = await gateway.send('/api/rest/act', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([status, body]).toEqual([
    503,
    { path: '$', error: 'the service "act" has failed too often and is temporarily not called', code: 'circuit-open' },
  ]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  // The other action at the same address is not the one that failed.
  hook.answer = (_, response) => response.end('"done"');
  expect((await ask('mutation { do }')).body).toEqual({ data: { do: 'done' } });
});
