import { federatedOf, plainOf } from './portico.ts';
import type { Target } from './target.ts';

/** Sizes of a semi-space of the young generation, in MiB. */
const SIZES = [16, 32, 64];

/** Portico with young generations of several sizes. They are measured only if they are named. */
export const youngTargets: readonly Target[] = SIZES.flatMap((size) => {
  const options = { nodeArguments: [`--max-semi-space-size=${size}`] };
  const variant = { family: 'young', options };
  return [
    plainOf({ ...variant, name: `portico-young-${size}`, title: `Portico, semi-space of ${size} MiB` }),
    federatedOf({
      ...variant,
      name: `portico-federation-young-${size}`,
      title: `Portico, federation, semi-space of ${size} MiB`,
    }),
  ];
});

/**
 * Portico with one worker and with two, which share a port. All processes of a target share its core, so that the difference is
 * the cost of sharing. They are measured only if they are named.
 */
export const workerTargets: readonly Target[] = [1, 2].map((workers) =>
  plainOf({
    family: 'workers',
    name: `portico-workers-${workers}`,
    title: workers === 1 ? 'Portico, 1 worker' : `Portico, ${workers} workers`,
    options: { environment: { PORTICO_WORKERS: String(workers) } },
  }),
);
