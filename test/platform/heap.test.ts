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
  // console.log colours a number where FORCE_COLOR is set.
  console.log(String(instance.exports.answer()));
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

/** Prints the members of the object that is kept, as a snapshot of the heap has them after a collection. */
const MEMBERS_OF_KEPT = `
  import { text } from 'node:stream/consumers';
  import { setTimeout as pause } from 'node:timers/promises';
  import { getHeapSnapshot } from 'node:v8';
  import { keepNextTickFast } from ${JSON.stringify(HEAP.href)};
  keepNextTickFast();
  await pause(10);
  gc();
  const { snapshot, nodes, edges, strings } = JSON.parse(await text(getHeapSnapshot()));
  const { node_fields: nodeFields, edge_fields: edgeFields } = snapshot.meta;
  const edgesOf = new Map();
  for (let node = 0, edge = 0; node < nodes.length; node += nodeFields.length) {
    const count = nodes[node + nodeFields.indexOf('edge_count')];
    const own = edges.slice(edge, edge + count * edgeFields.length);
    edge += own.length;
    edgesOf.set(node, Array.from({ length: count }, (_, index) => ({
      name: strings[own[index * edgeFields.length + edgeFields.indexOf('name_or_index')]],
      to: own[index * edgeFields.length + edgeFields.indexOf('to_node')],
    })));
  }
  const kept = [...edgesOf.values()].flat().filter(({ name }) => name === 'tick');
  console.log(JSON.stringify(kept.map(({ to }) => edgesOf.get(to).map(({ name }) => name))));
`;

test('an object as process.nextTick makes them is kept, with the shapes that V8 forgets without any', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    MEMBERS_OF_KEPT,
  ]);
  expect(JSON.parse(stdout)).toContainEqual(expect.arrayContaining(['callback', 'args']));
});
