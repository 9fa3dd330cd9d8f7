import type { Sliced } from '../../../../platform/index.ts';
import type { Fetch } from './fetches.ts';
import type { Steps } from './steps.ts';

/** The number of fetches and dependencies whose waves are settled in one step. */
const EDGES_PER_STEP = 8;

/**
 * Schedules fetches in as few waves as possible, with as few calls as possible. Fetches of one service in the same wave
 * are one call. A fetch that nothing waits for is therefore delayed if its service is called later anyway.
 */
export function* scheduleFetches(fetches: readonly Fetch[], steps: Steps): Sliced<readonly (readonly Fetch[])[]> {
  const last = fetches.reduce((most, { wave }) => Math.max(most, wave), 0);
  const earliest = new Map(fetches.map((fetch) => [fetch, fetch.wave]));
  const latest = new Map(fetches.map((fetch) => [fetch, last]));
  const early = (fetch: Fetch) => earliest.get(fetch) ?? 0;
  const late = (fetch: Fetch) => latest.get(fetch) ?? last;
  const edges = fetches.reduce((sum, { after }) => sum + after.size, fetches.length);
  const settle = () => {
    steps.take(edges / EDGES_PER_STEP);
    // Fetches are in order of waves, so all fetches that precede a fetch are settled before it.
    for (const fetch of fetches)
      for (const before of fetch.after) earliest.set(fetch, Math.max(early(fetch), early(before) + 1));
    for (const fetch of fetches.toReversed())
      for (const before of fetch.after) latest.set(before, Math.min(late(before), late(fetch) - 1));
  };
  settle();
  const byService = new Map<string, Fetch[]>();
  for (const fetch of fetches) byService.set(fetch.service, [...(byService.get(fetch.service) ?? []), fetch]);
  for (const own of byService.values()) {
    let open = own.filter(({ kind, path }) => kind === 'entities' || path.length > 0);
    while (open.length > 0) {
      const wave = Math.max(Math.min(...open.map(late)), Math.min(...open.map(early)));
      const together = open.filter((fetch) => early(fetch) <= wave);
      const at = Math.max(...together.map(early));
      for (const fetch of together) {
        earliest.set(fetch, at);
        latest.set(fetch, at);
      }
      settle();
      if (steps.endSlice()) yield;
      const settled = new Set(together);
      open = open.filter((fetch) => !settled.has(fetch));
    }
  }
  const waves: Fetch[][] = [];
  for (const fetch of fetches) {
    const wave = waves[early(fetch)] ?? [];
    waves[early(fetch)] = wave;
    wave.push(fetch);
  }
  return [...waves].filter((wave) => wave !== undefined);
}
