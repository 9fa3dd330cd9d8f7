import { counter, type NumberMetric } from './metric.ts';

/** Counts the hits and misses of a cache. */
export class CacheCounts {
  hits = 0;
  misses = 0;
}

/** Returns a counter of lookups with the label `cache`: `hit` or `miss`. */
export function cacheCounter(name: string, help: string, { hits, misses }: Readonly<CacheCounts>): NumberMetric {
  return counter(
    name,
    help,
    ['cache'],
    [
      { labels: { cache: 'hit' }, value: hits },
      { labels: { cache: 'miss' }, value: misses },
    ],
  );
}
