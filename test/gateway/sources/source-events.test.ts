import { expect, test } from '@jest/globals';
import { SourceEvents } from '../../../gateway/sources/source-events.ts';

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
