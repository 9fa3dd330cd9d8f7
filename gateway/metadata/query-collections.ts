import { z } from 'zod';
import { mapping, name } from './shapes/index.ts';

/** `query_collections.yaml`: saved operations. */
export const queryCollectionsShape = z.array(
  mapping({
    name,
    comment: z.string().nullish(),
    definition: mapping({
      queries: z.array(mapping({ name, query: z.string().min(1) })),
    }),
  }),
);

export type QueryCollectionMetadata = z.output<typeof queryCollectionsShape>[number];
