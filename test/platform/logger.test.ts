import { describe, expect, test } from '@jest/globals';
import { createLogger, type Logger } from '../../platform/index.ts';

function logged(write: (log: Logger) => void, level = 'info'): { text: string; lines: Record<string, unknown>[] } {
  const lines: string[] = [];
  write(createLogger('gateway', level, { write: (line) => void lines.push(line) }));
  return { text: lines.join(''), lines: lines.map((line) => JSON.parse(line)) };
}

describe('a log line', () => {
  test('is one JSON object with level, time, service and message', () => {
    const { text, lines } = logged((log) => log.info({ count: 1 }, 'a message\nof two lines'));
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: 'gateway',
        count: 1,
        msg: 'a message\nof two lines',
      },
    ]);
  });

  test('is written from its level on', () => {
    const levels = logged((log) => {
      log.debug('a');
      log.info('b');
      log.warn('c');
      log.error('d');
    }, 'warn').lines.map((line) => line.level);
    expect(levels).toEqual(['warn', 'error']);
  });

  test.each([
    'password',
    'token',
    'access_token',
    'refresh_token',
    'secret',
    'authorization',
    'cookie',
    'set-cookie',
    'x-hasura-admin-secret',
  ])('does not show what stands under the name %s, three levels deep', (name) => {
    const { text, lines } = logged((log) => {
      log.info({ [name]: 'canary' }, 'top');
      log.info({ headers: { [name]: 'canary' } }, 'second');
      log.info({ request: { headers: { [name]: 'canary', host: 'x' } } }, 'third');
      log.child({ session: { [name]: 'canary' } }).info('child');
    });
    expect(text).not.toContain('canary');
    expect(lines[2]).toMatchObject({ request: { headers: { [name]: '[redacted]', host: 'x' } } });
  });

  test('shows an error with its stack', () => {
    const [line] = logged((log) => log.error({ err: new TypeError('broken') }, 'failed')).lines;
    expect(line?.err).toMatchObject({ type: 'TypeError', message: 'broken', stack: expect.stringContaining('broken') });
  });
});
