import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { bundle, stopBundler } from '../../build/bundler.mjs';
import { until } from '../gateway/harness/index.ts';

/** Whether the bundler's process runs, which belongs to this one. */
function isRunning(): boolean {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.some((line) => /^\s*(\d+)\s+[^Z].*esbuild/.exec(line)?.[1] === String(process.pid));
}

test('the process of the bundler ends when it is stopped, and is started again by another build', async () => {
  for (const value of ['1', '2']) {
    const { outputFiles } = await bundle({ stdin: { contents: `export default ${value};` }, write: false });
    expect(outputFiles[0]?.text).toContain(value);
    expect(isRunning()).toBe(true);
    await stopBundler();
    await until('the process has ended', async () => !isRunning());
  }
});
