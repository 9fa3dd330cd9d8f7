import { afterEach, describe, expect, test } from '@jest/globals';
import { Cancellation } from '../../../platform/index.ts';
import { keeper, until } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

const open = () => keep(openGuarded({ deduplicate: true }));
const HEADERS = ['content-type', 'application/json', 'x-hasura-user-id', '7'];
const of = (...more: string[]) => ({ headers: [...HEADERS, ...more] });

describe('equal queries that are under way at the same time', () => {
  test('are sent once, and each has the answer', async () => {
    const { send, owed, service, guard } = await open();
    const sent = [
      send(of('x-request-id', 'a', 'x-forwarded-for', '1.1.1.1')),
      send(of('x-request-id', 'b', 'x-forwarded-for', '2.2.2.2')),
      send(of('x-request-id', 'c')),
    ];
    await until('one is under way', () => owed.length === 1);
    expect(guard.state().inFlight).toBe(1);
    owed[0]?.(200, { 'set-cookie': 'a=1' });
    const answers = await Promise.all(sent.map(({ response }) => response));
    expect(answers.map(({ body, headers }) => [body, headers['set-cookie']])).toEqual(new Array(3).fill(['{}', 'a=1']));
    expect(service.requests).toHaveLength(1);
    expect(guard.counts).toMatchObject({ shared: 2, outcomes: { success: 1 } });
    // What is over is over.
    const later = send(of());
    await until('it is asked anew', () => service.requests.length === 2);
    owed[0]?.();
    expect(await later.came).toBe(200);
  });

  test.each<[string, object]>([
    ['the caller', { headers: ['content-type', 'application/json', 'x-hasura-user-id', '8'] }],
    ['a header of the client’s', of('accept-language', 'de')],
    ['the body', { body: '{"query":"{ other }"}' }],
    ['that it is a mutation', { isQuery: false }],
  ])('are not equal when what differs is %s', async (_, more) => {
    const { send, owed, service } = await open();
    const sent = [send(of()), send({ ...of(), ...more })];
    await until('both are under way', () => owed.length === 2);
    for (const answer of [...owed]) answer();
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200]);
    expect(service.requests).toHaveLength(2);
  });

  test('go on for the others when the client of the first one disconnects', async () => {
    const { send, owed, service } = await open();
    const first = send(of());
    const second = send(of());
    await until('one is under way', () => owed.length === 1);
    first.leave();
    expect(await first.came).toBe('aborted');
    owed[0]?.();
    expect(await second.came).toBe(200);
    expect(service.requests).toHaveLength(1);
  });

  test('are cancelled when the last client disconnects; a later equal query is sent again', async () => {
    const { send, owed, service } = await open();
    const sent = [send(of()), send(of())];
    await until('one is under way', () => owed.length === 1);
    for (const one of sent) one.leave();
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual(['aborted', 'aborted']);
    const next = send(of());
    await until('the service knows', () => service.requests.length === 2 && owed.length === 1);
    owed[0]?.();
    expect(await next.came).toBe(200);
  });

  test('fail together', async () => {
    const guarded = await keep(
      openGuarded({ deduplicate: true, retries: { limit: 0, budgetPercent: 0, backoffMs: 0 } }),
    );
    guarded.answer = (_, response) => response.destroy();
    const sent = [guarded.send(of()), guarded.send(of())];
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual(['connection', 'connection']);
    expect(guarded.service.requests).toHaveLength(1);
  });

  /** What the response takes that all of them wait for. */
  const LONG = 1024 * 1024;
  test.each<[string, readonly boolean[], readonly number[]]>([
    ['all clients have their responses', [true, true], [4 * LONG, 4 * LONG, 0]],
    ['the last client has its response, as far as that is known', [false, true], [4 * LONG, 4 * LONG, 0]],
    ['they are received, where no more is known', [false, false], [0, 0, 0]],
  ])('have a response that counts until %s', async (_, haveEnds, counted) => {
    const guarded = await open();
    const clients = haveEnds.map((hasEnd) => new Cancellation(hasEnd));
    const sent = clients.map((cancellation) => guarded.send({ ...of(), cancellation }));
    const gone = guarded.send(of());
    await until('one is under way', () => guarded.owed.length === 1);
    gone.leave();
    guarded.owed[0]?.(200, {}, 'x'.repeat(LONG));
    const bytesNow = () => Math.round(guarded.connections.buffered.bytes / LONG) * LONG;
    for (const { response } of sent) expect((await response).body).toHaveLength(LONG);
    const seen = [bytesNow()];
    for (const client of clients) {
      client.end();
      seen.push(bytesNow());
    }
    expect(seen).toEqual(counted);
    expect(guarded.connections.buffered.bytes).toBe(0);
  });

  test('give back what a try took whose successor nobody waits for', async () => {
    const guarded = await open();
    const client = new Cancellation(true);
    const sent = guarded.send({ ...of(), cancellation: client });
    await until('it is under way', () => guarded.owed.length === 1);
    guarded.owed[0]?.(503, {}, 'x'.repeat(LONG));
    await until('it is tried again', () => guarded.service.requests.length === 2);
    client.cancel();
    expect(await sent.came).toBe('aborted');
    client.end();
    expect(guarded.connections.buffered.bytes).toBe(0);
  });
});

test('queries are sent each for itself where nothing else is said', async () => {
  const { send, owed } = await keep(openGuarded());
  const sent = [send(of()), send(of())];
  await until('both are under way', () => owed.length === 2);
  for (const answer of [...owed]) answer();
  expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200]);
});
