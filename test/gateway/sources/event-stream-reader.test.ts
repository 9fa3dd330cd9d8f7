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
  { event: 'next', data: '{"a":\n 1}' },
  { event: 'message', data: '' },
  { event: 'message', data: 'no name, no space' },
  { event: 'complete', data: '' },
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
  expect(read(pieces)).toEqual([{ event: 'message', data: '1' }]);
});

test('an event that never ends is not read for ever', () => {
  const reader = new EventStreamReader(() => {});
  const piece = `data: ${'x'.repeat(1024 * 1024)}\n`;
  let pieces = 0;
  while (reader.read(piece)) pieces++;
  expect(pieces).toBe(15);
});
