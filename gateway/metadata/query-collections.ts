import { z } from 'zod';
import { name } from './shared-shapes.ts';

/** `query_collections.yaml`: saved operations. */
export const queryCollectionsShape = z.array(
  z.strictObject({
    name,
    comment: z.string().optional(),
    definition: z.strictObject({
      queries: z.array(z.strictObject({ name, query: z.string().min(1) })),
    }),
  }),
);

export type QueryCollectionMetadata = z.output<typeof queryCollectionsShape>[number];
