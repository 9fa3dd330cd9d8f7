import { describe, expect, test } from '@jest/globals';
import { EventStreamReader, type ServerSentEvent } from '../../../gateway/upstream/event-stream-reader.ts';

function read(pieces: readonly string[]): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const reader = new EventStreamReader((event) => events.push(event));
  for (const piece of pieces) reader.read(piece);
  return events;
}

const STREAM = [
  ': a comment',
  'event: next',
  'data: {"a":',
  'data:  1}',
  'id: 7',
  '',
  'data',
  '',
  'data:no name, no space',
  '',
  'event: complete',
  '',
  'event: never ended',
];
const EVENTS = [
  { event: 'next', data: '{"a":\n 1}', lastEventId: '7' },
  { event: 'message', data: '', lastEventId: '7' },
  { event: 'message', data: 'no name, no space', lastEventId: '7' },
  { event: 'complete', data: '', lastEventId: '7' },
];

describe.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('an event stream whose lines end with %s', (_, end) => {
  const text = STREAM.join(end);

  test('is taken apart', () => {
    expect(read([text])).toEqual(EVENTS);
  });

  test('is the same in whatever pieces it comes', () => {
    expect(read([...text])).toEqual(EVENTS);
    for (let cut = 1; cut < text.length; cut++) expect(read([text.slice(0, cut), text.slice(cut)])).toEqual(EVENTS);
  });
});

test.each([
  ['in one piece', ['\u{feff}data: 1\n\n']],
  ['in a piece of its own', ['', '\u{feff}', 'data: 1\n\n']],
])('a byte order mark %s before an event stream is no part of it', (_, pieces) => {
  expect(read(pieces)).toEqual([{ event: 'message', data: '1', lastEventId: '' }]);
});

test('an id counts from its event on, an empty one takes it back, and one with a null character is ignored', () => {
  const stream = [
    'data: 1',
    '',
    'id: a',
    'data: 2',
    '',
    'id: b\0',
    'data: 3',
    '',
    'id',
    'data: 4',
    '',
    'id: never dispatched',
  ];
  expect(read([stream.join('\n')]).map(({ lastEventId }) => lastEventId)).toEqual(['', 'a', 'a', '']);
});

test('the pause that a server asks for is a number of milliseconds', () => {
  const reader = new EventStreamReader(() => {});
  reader.read('retry: soon\nretry: 1e9\nretry: 99999999999\n');
  expect(reader.retryMs).toBeUndefined();
  reader.read('retry: 250\n');
  expect(reader.retryMs).toBe(250);
});

test('an event that never ends is not read for ever', () => {
  const reader = new EventStreamReader(() => {});
  const piece = `data: ${'x'.repeat(1024 * 1024)}\n`;
  let pieces = 0;
  while (reader.read(piece)) pieces++;
  expect(pieces).toBe(15);
});
