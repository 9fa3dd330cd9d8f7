import { setFlagsFromString } from 'node:v8';

/** How much the old objects may grow, in percent of what is alive, until V8 looks for dead ones. */
const GROWTH_PERCENT = 50;

/**
 * Has V8 give memory back, in all threads of the process: by itself it lets the dead objects of a large graph come to
 * several times what is alive, and keeps them for as long as requests come. Both flags are looked at each time that the
 * heap may grow; the second one has incremental collections follow each other until there is nothing left to free.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--optimize-for-size');
}
