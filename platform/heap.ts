import { setFlagsFromString } from 'node:v8';

/** How much the old generation may grow, in percent of its live objects, before V8 collects it. */
const GROWTH_PERCENT = 28;

/**
 * Makes V8 return memory, in all threads of the process: by default the dead objects of a large graph grow to several
 * times the live ones, and stay for as long as requests arrive. V8 reads both flags each time that the heap may grow; with
 * the second one incremental collections follow each other until there is nothing left to free.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--optimize-for-size');
}

/** What a heap begins with, in MB. */
export interface InitialHeap {
  /** Up to this, V8 does not look for dead objects in the old generation. At most half of its limit counts. */
  readonly oldGenerationMb: number;
  /** Of the young generation, which has three such spaces. */
  readonly semiSpaceMb: number;
}

/**
 * Sets what the heaps of threads begin with that are started now, in a process that limits the growth of heaps.
 *
 * @returns what ends that; to be called when the thread runs.
 */
export function beginHeapsWith({ oldGenerationMb, semiSpaceMb }: InitialHeap): () => void {
  // It leaves new threads next to no young generation, by a flag that stays when it is taken back.
  setFlagsFromString('--no-optimize-for-size');
  setFlagsFromString('--max-semi-space-size=0');
  setFlagsFromString(`--initial-old-space-size=${Math.round(oldGenerationMb)}`);
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
  return () => {
    setFlagsFromString('--initial-old-space-size=0');
    setFlagsFromString('--min-semi-space-size=0');
    limitHeapGrowth();
  };
}
