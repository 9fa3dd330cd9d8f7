import { afterEach, describe, expect, test } from '@jest/globals';
import { Cancellation } from '../../../platform/index.ts';
import { keeper, until } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

const open = () => keep(openGuarded({ deduplicate: 'in-flight' }));
const HEADERS = ['content-type', 'application/json', 'x-hasura-user-id', '7'];
const of = (...more: string[]) => ({ headers: [...HEADERS, ...more] });

describe('equal queries that are under way at the same time', () => {
  test('are sent once, and each has the answer', async () => {
    const { send, owed, service, guard } = await open();
    const sent = [
      send(of('x-request-id', 'a', 'x-forwarded-for', '1.1.1.1')),
      send(of('x-request-id', 'b', 'x-forwarded-for', '2.2.2.2')),
      send(of('x-request-id', 'c', 'x-forwarded-for', '3.3.3.3')),
    ];
    await until('one is under way', () => owed.length === 1);
    expect(guard.state().inFlight).toBe(1);
    owed[0]?.(200, { 'x-from': 'a' });
    const answers = await Promise.all(sent.map(({ response }) => response));
    expect(answers.map(({ body, headers }) => [body, headers['x-from']])).toEqual(new Array(3).fill(['{}', 'a']));
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
      openGuarded({ deduplicate: 'in-flight', retries: { limit: 0, budgetPercent: 0, backoffMs: 0 } }),
    );
    guarded.answer = (_, response) => response.destroy();
    const sent = [guarded.send(of()), guarded.send(of())];
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual(['connection', 'connection']);
    expect(guarded.service.requests).toHaveLength(1);
  });

  /** What the response takes that all of them wait for. */
  const LONG = 1024 * 1024;
  test.each<[string, readonly boolean[], readonly number[]]>([
    ['all clients have their responses', [true, true], [7 * LONG, 7 * LONG, 0]],
    ['the last client has its response, as far as that is known', [false, true], [7 * LONG, 7 * LONG, 0]],
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

  test('of which each reads a long response count each of them', async () => {
    const guarded = await open();
    const clients = [1, 2].map(() => new Cancellation(true));
    const sent = clients.map((cancellation) => guarded.send({ ...of(), cancellation }));
    await until('one is under way', () => guarded.owed.length === 1);
    guarded.owed[0]?.(200, {}, 'x'.repeat(LONG));
    const lengths = await Promise.all(sent.map(async ({ response }) => (await response).body.length));
    expect(lengths).toEqual([LONG, LONG]);
    // The bytes once, and for each of both a copy, its text and its value.
    expect(Math.round(guarded.connections.buffered.bytes / LONG)).toBe(7);
    for (const client of clients) client.end();
    expect(guarded.connections.buffered.bytes).toBe(0);
  });

  test('that have a long response are given it a few at a time, and sent again for the others', async () => {
    const guarded = await open();
    const sent = Array.from({ length: 20 }, () => guarded.send(of()));
    await until('one is under way', () => guarded.owed.length === 1);
    guarded.answer = (_, response) => response.end('x'.repeat(LONG));
    guarded.owed[0]?.(200, {}, 'x'.repeat(LONG));
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual(new Array(20).fill(200));
    // Seven of them read eight megabytes each within the limit.
    expect(guarded.service.requests).toHaveLength(3);
    expect(guarded.guard.counts).toMatchObject({ shared: 19, outcomes: { success: 3 } });
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

test('queries are sent each for itself where the source says so', async () => {
  const { send, owed } = await keep(openGuarded({ deduplicate: 'never' }));
  const sent = [send(of()), send(of())];
  await until('both are under way', () => owed.length === 2);
  for (const answer of [...owed]) answer();
  expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200]);
});

describe('equal queries that no setting is about', () => {
  const USER = ['x-hasura-user-id', '7', 'x-request-id', 'a', 'x-forwarded-for', '1.1.1.1'];
  const ofUser = (...more: string[]) => ({ headers: ['content-type', 'application/json', ...USER, ...more] });

  test('are sent once while the first of them waits to be sent', async () => {
    const { send, owed, service, guard } = await keep(openGuarded());
    const other = { headers: ofUser().headers.map((value) => (value === 'a' ? 'b' : value)) };
    const sent = [send(ofUser()), send(other), send(ofUser())];
    await until('one is under way', () => owed.length === 1);
    owed[0]?.();
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200, 200]);
    expect(service.requests).toHaveLength(1);
    expect(guard.counts).toMatchObject({ shared: 2, outcomes: { success: 1 } });
  });

  test('are sent once while they wait for a slot', async () => {
    const concurrency = { maxInFlight: 1, maxQueue: 10, queueTimeoutMs: 5_000 };
    const { send, owed, service } = await keep(openGuarded({ concurrency }));
    const before = send({ ...ofUser(), body: '{"query":"{ before }"}' });
    await until('the slot is taken', () => owed.length === 1);
    const first = send(ofUser());
    await new Promise(setImmediate);
    const second = send(ofUser());
    owed[0]?.();
    expect(await before.came).toBe(200);
    await until('one is under way', () => owed.length === 1);
    owed[0]?.();
    expect([await first.came, await second.came]).toEqual([200, 200]);
    expect(service.requests).toHaveLength(2);
  });

  test('are each sent that arrive after an equal one was sent: its response may be older than they are', async () => {
    const { send, owed, service } = await keep(openGuarded());
    const first = send(ofUser());
    await until('it is under way', () => owed.length === 1);
    const second = send(ofUser());
    await until('both are under way', () => owed.length === 2);
    for (const answer of [...owed]) answer();
    expect([await first.came, await second.came]).toEqual([200, 200]);
    expect(service.requests).toHaveLength(2);
  });

  const anonymous = ['x-hasura-role', 'anonymous', 'x-forwarded-for', '1.1.1.1'];
  test.each<[string, string[], string[]]>([
    ['is of another user', ['x-hasura-user-id', '7'], ['x-hasura-user-id', '8']],
    ['is of another tenant', [...USER, 'x-hasura-tenant-id', '1'], [...USER, 'x-hasura-tenant-id', '2']],
    ['has one claim more', USER, [...USER, 'x-hasura-tenant-id', '2']],
    ['has another assertion', [...USER, 'x-portico-assertion', 'a'], [...USER, 'x-portico-assertion', 'b']],
    ['is sent from another address', USER, USER.map((value) => (value === '1.1.1.1' ? '2.2.2.2' : value))],
    ['has another header', [...USER, 'accept-language', 'en'], [...USER, 'accept-language', 'de']],
    ['has a header of another name', [...USER, 'x-a', 'en'], [...USER, 'x-b', 'en']],
    ['is of callers that no claim names', anonymous, anonymous],
  ])('are each sent where one %s', async (_, one, other) => {
    const { send, owed, service } = await keep(openGuarded());
    const sent = [send({ headers: one }), send({ headers: other })];
    await until('both are under way', () => owed.length === 2);
    for (const answer of [...owed]) answer();
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200]);
    expect(service.requests).toHaveLength(2);
  });

  test('are shared by each of several users', async () => {
    const { send, owed, service } = await keep(openGuarded());
    const of = (user: string) => ({ headers: ['x-hasura-user-id', user] });
    const sent = [send(of('7')), send(of('8')), send(of('7')), send(of('8'))];
    await until('one of each is under way', () => owed.length === 2);
    for (const answer of [...owed]) answer();
    expect(await Promise.all(sent.map(({ came }) => came))).toEqual([200, 200, 200, 200]);
    expect(service.requests).toHaveLength(2);
  });
});

