import { describe, expect, test } from '@jest/globals';
import { parseBenchArguments } from '../../bench/arguments.ts';

describe('what the benchmark is asked to do', () => {
  test('nothing said means everything, for the published results', () => {
    const plan = parseBenchArguments([]);
    expect(plan.mode).toBe('full');
    const ofRoles = ['preset', 'literal', 'narrow', 'namespace', 'federation-preset'];
    expect(plan.rows).toEqual([
      ...'UHLWPSMARBG',
      'G10',
      ...ofRoles,
      'stitched',
      'relationship',
      'action-field',
      'operation-handler',
    ]);
    expect(plan.extras).toEqual([
      'start',
      'reload',
      'documents',
      'growth',
      'login',
      'jobs',
      'many-services',
      'subscribers',
    ]);
    expect(plan.targets).toBeUndefined();
  });

  test('a quick run has fewer rows, shorter windows and nothing beside', () => {
    const quick = parseBenchArguments(['quick']);
    const full = parseBenchArguments([]);
    expect(quick.mode).toBe('quick');
    expect(quick.rows.length).toBeLessThan(full.rows.length);
    expect(quick.seconds * quick.rounds).toBeLessThan(full.seconds * full.rounds);
    expect(quick.extras).toEqual([]);
  });

  test('rows, measurements, targets and numbers can be chosen', () => {
    const plan = parseBenchArguments([
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
    expect(parseBenchArguments(['--targets', 'portico']).mode).toBe('chosen');
  });

  test('another checkout can be measured beside this one, which is no full run either', () => {
    expect(parseBenchArguments(['--against', '../before'])).toMatchObject({ mode: 'chosen', against: '../before' });
  });

  test('a profile is of one row', () => {
    expect(parseBenchArguments(['profile', 'H'])).toMatchObject({ mode: 'profile', rows: ['H'] });
    expect(() => parseBenchArguments(['profile'])).toThrow(/a profile is of one row/);
    expect(() => parseBenchArguments(['profile', 'U', 'H'])).toThrow(/a profile is of one row/);
  });

  test('turns are of rows that are named, of five processes of each target', () => {
    const plan = parseBenchArguments(['turns', 'U', 'P', '--targets', 'portico,portico-traces-1', '--rounds', '20']);
    expect(plan).toMatchObject({ mode: 'turns', rows: ['U', 'P'], processes: 5, rounds: 20, seconds: 1 });
    expect(parseBenchArguments(['turns', 'U', '--processes', '2'])).toMatchObject({ processes: 2, rounds: 12 });
    expect(() => parseBenchArguments(['turns'])).toThrow(/turns are of rows that are named/);
    expect(() => parseBenchArguments(['turns', 'U', 'login'])).toThrow(/turns are of rows that are named/);
  });

  test.each([
    [['X'], /no row or measurement "X"/],
    [['U', '--seconds', '0'], /--seconds is a whole number/],
    [['U', '--rounds', 'many'], /--rounds is a whole number/],
    [['turns', 'U', '--processes', '0'], /--processes is a whole number/],
    [['U', '--load', 'ab'], /--load is one of wrk, node/],
    [['--colour'], /colour/],
  ])('%j is refused with what is wrong and how it goes', (given, problem) => {
    expect(() => parseBenchArguments(given)).toThrow(problem);
    expect(() => parseBenchArguments(given)).toThrow(/npm run bench -- quick/);
  });
});
