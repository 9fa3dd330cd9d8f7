import { describe, expect, test } from '@jest/globals';
import { parseArguments } from '../../bench/arguments.ts';

describe('what the benchmark is asked to do', () => {
  test('nothing said means everything, for the published results', () => {
    const plan = parseArguments([]);
    expect(plan.mode).toBe('full');
    expect(plan.rows).toEqual(['U', 'H', 'L', 'W', 'P', 'S', 'M', 'A', 'R']);
    expect(plan.extras).toEqual(['start', 'reload', 'documents', 'growth', 'login', 'many-services']);
    expect(plan.targets).toBeUndefined();
  });

  test('a quick run has fewer rows, shorter windows and nothing beside', () => {
    const quick = parseArguments(['quick']);
    const full = parseArguments([]);
    expect(quick.mode).toBe('quick');
    expect(quick.rows.length).toBeLessThan(full.rows.length);
    expect(quick.seconds * quick.rounds).toBeLessThan(full.seconds * full.rounds);
    expect(quick.extras).toEqual([]);
  });

  test('rows, measurements, targets and numbers can be chosen', () => {
    const plan = parseArguments([
      'U',
      'P',
      'login',
      '--targets',
      'portico,ideal',
      '--seconds',
      '5',
      '--connections=10',
    ]);
    expect(plan).toMatchObject({
      mode: 'chosen',
      rows: ['U', 'P'],
      extras: ['login'],
      targets: ['portico', 'ideal'],
      seconds: 5,
      connections: 10,
    });
  });

  test('chosen targets alone are not a full run, so that they do not replace the published results', () => {
    expect(parseArguments(['--targets', 'portico']).mode).toBe('chosen');
  });

  test('a profile is of one row', () => {
    expect(parseArguments(['profile', 'H'])).toMatchObject({ mode: 'profile', rows: ['H'] });
    expect(() => parseArguments(['profile'])).toThrow(/a profile is of one row/);
    expect(() => parseArguments(['profile', 'U', 'H'])).toThrow(/a profile is of one row/);
  });

  test.each([
    [['X'], /no row or measurement "X"/],
    [['U', '--seconds', '0'], /--seconds is a whole number/],
    [['U', '--rounds', 'many'], /--rounds is a whole number/],
    [['U', '--load', 'ab'], /--load is one of wrk, node/],
    [['--colour'], /colour/],
  ])('%j is refused with what is wrong and how it goes', (given, problem) => {
    expect(() => parseArguments(given)).toThrow(problem);
    expect(() => parseArguments(given)).toThrow(/npm run bench -- quick/);
  });
});
