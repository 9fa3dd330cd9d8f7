import { z } from 'zod';
import { mapping } from './mapping.ts';
import { configuredHeaders, graphqlName, name, timeoutSeconds } from './shared-shapes.ts';

const namedType = mapping({ name: graphqlName, description: z.string().optional() });

/** `actions.yaml`: webhooks that answer a root field. Their types stand in `actions.graphql`. */
export const actionsShape = mapping({
  actions: z
    .array(
      mapping({
        name: graphqlName,
        comment: z.string().optional(),
        definition: mapping({
          kind: z.enum(['', 'synchronous'], { error: 'expected synchronous' }).default('synchronous'),
          handler: z.string().min(1),
          forward_client_headers: z.boolean().default(false),
          ignored_client_headers: z.array(z.string()).optional(),
          headers: configuredHeaders,
          timeout: timeoutSeconds(30),
        }),
        permissions: z.array(mapping({ role: name })).default([]),
      }),
    )
    .default([]),
  custom_types: mapping({
    enums: z.array(namedType).default([]),
    input_objects: z.array(namedType).default([]),
    objects: z.array(namedType).default([]),
    scalars: z.array(namedType).default([]),
  }).prefault({}),
});

export type ActionsMetadata = z.output<typeof actionsShape>;
export type ActionMetadata = ActionsMetadata['actions'][number];