describe.each(['unsent', 'in-flight'] as const)('a service that sets cookies, %s', (deduplicate) => {
  const mine = { headers: ['x-hasura-user-id', '7'] };

  test('gives each caller its own: the others are sent for themselves, and no later query is shared', async () => {
    const guarded = await keep(openGuarded({ deduplicate }));
    let count = 0;
    guarded.answer = (_, response) => response.writeHead(200, { 'set-cookie': `id=${++count}` }).end('{}');
    const sent = [guarded.send(mine), guarded.send(mine), guarded.send(mine)];
    const responses = await Promise.all(sent.map(({ response }) => response));
    expect(responses.map(({ headers }) => headers['set-cookie'])).toEqual(['id=1', 'id=2', 'id=3']);
    const later = [guarded.send(mine), guarded.send(mine)];
    await Promise.all(later.map(({ came }) => came));
    expect(guarded.service.requests).toHaveLength(5);
    expect(guarded.guard.counts).toMatchObject({ shared: 2, outcomes: { success: 5 } });
  });

  test('does not keep a caller that leaves, or one whose time is up, from an end', async () => {
    const guarded = await keep(openGuarded({ deduplicate }));
    const first = guarded.send(mine);
    const leaving = guarded.send(mine);
    await until('one is under way', () => guarded.owed.length === 1);
    guarded.owed[0]?.(200, { 'set-cookie': 'id=1' });
    expect(await first.came).toBe(200);
    await until('the other one is under way', () => guarded.service.requests.length === 2);
    leaving.leave();
    expect(await leaving.came).toBe('aborted');
    expect(guarded.guard.state().inFlight).toBe(0);
  });
});
