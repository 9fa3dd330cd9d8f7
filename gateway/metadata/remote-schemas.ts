import { z } from 'zod';
import { mapping } from './mapping.ts';
import { configuredHeaders, flag, graphqlName, listOf, name, timeoutSeconds } from './shared-shapes.ts';

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
  field_names: listOf(mapping({ parent_type: graphqlName, ...renaming })),
});

/** `remote_schemas.yaml`: services that speak GraphQL. */
export const remoteSchemasShape = z.array(
  mapping({
    name,
    comment: z.string().nullish(),
    definition: mapping({
      url: z.string().min(1).nullish(),
      url_from_env: z.string().min(1).nullish(),
      timeout_seconds: timeoutSeconds(60),
      forward_client_headers: flag,
      headers: configuredHeaders,
      customization: customization.nullish(),
      /** Ours: the schema's SDL, relative to the metadata directory, for a service that cannot be introspected. */
      schema_file: z.string().min(1).optional(),
      /** Ours: how often the service is asked whether its schema has changed. Never by default. */
      introspection_interval_seconds: z.number().min(1).max(86_400).optional(),
    }).refine((definition) => (definition.url == null) !== (definition.url_from_env == null), {
      error: 'expected exactly one of url and url_from_env',
    }),
    permissions: z.array(mapping({ role: name, definition: mapping({ schema: z.string().min(1) }) })).optional(),
  }),
);

/** A remote schema, with the content of its `schema_file` where it has one. */
export type RemoteSchemaMetadata = z.output<typeof remoteSchemasShape>[number] & { readonly schemaSdl?: string };
