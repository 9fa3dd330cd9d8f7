import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/** How much the old generation of a large graph may grow, in percent of its live objects, before V8 collects it. */
const GROWTH_PERCENT = 28;

/** How much the old generation of any gateway may grow. V8 lets it grow to four times its live objects. */
const GATEWAY_GROWTH_PERCENT = 120;

/**
 * Makes V8 return memory, in all threads of the process: by default the dead objects of a large graph grow to several
 * times the live ones, and stay for as long as requests arrive. V8 reads both flags each time that the heap may grow; with
 * the second one incremental collections follow each other until there is nothing left to free.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--optimize-for-size');
}

/**
 * Makes V8 collect the old generation of a gateway earlier: what answers that are joined leave there is garbage soon.
 * `limitHeapGrowth` goes further.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GATEWAY_GROWTH_PERCENT}`);
}

/**
 * Has V8 run WebAssembly as its baseline compiler made it, in all threads of the process: optimized code costs processor time
 * and memory, which only functions that run often win back. What the baseline compiler cannot compile, such as on a processor
 * without SSE4.1, still goes to the optimizing one; `--liftoff-only`, a flag for tests of V8, would end the process there.
 */
export function keepWasmUnoptimized(): void {
  setFlagsFromString('--no-wasm-tier-up');
  // Without the line above it would optimize everything at once.
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** The initial size of a heap, in MB. */
export interface InitialHeap {
  /** The size up to which V8 does not collect the old generation; V8 uses at most half of the limit. */
  readonly oldGenerationMb: number;
  /** One of the three spaces of the young generation. */
  readonly semiSpaceMb: number;
}

/**
 * Sets the initial heap of threads that are started from now on, in a process that limits the growth of heaps.
 *
 * @returns a function that resets it, to be called once the thread runs; further calls do nothing.
 */
export function beginHeapsWith({ oldGenerationMb, semiSpaceMb }: InitialHeap): () => void {
  // `--optimize-for-size` gives new threads a young generation of 1 MB, by a flag that stays set when it is turned off.
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

/** An object of Node's that nothing reads. V8 keeps the shapes that it has, and those on the way to it, as long as it lives. */
const kept: { tick?: object } = {};

/**
 * Keeps `process.nextTick` fast, which a request calls eight times and more. Node makes an object with computed keys for each
 * callback. V8 remembers, weakly, the one shape that it has seen at each key: a full garbage collection while no callback waits
 * clears it, and then setting each key is a call of V8's runtime for ever, also in optimized code, which makes `nextTick` take
 * three times as long. Collections fall on such a moment in some processes and not in others. To be called when a process
 * starts, since what V8 has forgotten before is not mended.
 */
export function keepNextTickFast(): void {
  process.nextTick(() => {
    kept.tick = executionAsyncResource();
  });
}
