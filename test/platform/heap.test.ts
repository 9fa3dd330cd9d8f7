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

/**
 * Prints how often the live objects fit into the old generation at its largest, while old objects are replaced by new ones again
 * and again.
 */
const growthAfter = (call: string) => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundHeapGrowth } from ${JSON.stringify(HEAP.href)};
  ${call}
  const some = () => Array.from({ length: 16_384 }, (_, a) => ({ a, b: a, c: a, d: a }));
  const live = Array.from({ length: 32 }, some);
  const size = () => getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
  gc();
  const least = size();
  let most = 0;
  for (let i = 0; i < 400; i++) {
    live[i % live.length] = some();
    most = Math.max(most, size());
  }
  console.log(String(most / least));
`;

test('the old generation of a gateway holds less garbage than V8 leaves there by default', async () => {
  const growth = async (call: string) => {
    const words = ['--expose-gc', '--input-type=module', '--eval', growthAfter(call)];
    return Number((await promisify(execFile)(process.execPath, words)).stdout);
  };
  const [bound, byDefault] = [await growth('boundHeapGrowth();'), await growth('')];
  // Garbage that comes while V8 marks is a part of both: 3.1 and 4.6.
  expect(bound).toBeLessThan(3.8);
  expect(byDefault).toBeGreaterThan(3.8);
});
