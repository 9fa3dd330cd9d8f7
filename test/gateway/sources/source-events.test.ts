import { expect, test } from '@jest/globals';
import { laterEvents, SourceEvents } from '../../../gateway/sources/source-events.ts';

function open() {
  const told: string[] = [];
  const events = new SourceEvents();
  events.connect({
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    close: () => told.push('close'),
  });
  return { told, events };
}

const event = (number: number) => ({ data: { number } });

test('a source waits while many events are not consumed', async () => {
  const { told, events } = open();
  for (let i = 0; i < 15; i++) events.push(event(i), 10);
  expect(told).toEqual([]);
  events.push(event(15), 10);
  events.push(event(16), 10);
  expect(told).toEqual(['pause']);
  for (let i = 0; i < 16; i++) expect(await events.next()).toEqual({ done: false, value: event(i) });
  expect(told).toEqual(['pause']);
  await events.next();
  expect(told).toEqual(['pause', 'resume']);
});

test('a source waits while few long events are not consumed', async () => {
  const { told, events } = open();
  events.push(event(0), 40_000);
  expect(told).toEqual([]);
  events.push(event(1), 40_000);
  expect(told).toEqual(['pause']);
  await events.next();
  await events.next();
  expect(told).toEqual(['pause', 'resume']);
  // What was taken does not count any more.
  events.push(event(2), 40_000);
  expect(told).toEqual(['pause', 'resume']);
  events.push(event(3), 1_000_000);
  expect(told).toEqual(['pause', 'resume', 'pause']);
});

test('a source does not wait while each event is consumed at once', async () => {
  const { told, events } = open();
  for (let i = 0; i < 5; i++) {
    const taken = events.next();
    events.push(event(i), 1_000_000);
    expect(await taken).toEqual({ done: false, value: event(i) });
  }
  expect(told).toEqual([]);
});

test('events of a stream that is opened later are waited for', async () => {
  const source = new SourceEvents();
  source.push({ data: { n: 1 } }, 10);
  source.end();
  const opening = new Promise<() => SourceEvents>((resolve) => setImmediate(() => resolve(() => source)));
  const events = laterEvents(opening);
  expect(await events.next()).toEqual({ value: { data: { n: 1 } }, done: false });
  expect(await events.next()).toMatchObject({ done: true });
});

test('a stream that is ended before it is opened is not opened', async () => {
  let opened = 0;
  const open = () => {
    opened++;
    return new SourceEvents();
  };
  const events = laterEvents(new Promise<typeof open>((resolve) => setImmediate(() => resolve(open))));
  const first = events.next();
  await events.return?.();
  expect(await first).toMatchObject({ done: true });
  expect(opened).toBe(0);
});

test('a stream that cannot be opened later fails when its events are read', async () => {
  const events = laterEvents(Promise.reject(new Error('no stream')));
  await expect(events.next()).rejects.toThrow('no stream');
});
