import { expect, test } from '@jest/globals';
import { bundle, stopBundler } from '../../build/bundler.mjs';
import { processes } from '../e2e/processes.ts';
import { until } from '../gateway/harness/index.ts';

/** Whether the bundler's process runs, which belongs to this one. */
function isRunning(): boolean {
  return processes().some(
    ({ parent, state, command }) => parent === process.pid && state !== 'Z' && command.includes('esbuild'),
  );
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
