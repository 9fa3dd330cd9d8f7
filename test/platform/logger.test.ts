import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger, type Logger } from '../../platform/index.ts';
import { until } from '../gateway/harness/keep.ts';

const EVENT = 'listener.failed';

function logged(write: (log: Logger) => void, level = 'info'): { text: string; lines: Record<string, unknown>[] } {
  const lines: string[] = [];
  write(createLogger('gateway', level, { write: (line) => void lines.push(line) }));
  return { text: lines.join(''), lines: lines.map((line) => JSON.parse(line)) };
}

describe('a log line', () => {
  test('is one JSON object with level, time, service and message', () => {
    const { text, lines } = logged((log) => log.info({ event: EVENT, count: 1 }, 'a message\nof two lines'));
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: 'gateway',
        event: EVENT,
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
      log.info({ event: EVENT, [name]: 'canary' }, 'top');
      log.info({ event: EVENT, headers: { [name]: 'canary' } }, 'second');
      log.info({ event: EVENT, request: { headers: { [name]: 'canary', host: 'x' } } }, 'third');
      log.child({ session: { [name]: 'canary' } }).info('child');
    });
    expect(text).not.toContain('canary');
    expect(lines[2]).toMatchObject({ request: { headers: { [name]: '[redacted]', host: 'x' } } });
  });

  test('shows an error with its stack', () => {
    const [line] = logged((log) => log.error({ event: EVENT, err: new TypeError('broken') }, 'failed')).lines;
    expect(line?.err).toMatchObject({ type: 'TypeError', message: 'broken', stack: expect.stringContaining('broken') });
  });
});

test('a logger that is silent takes no listener for the end of the process', () => {
  const before = process.listenerCount('exit');
  for (let n = 0; n < 11; n++) createLogger('gateway', 'silent').fatal('nothing of this is written');
  expect(process.listenerCount('exit')).toBe(before);
});

/** A process that has not ended after so long never does. */
const STUCK_MS = 60_000;

describe('a process that logs to a pipe', () => {
  const PLATFORM = resolve(import.meta.dirname, '../../dist/platform/index.js');
  /** Logs more than a pipe holds and, once all that fits is written, is ready to be stopped. */
  const program = `
    const { createLogger, runService } = await import(${JSON.stringify(PLATFORM)});
    runService('chatty', async () => {
      const log = createLogger('chatty', 'info');
      const line = 'x'.repeat(1000);
      for (let n = 0; n < 200; n++) log.info({ n, line }, 'line');
      setTimeout(() => process.stderr.write('ready'), 500);
      return { port: 1, stop: async () => {} };
    });
    setInterval(() => {}, 1000);`;

  const NOBODY = 'exec sleep 60';

  /** A process whose output goes to a named pipe, which somebody holds open and reads as the script says. */
  async function piped(reader: string): Promise<{ code: number | null; signal: string | null; output: string }> {
    const directory = mkdtempSync(join(tmpdir(), 'portico-log-'));
    const pipe = join(directory, 'pipe');
    const shell = `mkfifo '${pipe}'; (${reader}) < '${pipe}' & READER=$!
      "$0" --input-type=module -e "$1" > '${pipe}' 3>&- & echo $! >&3
      wait $!; CODE=$?; echo "exit $CODE" >&3; [ -z "$KEEP" ] && kill $READER 2>/dev/null; wait $READER; exit $CODE`;
    const child = spawn('sh', ['-c', shell, process.execPath, program], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, KEEP: reader === NOBODY ? '' : 'yes' },
    });
    let output = '';
    let pid = 0;
    child.stdout?.on('data', (data) => {
      output += data;
    });
    child.stdio[3]?.on('data', (data: Buffer) => {
      pid ||= Number.parseInt(String(data), 10);
    });
    child.stderr?.once('data', async () => {
      await until('its id is known', () => pid > 0);
      process.kill(pid, 'SIGTERM');
    });
    const stuck = setTimeout(() => {
      try {
        if (pid > 0) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended, and only the reader is left.
      }
    }, STUCK_MS);
    const [code, signal] = await once(child, 'close');
    clearTimeout(stuck);
    rmSync(directory, { recursive: true });
    return { code, signal, output };
  }

  test('exits with code 0 on SIGTERM while the pipe is not read', async () => {
    expect(await piped(NOBODY)).toMatchObject({ code: 0 });
  });

  test('writes all that is left when the reader comes back in time', async () => {
    const { code, output } = await piped('sleep 2; cat');
    expect(code).toBe(0);
    const numbers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).n);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  /** How a process ends that is stopped once it is ready. */
  async function stopped(child: ChildProcess): Promise<number | null> {
    child.stderr?.once('data', () => child.kill('SIGTERM'));
    const stuck = setTimeout(() => child.kill('SIGKILL'), STUCK_MS);
    const [code] = await once(child, 'exit');
    clearTimeout(stuck);
    return code;
  }

  const manyLines = program.replace('n < 200', 'n < 5000');

  test.each([
    ['', manyLines],
    [
      ', and others share it',
      `const { spawnSync } = await import('node:child_process');
       ${manyLines.replace('const line', `spawnSync(process.execPath, ['-e', '0'], { stdio: 'inherit' }); const line`)}`,
    ],
  ])('ends when it is stopped although the parent, which has made it a socket, does not read%s', async (_, script) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pause();
    expect(await stopped(child)).toBe(0);
    child.stdout.destroy();
  });

  test('exits on SIGTERM while a pipe that it could not open is not read', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-log-'));
    const path = join(directory, 'pipe');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    // While there is no reader, a pipe cannot be opened for writing without waiting.
    const before = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const output = openSync(path, constants.O_WRONLY);
    closeSync(before);
    const script = manyLines.replace(
      'const line',
      `process.stderr.write('made'); await once(process.stdin, 'data'); const line`,
    );
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', `import { once } from 'node:events'; ${script}`],
      {
        stdio: ['pipe', output, 'pipe'],
      },
    );
    await once(child.stderr as Readable, 'data');
    const after = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    child.stdin?.end('go');
    expect(await stopped(child)).toBe(0);
    for (const descriptor of [after, output]) closeSync(descriptor);
    rmSync(directory, { recursive: true });
  });
});
