import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort, openGateway, send, type TestGateway, until } from '../harness/index.ts';
import { begun, FIRST } from './begun-answer.ts';
import { ask, DEFERRED, openWorld, type World, writeMany } from './world.ts';

let world: World;
let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(() => world.forget());

/** A gateway that tells its metrics, and the value of one. */
async function measured(definition: object = {}) {
  const port = await freePort();
  const own = await world.gatewayWith(definition, { PORTICO_METRICS_PORT: String(port) });
  const metric = async (name: string): Promise<number> => {
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    const line = text.split('\n').find((one) => one.startsWith(name));
    return Number(line?.split(' ').at(-1) ?? Number.NaN);
  };
  return { own, metric };
}

const IN_FLIGHT = 'portico_upstream_in_flight{service="shop"';
const calls = (outcome: string) =>
  `portico_upstream_calls_total{service="shop",kind="remote-schema",outcome="${outcome}"}`;

describe('a client that disconnects', () => {
  test('has its operation cut at the service, and is logged as gone', async () => {
    const { own, metric } = await measured();
    const { written, answer } = await begun(own, world);
    answer.outgoing.destroy();
    await until('it is cut', () => written.isCut);
    await until('it is logged', () => own.logs().includes('"status":499'));
    // To cancel is no failure of the service.
    expect(own.logs()).toMatch(/"status":499[^\n]*"errors":0/);
    expect(own.logs()).not.toContain('error_codes');
    expect(await metric(IN_FLIGHT)).toBe(0);
    expect(await metric(calls('aborted'))).toBe(1);
    expect(await metric('portico_operations_total{type="query",outcome="errors"}')).toBe(1);
  });
});

describe('an answer in parts', () => {
  test('has its place until the last of them', async () => {
    const { own: narrow, metric } = await measured({
      resilience: { concurrency: { max_in_flight: 1, max_queue: 0 } },
    });
    const { written, answer } = await begun(narrow, world);
    expect(await metric(IN_FLIGHT)).toBe(1);
    const refused = await ask(narrow, world.issuer, DEFERRED);
    await refused.end();
    expect(JSON.parse(refused.text())).toMatchObject({ errors: [{ extensions: { code: 'upstream-overloaded' } }] });
    written.part({ hasNext: false });
    written.end();
    await answer.end();
    await until('the place is free', async () => (await metric(IN_FLIGHT)) === 0);
    expect(await metric(calls('success'))).toBe(1);
    world.shop.instead = undefined;
    const next = await ask(narrow, world.issuer, DEFERRED);
    await next.end();
    expect(JSON.parse(next.text()).data).toBeDefined();
  });

  test('gives its place back with the last of them, though its client has not read it', async () => {
    const { own, metric } = await measured();
    world.shop.answerInParts();
    const asked = ask(own, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST, { incremental: [{ data: { long: 'x'.repeat(20_000_000) }, path: [] }], hasNext: false });
    written.end();
    const answer = await asked;
    await until('the place is free', async () => (await metric(IN_FLIGHT)) === 0);
    expect(answer.response.complete).toBe(false);
    answer.outgoing.destroy();
  });

  test('that is late because of its client says nothing of the service', async () => {
    const breaker = { enabled: true, failure_percent: 100, minimum_requests: 1 };
    const wary = await world.gatewayWith({ timeout_seconds: 6, resilience: { circuit_breaker: breaker } });
    world.shop.answerInParts();
    const asked = ask(wary, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST);
    const answer = await asked;
    // Small parts: what takes the gateway long to read may be late because of the machine, before the client has to be awaited.
    const sending = writeMany(written, 500);
    await until('it is cut', () => written.isCut);
    expect(sending.sent()).toBeLessThan(500);
    world.shop.instead = undefined;
    const next = await ask(wary, world.issuer, DEFERRED);
    await next.end();
    expect(JSON.parse(next.text()).errors).toBeUndefined();
    answer.outgoing.destroy();
  });

  test('that is cut counts as a failure of the service', async () => {
    const breaker = { enabled: true, failure_percent: 100, minimum_requests: 1 };
    const wary = await world.gatewayWith({ resilience: { circuit_breaker: breaker } });
    const { written, answer } = await begun(wary, world);
    written.response.destroy();
    await answer.end();
    const refused = await ask(wary, world.issuer, DEFERRED);
    await refused.end();
    expect(JSON.parse(refused.text())).toMatchObject({ errors: [{ extensions: { code: 'circuit-open' } }] });
  });

  test('is asked for once, though others are shared and tried again', async () => {
    const sharing = await world.gatewayWith({ resilience: { deduplicate: 'in-flight', retries: { limit: 2 } } });
    world.shop.answerInParts();
    const asked = [ask(sharing, world.issuer, DEFERRED), ask(sharing, world.issuer, DEFERRED)];
    const both = [await world.shop.written(0), await world.shop.written(1)];
    for (const written of both) written.part(FIRST);
    for (const answer of await Promise.all(asked)) await answer.untilParts(1);
    for (const written of both) written.response.destroy();
    for (const answer of await Promise.all(asked)) expect(await answer.end()).toHaveLength(2);
    expect(world.shop.operations()).toHaveLength(2);
  });

  test('that has not begun is asked for again', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    (await world.shop.written()).response.destroy();
    const written = await world.shop.written(1);
    written.part(FIRST, { hasNext: false });
    expect(await (await asked).end()).toHaveLength(2);
  });

  test('is finished while the gateway stops', async () => {
    const stopping = await openGateway({
      issuer: world.issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: world.shop.graphqlUrl } }] },
      environment: { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '10' },
    });
    const { written, answer } = await begun(stopping, world);
    const stopped = stopping.close();
    await until('it takes no one else', () =>
      stopping.send('/healthz').then(
        () => false,
        () => true,
      ),
    );
    written.part({ hasNext: false });
    written.end();
    expect(await answer.end()).toEqual([FIRST, { hasNext: false }]);
    await stopped;
  });

  test('is read no faster than its client reads', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST);
    const answer = await asked;
    const MANY = 500;
    const sending = writeMany(written, MANY);
    // What is in the buffers of all parties is far less than all 50 MB.
    await sending.standsStill();
    expect(sending.sent()).toBeLessThan(MANY / 2);
    let bytes = 0;
    answer.response.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    await answer.end();
    expect(sending.sent()).toBe(MANY);
    expect(bytes).toBeGreaterThan(MANY * 100_000);
  });
});
