import { z } from 'zod';
import { requestTransform, responseTransform } from './action-transforms.ts';
import { mapping } from './mapping.ts';
import { relationshipsShape } from './relationship-shapes.ts';
import { resilience } from './resilience-shape.ts';
import { configuredHeaders, graphqlName, name, serviceAssertion, timeoutSeconds } from './shared-shapes.ts';

const namedType = mapping({ name: graphqlName, description: z.string().nullish() });
const objectType = mapping({
  name: graphqlName,
  description: z.string().nullish(),
  /** To remote schemas, in the shape that remote schemas have theirs in: ours. */
  relationships: relationshipsShape,
});

/** `actions.yaml`: webhooks that answer a root field. Their types stand in `actions.graphql`. */
export const actionsShape = mapping({
  actions: z
    .array(
      mapping({
        name: graphqlName,
        comment: z.string().nullish(),
        definition: mapping({
          // Asynchronous ones are told apart later, by name.
          kind: z
            .enum(['', 'synchronous', 'asynchronous'], { error: 'expected synchronous' })
            .nullish()
            .transform((kind) => kind || 'synchronous'),
          handler: z.string().min(1),
          forward_client_headers: z.boolean().default(false),
          ignored_client_headers: z.array(z.string()).optional(),
          headers: configuredHeaders,
          timeout: z.preprocess((seconds) => seconds ?? undefined, timeoutSeconds(30)),
          request_transform: requestTransform.nullish(),
          response_transform: responseTransform.nullish(),
          /** Ours: the secret that calls of this webhook are signed with, in place of the one for all. */
          webhook_signature: mapping({ secret_from_env: z.string().min(1) }).nullish(),
          service_assertion: serviceAssertion,
          /** Ours: whether it neither needs nor judges a token, as a login. */
          authentication_field: z.boolean().nullish(),
          /** Ours: how the webhook is called. */
          resilience: resilience.optional(),
        }),
        permissions: z.array(mapping({ role: name })).default([]),
      }),
    )
    .default([]),
  custom_types: mapping({
    enums: z.array(namedType).default([]),
    input_objects: z.array(namedType).default([]),
    objects: z.array(objectType).default([]),
    scalars: z.array(namedType).default([]),
  }).prefault({}),
});

export type ActionsMetadata = z.output<typeof actionsShape>;
export type ActionMetadata = ActionsMetadata['actions'][number];
