import { describe, expect, test } from '@jest/globals';
import { loadSeconds, type ProcessTurns, turnsTable } from '../../bench/turns/index.ts';

describe('the summary of turns', () => {
  const plain = { title: 'plain' };
  const traced = { title: 'traced' };
  const REQUESTS = 1_000;

  /** A process that takes these microseconds for a request in each round, and `late` for one after each turn. */
  function processOf(
    target: ProcessTurns['target'],
    costs: readonly number[],
    late: readonly number[] = [],
  ): ProcessTurns {
    return {
      target,
      turns: costs.map((cost) => ({ requests: REQUESTS, cpuUs: cost * REQUESTS })),
      between: late.map((us) => us * REQUESTS),
      peakMb: 100,
    };
  }

  function cellsOf(measured: readonly ProcessTurns[], target: ProcessTurns['target']): Record<string, string> {
    const [head = [], , ...rows] = turnsTable([plain, traced], measured)
      .trim()
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const row = rows.find(([, title]) => title === target.title) ?? [];
    // A column that comes twice is of the column before it.
    return Object.fromEntries(
      head.map((name, index) => [name === 'over the first' ? `${head[index - 1]} more` : name, row[index] ?? '']),
    );
  }

  test('gives the mean of the processes, how far they are apart, and how much more that is than the first target takes', () => {
    const measured = [
      processOf(plain, [100, 100, 100]),
      processOf(plain, [104, 104, 104]),
      processOf(traced, [110, 110, 110]),
      processOf(traced, [114.4, 114.4, 114.4]),
    ];
    expect(cellsOf(measured, plain)).toMatchObject({ 'median µs': '102.0 ± 2.0', 'requests a turn': '1000' });
    expect(cellsOf(measured, traced)).toMatchObject({
      'median µs': '112.2 ± 2.2',
      'median µs more': '10.0 % ± 3.1',
      'within rounds': '10.0 % ± 3.1',
      'peak MB': '100',
    });
  });

  test('compares turns of the same round, so that a machine that slows down favours no target', () => {
    const measured = [processOf(plain, [100, 100, 200, 200, 200]), processOf(traced, [105, 105, 210, 210, 210])];
    expect(cellsOf(measured, traced)['within rounds']).toBe('5.0 % ± 0.0');
  });

  test('leaves out rounds in which a process was disturbed', () => {
    const measured = [processOf(plain, [100, 100, 100, 100, 100]), processOf(traced, [105, 900, 105, 105, 105])];
    expect(cellsOf(measured, traced)['within rounds']).toBe('5.0 % ± 0.0');
  });

  test('counts what a process does after its turns, but not what happens after one of them only', () => {
    const measured = [
      processOf(plain, [100, 100, 100, 100], [0, 0, 0]),
      processOf(traced, [100, 100, 100, 100], [3, 3, 400]),
    ];
    expect(cellsOf(measured, traced)).toMatchObject({
      'median µs': '103.0 ± 0.0',
      'within rounds': '3.0 % ± 0.0',
      'of it between turns µs': '3.00',
    });
  });

  test('lists the processes of each target, the quickest first', () => {
    const table = turnsTable([plain], [processOf(plain, [104, 104]), processOf(plain, [100, 100])]);
    expect(table).toContain('- plain: 100.0, 104.0');
  });

  test('has no row for a target that was not measured, and none at all without processes', () => {
    expect(cellsOf([processOf(plain, [100])], traced)).toMatchObject({ 'median µs': '' });
    expect(turnsTable([plain, traced], [])).toBe('');
  });
});

test('the load of a process goes on for as long as the turns of all of them take', () => {
  expect(loadSeconds({ seconds: 1, warmUpSeconds: 4, turns: 12 }, 10)).toBeGreaterThan(10 * (4 + 12));
  expect(loadSeconds({ seconds: 10, warmUpSeconds: 4, turns: 100 }, 20)).toBeGreaterThan(20 * (4 + 100 * 10));
});
