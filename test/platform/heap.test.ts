import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const PLATFORM = new URL('../../dist/platform/index.js', import.meta.url);

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
