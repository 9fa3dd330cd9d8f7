import { describe, expect, test } from '@jest/globals';
import { compilePattern, UnusablePattern } from '../../platform/linear-pattern.ts';
import { SEED } from '../seed.ts';

const ATOMS = ['a', 'b', '.', '\\d', '[ab]', '[^a]', '\\w', 'é', '\\u{1F600}', '[a-c\\]]', '\\.', '\\n', '^', '$'];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '{0}'];
const CHARACTERS = ['a', 'b', 'c', '1', '\n', 'é', '😀', ']', '.'];

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function randomPattern(next: (below: number) => number, depth: number): string {
  const pick = (list: readonly string[]) => list[next(list.length)] ?? '';
  const part = () => {
    if (depth > 0 && next(3) === 0) {
      const inside = randomPattern(next, depth - 1) + (next(2) ? `|${randomPattern(next, depth - 1)}` : '');
      return `${pick(['(', '(?:'])}${inside})${pick(QUANTIFIERS)}`;
    }
    const atom = pick(ATOMS);
    return atom === '^' || atom === '$' ? atom : atom + pick(QUANTIFIERS);
  };
  return Array.from({ length: 1 + next(3) }, part).join('');
}

test('a pattern matches what JavaScript’s own expression matches', () => {
  const next = random(SEED);
  for (let count = 0; count < 1_500; count++) {
    const source = randomPattern(next, 2);
    const [own, native] = [compilePattern(source), new RegExp(source, 'u')];
    for (let tried = 0; tried < 10; tried++) {
      const text = Array.from({ length: next(7) }, () => CHARACTERS[next(CHARACTERS.length)]).join('');
      expect([source, text, own.matches(text)]).toEqual([source, text, native.test(text)]);
    }
  }
});

test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a+a+)+y', '^(.*a){10}$', '^\\w*\\w*\\w*\\w*!$'])(
  '%s takes time in proportion to the text',
  (source) => {
    const pattern = compilePattern(source);
    const hostile = `${'a'.repeat(20_000)}?`;
    const before = process.cpuUsage();
    expect(pattern.matches(hostile)).toBe(false);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  },
);

describe('a pattern is refused with the reason', () => {
  test.each([
    ['(', 'Unterminated group'],
    ['[z-a]', 'Range out of order in character class'],
    ['(?=a)', 'the pattern has a group that begins with "(?": only "(?:" is supported'],
    ['(?<!a)b', 'the pattern has a group that begins with "(?": only "(?:" is supported'],
    ['(a)\\1', 'the pattern has "\\1": backreferences and word boundaries are not supported'],
    ['\\ba', 'the pattern has "\\b": backreferences and word boundaries are not supported'],
    ['a{257}', 'the pattern has more than 256 states: use smaller repetitions'],
    ['((a{100}){100}){100}', 'the pattern has more than 256 states: use smaller repetitions'],
    ['a'.repeat(501), 'the pattern is longer than 500 characters'],
  ])('%.30s', (source, reason) => {
    expect(() => compilePattern(source)).toThrow(new UnusablePattern(reason));
  });
});
