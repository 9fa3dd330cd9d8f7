import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger, type Logger, lineWriter } from '../../platform/index.ts';
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

describe('a line of more than 16 KiB', () => {
  const MAX_BYTES = 16 * 1024;
  const kept = { level: 'warn', service: 'gateway', event: EVENT, msg: 'failed' };

  test.each<[what: string, fields: Record<string, unknown>]>([
    ['a long text', { reason: 'x'.repeat(5_000_000) }],
    ['a text of characters that take several bytes', { reason: '\u{1f600}'.repeat(100_000) }],
    ['a text that JSON has to escape', { reason: '\u0000"'.repeat(100_000) }],
    ['a long list', { changes: Array.from({ length: 50_000 }, (_, at) => ({ message: `field ${at} was removed` })) }],
    ['many fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field${at}`, 'x'.repeat(50)]))],
    ['long names of fields', { of: { [`x${'y'.repeat(100_000)}`]: 1 } }],
    ['deep nesting', { of: JSON.parse(`${'[['.repeat(2_000)}"${'x'.repeat(20_000)}"${']]'.repeat(2_000)}`) }],
    ['an error with a long message', { err: new Error('x'.repeat(100_000)) }],
    [
      'lists of lists of long texts',
      { rows: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => Array(50).fill('x'.repeat(100)))) },
    ],
  ])('is cut, says how much, and stays JSON: %s', (_what, fields) => {
    const { text, lines } = logged((log) => log.warn({ event: EVENT, ...fields }, 'failed'));
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
    expect(lines).toEqual([expect.objectContaining({ ...kept, cut_bytes: expect.any(Number) })]);
    expect(lines[0]?.cut_bytes).toBeGreaterThan(0);
  });

  test('says how many bytes it is shorter by', () => {
    const long = logged((log) => log.warn({ event: EVENT, reason: 'x'.repeat(100_000) }, 'failed'));
    const note = `,"cut_bytes":${long.lines[0]?.cut_bytes}`;
    const short = logged((log) => log.warn({ event: EVENT, reason: '' }, 'failed'));
    const whole = Buffer.byteLength(short.text) + 100_000;
    expect(long.lines[0]?.cut_bytes).toBe(whole - (Buffer.byteLength(long.text) - note.length));
  });

  test('is not cut one byte earlier', () => {
    const line = (length: number) => logged((log) => log.warn({ event: EVENT, reason: 'x'.repeat(length) }, 'failed'));
    const room = MAX_BYTES - Buffer.byteLength(line(0).text);
    expect(line(room).lines[0]).toEqual(expect.objectContaining({ reason: 'x'.repeat(room) }));
    expect(line(room).lines[0]).not.toHaveProperty('cut_bytes');
    expect(line(room + 1).lines[0]).toHaveProperty('cut_bytes');
  });

  test('is cut where it was written by hand, too', () => {
    const lines: string[] = [];
    const log = createLogger('gateway', 'info', { write: (line) => void lines.push(line) });
    lineWriter(log).write(`{"level":"info","msg":"${'x'.repeat(100_000)}"}\n`);
    expect(lines[0]?.length).toBeLessThan(MAX_BYTES);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', cut_bytes: expect.any(Number) });
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
