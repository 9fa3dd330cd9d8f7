import { expect, test } from '@jest/globals';
import { readableLogLine } from '../../start/log-line.ts';

function shown(entry: object): string {
  return readableLogLine('gateway', JSON.stringify(entry));
}

test('a warning is one line with the service, the level, what happened and the details', () => {
  const time = '2026-01-01T00:00:00.000Z';
  expect(shown({ level: 'warn', time, service: 'gateway', source: 'orders', tries: 2, msg: 'not reachable' })).toBe(
    'gateway warn: not reachable (source=orders tries=2)',
  );
});

test('a list of problems has a line for each', () => {
  const problems = ['services.yaml:3: unknown key "pth"', 'actions.yaml: is empty'];
  expect(shown({ level: 'error', reason: 'the files have changed', problems, msg: 'invalid metadata' })).toBe(
    `gateway error: invalid metadata (reason=the files have changed)\n  ${problems[0]}\n  ${problems[1]}`,
  );
});

test('an error shows its message, not its stack', () => {
  const err = { type: 'Error', message: 'disk full', stack: 'Error: disk full\n    at somewhere' };
  expect(shown({ level: 'error', err, msg: 'a request failed' })).toBe('gateway error: a request failed: disk full');
});

test.each(['plain text', '{not json', '{"a":1}', '["level"]'])('%s is shown as it is', (line) => {
  expect(readableLogLine('orders', line)).toBe(`orders: ${line}`);
});
