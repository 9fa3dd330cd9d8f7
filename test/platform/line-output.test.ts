import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LineOutput } from '../../platform/logging/line-output.ts';

const lostLines = (count: number) => `lost ${count}\n`;

let directory: string;
let pipe: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-lines-'));
  const path = join(directory, 'pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  // For reading too: a pipe that nobody reads cannot be opened for writing without waiting.
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
});

afterEach(() => {
  closeSync(pipe);
  rmSync(directory, { recursive: true });
});

/** All that can be read from the pipe now. */
function readAll(from = pipe): string {
  const buffer = Buffer.alloc(1_048_576);
  let text = '';
  for (;;) {
    try {
      const size = readSync(from, buffer);
      text += buffer.toString('utf8', 0, size);
    } catch {
      return text;
    }
  }
}

async function readLines(count: number): Promise<string[]> {
  let text = '';
  while (text.split('\n').length <= count) {
    text += readAll();
    await sleep(1);
  }
  return text.split('\n').slice(0, -1);
}

const numbered = (count: number, tail = '') => Array.from({ length: count }, (_, n) => `${n}${tail}`);

describe('lines that are written', () => {
  test('come out by themselves, a little later, together', async () => {
    const output = new LineOutput(pipe, { lostLines });
    output.write('a\n');
    output.write('ä €\n');
    expect(readAll()).toBe('');
    expect(await readLines(2)).toEqual(['a', 'ä €']);
  });

  test('come out whole, in their order, whatever their length in bytes', () => {
    const output = new LineOutput(pipe, { lostLines });
    const lines = [
      'x'.repeat(4_094),
      '',
      '€'.repeat(1_365),
      'y',
      '€'.repeat(3_000),
      '😀'.repeat(1_024),
      'z'.repeat(20_000),
    ];
    for (const line of lines) output.write(`${line}\n`);
    output.flush(0);
    expect(readAll().split('\n')).toEqual([...lines, '']);
  });

  test('are written in pieces of whole lines that a pipe does not mix with those of others', () => {
    const other = new LineOutput(pipe, { lostLines });
    const output = new LineOutput(pipe, { lostLines });
    for (const line of numbered(100, 'x'.repeat(300))) {
      output.write(`${line}\n`);
      other.write(`${line}\n`);
    }
    output.flush(0);
    other.flush(0);
    const lines = readAll().trimEnd().split('\n');
    expect(lines.every((line) => /^\d+x{300}$/.test(line))).toBe(true);
    expect(lines).toHaveLength(200);
  });

  test('wait while the pipe is not read, and none is lost', async () => {
    const output = new LineOutput(pipe, { lostLines });
    const lines = numbered(5_000, 'x'.repeat(100));
    for (const line of lines) output.write(`${line}\n`);
    expect(await readLines(lines.length)).toEqual(lines);
  });

  test('are dropped beyond a limit, which is said where they are missing', async () => {
    const output = new LineOutput(pipe, { lostLines, maxWaitingBytes: 10_000 });
    const lines = numbered(5_000, 'x'.repeat(100));
    for (const line of lines) output.write(`${line}\n`);
    output.write('one more that is too late\n');
    output.flush(0);
    const read: string[] = [];
    while (!read.some((line) => line.startsWith('lost'))) {
      read.push(...readAll().split('\n'));
      await sleep(1);
    }
    const kept = read.filter((line) => line !== '' && !line.startsWith('lost'));
    const [said] = read.filter((line) => line.startsWith('lost'));
    expect(kept).toEqual(lines.slice(0, kept.length));
    expect(said).toBe(`lost ${lines.length + 1 - kept.length}`);
    output.write('here again\n');
    output.flush(0);
    expect(readAll()).toBe('here again\n');
  });

  test('are waited for at the end, for as long as is said', () => {
    const output = new LineOutput(pipe, { lostLines });
    for (const line of numbered(5_000, 'x'.repeat(100))) output.write(`${line}\n`);
    const began = performance.now();
    output.flush(50);
    expect(performance.now() - began).toBeGreaterThanOrEqual(45);
  });

  test('begin a line of their own where the rest of one before them was lost', () => {
    const path = join(directory, 'restarted');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    const gone = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const output = new LineOutput(descriptor, { lostLines });
    output.write(`${'x'.repeat(1_000_000)}\n`);
    closeSync(gone);
    output.flush(0);
    output.write('nobody reads\n');
    output.flush(0);
    const back = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    expect(readAll(back)).toMatch(/^x+$/);
    output.write('here again\n');
    output.flush(0);
    expect(readAll(back)).toBe('\nlost 2\nhere again\n');
    for (const opened of [descriptor, back]) closeSync(opened);
  });

  test('do no harm where they cannot be written at all', () => {
    const full = openSync('/dev/full', constants.O_WRONLY);
    const output = new LineOutput(full, { lostLines });
    for (const line of numbered(100, 'x'.repeat(300))) output.write(`${line}\n`);
    output.flush(0);
    closeSync(full);
  });

  test('go to a file as they are', () => {
    const path = join(directory, 'file');
    const file = openSync(path, 'a');
    const output = new LineOutput(file, { lostLines });
    const lines = numbered(1_000, 'ä');
    for (const line of lines) output.write(`${line}\n`);
    output.flush(0);
    closeSync(file);
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  });
});
