import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { compiledFile } from '../../platform/own-code/index.ts';
import { sourcePositions } from '../../platform/own-code/source-positions.ts';
import { nameSources } from '../../platform/process.ts';

/** Each line of the compiled file is the same line of `gateway/run.ts`. */
const MAP = JSON.stringify({
  version: 3,
  names: [],
  sources: ['../gateway/run.ts'],
  mappings: `AAAA${';AACA'.repeat(99)}`,
});
const chunk = (name: string | number) => pathToFileURL(compiledFile(`chunk-${name}.js`)).href;

/** What names sources, with the files that it has read and a clock that is set. */
function reading(text = MAP) {
  const files: string[] = [];
  const clock = { ms: 0 };
  const read = (file: string) => {
    files.push(file);
    return text;
  };
  return { files, clock, named: sourcePositions({ read, now: () => clock.ms }) };
}

describe('the places of sources in a stack', () => {
  test('take each source map once, however many places are in its file', () => {
    const { files, named } = reading();
    const stack = [1, 2, 3].map((line) => `    at run (${chunk('A')}:${line}:1)`).join('\n');
    expect(named(`Error: no\n${stack}`)).toBe(
      'Error: no\n    at run (gateway/run.ts:1:1)\n    at run (gateway/run.ts:2:1)\n    at run (gateway/run.ts:3:1)',
    );
    expect(files).toEqual([compiledFile('chunk-A.js.map')]);
    named(stack);
    expect(files).toHaveLength(1);
  });

  test('take no more than ten maps a minute, and are named later', () => {
    const { files, clock, named } = reading();
    const places = Array.from({ length: 1_000 }, (_, index) => `at ${chunk(index)}:1:1`);
    const first = places.map((place) => named(place));
    expect(files).toHaveLength(10);
    expect(first.slice(9, 11)).toEqual(['at gateway/run.ts:1:1', places[10]]);
    clock.ms = 60_000;
    expect(named(places[10] ?? '')).toBe('at gateway/run.ts:1:1');
  });

  test('are those of own code only: a message may name any file', () => {
    const { files, named } = reading();
    for (const place of [
      'file:///etc/passwd.js:1:1',
      `${chunk('x').replace('chunk-x', '../other')}:1:1`,
      `${chunk('x').replace('chunk-x', '%2e%2e/other')}:1:1`,
      `${chunk('x').replace('chunk-x', 'a%2fb')}:1:1`,
      `${chunk('x').replace('chunk-x', '%ff%00')}:1:1`,
      'file:////server/share/x.js:1:1',
    ])
      expect(named(`Error: ${place}`)).toBe(`Error: ${place}`);
    expect(files).toEqual([]);
  });

  test('stay where the map is none, and where it has no such place', () => {
    for (const text of ['', '{}', 'null', MAP]) {
      const place = `at ${chunk('A')}:${text === MAP ? 0 : 1}:1`;
      expect(reading(text).named(place)).toBe(place);
    }
  });
});

test.each<[what: string, error: () => Error]>([
  ['is frozen', () => Object.freeze(new Error('no'))],
  [
    'has a stack that is only read',
    () =>
      new (class extends Error {
        override get stack() {
          return 'Error: no';
        }
      })(),
  ],
  [
    'throws when its stack is read',
    () =>
      Object.defineProperty(new Error('no'), 'stack', {
        get: () => {
          throw new Error('other');
        },
      }),
  ],
])('an uncaught error that %s is printed as it is', (_what, error) => {
  expect(() => nameSources(error())).not.toThrow();
});
