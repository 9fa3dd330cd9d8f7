import { expect, test } from '@jest/globals';
import { createProgress } from '../../../auth-service/cli/progress.ts';

function shown(isTTY: boolean) {
  let text = '';
  let time = 0;
  const output = { isTTY, write: (more: string) => (text += more) };
  const progress = createProgress({ output, unit: 'users', total: 100_000, now: () => time });
  return {
    text: () => text,
    progress,
    at(ms: number, done: number) {
      time = ms;
      progress.update(done);
    },
  };
}

test('a file or a pipe gets a line now and then, with the rate and the time that is left', () => {
  const { at, text, progress } = shown(false);
  at(100, 2_000);
  at(4_999, 20_000);
  expect(text()).toBe('');
  at(5_000, 20_000);
  at(6_000, 24_000);
  at(10_000, 40_000);
  progress.end();
  expect(text()).toBe(
    '20,000 of 100,000 users, 4,000 a second, 20 s left\n40,000 of 100,000 users, 4,000 a second, 15 s left\n',
  );
});

test('minutes are shown as minutes', () => {
  const { at, text } = shown(false);
  at(10_000, 10_000);
  expect(text()).toContain('1 min 30 s left');
});

test('a terminal gets one line, which is rewritten and removed at the end', () => {
  const { at, text, progress } = shown(true);
  at(250, 1_000);
  at(500, 2_000);
  progress.end();
  expect(text().split('\r\u001b[K')).toEqual([
    '',
    '1,000 of 100,000 users, 4,000 a second, 25 s left',
    '2,000 of 100,000 users, 4,000 a second, 25 s left',
    '',
  ]);
});

test('what is done at once says nothing', () => {
  const { at, text, progress } = shown(true);
  at(100, 100_000);
  progress.end();
  expect(text()).toBe('');
});
