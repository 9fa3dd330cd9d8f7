import { z } from 'zod';
import { mapping } from './mapping.ts';
import { configuredHeaders, graphqlName, name, timeoutSeconds } from './shared-shapes.ts';

const renaming = {
  prefix: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  suffix: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  mapping: z
    .record(z.string(), graphqlName)
    .nullish()
    .transform((names) => names ?? {}),
};

const customization = mapping({
  root_fields_namespace: graphqlName.nullish(),
  type_names: mapping(renaming).nullish(),
  field_names: z.array(mapping({ parent_type: graphqlName, ...renaming })).default([]),
});

/** `remote_schemas.yaml`: services that speak GraphQL. */
export const remoteSchemasShape = z.array(
  mapping({
    name,
    comment: z.string().nullish(),
    definition: mapping({
      url: z.string().min(1).optional(),
      url_from_env: z.string().min(1).optional(),
      timeout_seconds: timeoutSeconds(60),
      forward_client_headers: z.boolean().default(false),
      headers: configuredHeaders,
      customization: customization.optional(),
      /** Ours: the schema's SDL, relative to the metadata directory, for a service that cannot be introspected. */
      schema_file: z.string().min(1).optional(),
      /** Ours: how often the service is asked whether its schema has changed. Never by default. */
      introspection_interval_seconds: z.number().min(1).max(86_400).optional(),
    }).refine((definition) => (definition.url === undefined) !== (definition.url_from_env === undefined), {
      error: 'expected exactly one of url and url_from_env',
    }),
    permissions: z.array(mapping({ role: name, definition: mapping({ schema: z.string().min(1) }) })).optional(),
  }),
);

/** A remote schema, with the content of its `schema_file` where it has one. */
export type RemoteSchemaMetadata = z.output<typeof remoteSchemasShape>[number] & { readonly schemaSdl?: string };
