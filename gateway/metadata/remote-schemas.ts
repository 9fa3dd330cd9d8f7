import { z } from 'zod';
import { mapping } from './mapping.ts';
import { configuredHeaders, name, timeoutSeconds } from './shared-shapes.ts';

/** `remote_schemas.yaml`: services that speak GraphQL. */
export const remoteSchemasShape = z.array(
  mapping({
    name,
    comment: z.string().optional(),
    definition: mapping({
      url: z.string().min(1).optional(),
      url_from_env: z.string().min(1).optional(),
      timeout_seconds: timeoutSeconds(60),
      forward_client_headers: z.boolean().default(false),
      headers: configuredHeaders,
    }).refine((definition) => (definition.url === undefined) !== (definition.url_from_env === undefined), {
      error: 'expected exactly one of url and url_from_env',
    }),
    permissions: z.array(mapping({ role: name, definition: mapping({ schema: z.string().min(1) }) })).optional(),
  }),
);

export type RemoteSchemaMetadata = z.output<typeof remoteSchemasShape>[number];
