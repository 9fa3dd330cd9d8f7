import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const PLATFORM = new URL('../../dist/platform/index.js', import.meta.url);
const HEAP = new URL('../../dist/platform/heap.js', import.meta.url);

/** A module with one function, `answer`, which truncates 42.0 to an integer: the baseline compiler does that by SSE4.1. */
const MODULE =
  '0061736d010000000105016000017f03020100' + '070a0106616e737765720000' + '0a0e010c00440000000000004540aa0b';

const RUN = `
  import { keepWasmUnoptimized } from ${JSON.stringify(PLATFORM.href)};
  keepWasmUnoptimized();
  const { instance } = await WebAssembly.instantiate(Buffer.from('${MODULE}', 'hex'));
  console.log(instance.exports.answer());
`;

test.each([
  ['as it is', []],
  ['without the instructions that V8’s baseline compiler for WebAssembly needs', ['--no-enable-sse4-1']],
])('WebAssembly that is kept unoptimized runs on a processor %s', async (_, flags) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', RUN], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  expect(stdout).toBe('42\n');
});

/**
 * Prints the nanoseconds of processor time that one `process.nextTick` takes, the least of ten windows, when some calls have been
 * made and then `meanwhile` was run with no callback waiting.
 */
const nextTickCost = (meanwhile: string) => `
  import { setTimeout as pause } from 'node:timers/promises';
  const ticks = (count) => new Promise((done) => {
    const next = () => (count-- > 0 ? process.nextTick(next) : done());
    next();
  });
  await ticks(200);
  await pause(10);
  ${meanwhile};
  await pause(10);
  let least = Infinity;
  for (let window = 0; window < 10; window++) {
    const before = process.cpuUsage();
    await ticks(50_000);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, ((user + system) * 1_000) / 50_000);
  }
  console.log(least);
`;

const KEEP = `import { keepNextTickFast } from ${JSON.stringify(HEAP.href)}; keepNextTickFast();`;

async function nanosecondsOf(script: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    script,
  ]);
  return Number(stdout);
}

test('a garbage collection after the first requests does not make process.nextTick slow', async () => {
  const collected = await nanosecondsOf(`${KEEP}${nextTickCost('gc()')}`);
  // Five times as much where V8 has forgotten the shapes.
  expect(collected).toBeLessThan(3 * (await nanosecondsOf(nextTickCost(''))));
});
