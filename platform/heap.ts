import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/** How much the old generation of a large graph may grow, in percent of its live objects, before V8 collects it. */
const GROWTH_PERCENT = 28;

/**
 * How much the old generation of any gateway may grow, in percent. By default, V8 lets it grow to four times its live objects.
 */
const GATEWAY_GROWTH_PERCENT = 120;

/**
 * Makes V8 return memory, in all threads of the process. By default, the dead objects of a large graph grow to several times
 * the live ones, and stay for as long as requests arrive. V8 reads both flags each time that the heap may grow. With the second
 * one, incremental collections follow each other until nothing is left to free.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--optimize-for-size');
}

/**
 * Makes V8 collect a gateway's old generation earlier, since joined responses leave garbage there. `limitHeapGrowth` goes
 * further.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GATEWAY_GROWTH_PERCENT}`);
}

/**
 * The largest semi-space of a gateway's young generation, in MiB. V8 copies live objects from one semi-space to the other, so that the
 * young generation takes three times as much at most. V8 reads the size before any code of Portico runs, so that each process is
 * started with it. `Dockerfile` repeats the number; `docs/performance.md` has the measurements.
 */
export const SEMI_SPACE_MIB = 32;

/** V8 takes underscores as well. */
const IS_SET = /--max[-_]semi[-_]space[-_]size\b/;

/**
 * The environment of a process that is to be a gateway: `environment` with a young generation in `NODE_OPTIONS`. Other options stay
 * there, and so does a size that the operator has set. An argument of `node` takes precedence over both.
 */
export function withYoungGeneration(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options = '' } = environment;
  if (IS_SET.test(options)) return environment;
  return { ...environment, NODE_OPTIONS: `--max-semi-space-size=${SEMI_SPACE_MIB} ${options}`.trimEnd() };
}

/**
 * Keeps V8 from optimizing WebAssembly, in all threads of the process. Optimizing costs processor time and memory, which rarely
 * pays off. Code that the baseline compiler cannot compile, such as on a processor without SSE4.1, is still optimized.
 * `--liftoff-only`, a flag for tests of V8, would end the process there.
 */
export function keepWasmUnoptimized(): void {
  setFlagsFromString('--no-wasm-tier-up');
  // Without the previous flag, this one would optimize everything at once.
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** The initial size of a heap, in MB. */
export interface InitialHeap {
  /** The size up to which V8 does not collect the old generation; V8 uses at most half of the limit. */
  readonly oldGenerationMb: number;
  /** The size of one of the three spaces of the young generation. */
  readonly semiSpaceMb: number;
}

/**
 * Sets the initial heap of threads that are started from now on, in a process that limits the growth of heaps.
 *
 * @returns a function that resets it. Call it once the thread runs. Further calls do nothing.
 */
export function beginHeapsWith({ oldGenerationMb, semiSpaceMb }: InitialHeap): () => void {
  // `--optimize-for-size` gives new threads a young generation of 1 MB, through a flag that stays set when it is turned off.
  setFlagsFromString('--no-optimize-for-size');
  setFlagsFromString('--max-semi-space-size=0');
  setFlagsFromString(`--initial-old-space-size=${Math.round(oldGenerationMb)}`);
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
  let isReset = false;
  return () => {
    if (isReset) return;
    isReset = true;
    setFlagsFromString('--initial-old-space-size=0');
    setFlagsFromString('--min-semi-space-size=0');
    limitHeapGrowth();
  };
}

/** An object of Node.js that nothing reads. V8 keeps its shapes, and those on the way to them, for as long as it lives. */
const kept: { tick?: object } = {};

/**
 * Keeps `process.nextTick` fast, which a request calls at least eight times. Node.js creates an object with computed keys for
 * each callback, and V8 weakly remembers the one shape that it has seen at each key. A full garbage collection while no
 * callback is pending clears it. From then on, setting each key is a call of V8's runtime, even in optimized code, and
 * `nextTick` takes three times as long. Only in some processes does a collection meet such a moment. Call this function when
 * the process starts, since it cannot restore what V8 has already forgotten.
 */
export function keepNextTickFast(): void {
  process.nextTick(() => {
    kept.tick = executionAsyncResource();
  });
}
