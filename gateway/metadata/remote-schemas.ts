import { parse } from 'graphql';
import { z } from 'zod';
import { suggestion } from '../../platform/index.ts';
import { hasFields } from '../graphql/syntax/index.ts';
import {
  configuredHeaders,
  customization,
  flag,
  graphqlName,
  mapping,
  name,
  remoteRelationshipsShape,
  resilience,
  serviceAssertion,
  sessionCondition,
  timeoutSeconds,
} from './shapes/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Portico's own: how subscriptions are sent to a service. */
const subscriptionsShape = mapping({
  protocol: z
    .enum(['graphql-transport-ws', 'graphql-ws', 'sse'], {
      error: 'expected graphql-transport-ws, graphql-ws or sse',
    })
    .default('graphql-transport-ws'),
  url: z.string().min(1).nullish(),
  url_from_env: z.string().min(1).nullish(),
  /**
   * Whether equal subscriptions share one stream. With `state`, each event is the whole state, which a late subscriber gets
   * first.
   */
  share: z.enum(['never', 'events', 'state'], { error: 'expected never, events or state' }).default('never'),
}).refine(({ url, url_from_env }) => url == null || url_from_env == null, {
  error: 'expected one of url and url_from_env, or neither: then it is the url of the service',
});

const nonEmptyText = z.string().min(1);

/** How a subgraph of a supergraph is called, instead of with its URL in the supergraph. */
const subgraph = mapping({
  url: nonEmptyText.nullish(),
  url_from_env: nonEmptyText.nullish(),
  headers: configuredHeaders,
  timeout_seconds: z.number().positive().max(3600).nullish(),
  subscriptions: subscriptionsShape.nullish(),
  resilience: resilience.optional(),
  /** Portico's own: the subgraph's setting, which overrides the supergraph's. */
  service_assertion: serviceAssertion,
}).refine((one) => one.url == null || one.url_from_env == null, {
  error: 'expected at most one of url and url_from_env',
});

const definition = mapping({
  url: nonEmptyText.nullish(),
  url_from_env: nonEmptyText.nullish(),
  timeout_seconds: timeoutSeconds(60),
  forward_client_headers: flag,
  headers: configuredHeaders,
  customization: customization.nullish(),
  /**
   * Portico's own: the file with the schema's SDL, relative to the metadata directory, for a service that cannot be
   * introspected.
   */
  schema_file: nonEmptyText.optional(),
  subscriptions: subscriptionsShape.nullish(),
  /** Portico's own: how the service is called. In a supergraph, the default of its subgraphs. */
  resilience: resilience.optional(),
  /** Portico's own: whether the service receives assertions. In a supergraph, the default of its subgraphs. */
  service_assertion: serviceAssertion,
  /** Portico's own: how often the service is introspected again. By default never. */
  introspection_interval_seconds: z.number().min(1).max(86_400).optional(),
  /** Portico's own: root fields, by the service's names, that neither need nor verify a token: login, refresh, logout. */
  authentication_fields: z.array(graphqlName).nullish(),
  /** Portico's own: how the service's types are combined with those of other services. */
  composition: z.enum(['plain', 'stitching', 'federation', 'auto']).default('plain'),
  /**
   * Portico's own: a composed supergraph instead of a single service: its file, relative to the metadata directory, or its URL.
   */
  supergraph_file: nonEmptyText.optional(),
  supergraph_url: nonEmptyText.optional(),
  supergraph_url_from_env: nonEmptyText.optional(),
  /** Portico's own: headers for fetching the supergraph. They are not sent to subgraphs. */
  supergraph_headers: configuredHeaders,
  /** Portico's own: settings of single subgraphs, by their names in the supergraph. */
  subgraphs: z.record(z.string(), subgraph).optional(),
  /**
   * Portico's own: labels of progressive overrides, `@override(from:, label:)`: on, off, or a percentage of requests. Labels
   * such as percent(5) have their percentage by default. Other labels are off by default.
   */
  override_labels: z
    .record(
      z.string(),
      z.union([z.boolean(), z.number().min(0).max(100)], { error: 'expected true, false or a percentage, 0 to 100' }),
    )
    .optional(),
}).superRefine((value, context) => {
  const problem = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
  const places = [value.supergraph_file, value.supergraph_url, value.supergraph_url_from_env].filter(Boolean);
  if (value.composition === 'auto' && value.schema_file !== undefined)
    problem('would call the service, but a schema_file is given: set the kind of the service instead', 'composition');
  if (value.override_labels && value.composition !== 'federation' && value.composition !== 'auto')
    problem('requires the composition "federation"', 'override_labels');
  if (places.length === 0) {
    if ((value.url == null) === (value.url_from_env == null)) problem('expected exactly one of url and url_from_env');
    if (value.subgraphs) problem('is for a supergraph: expected supergraph_file or supergraph_url too', 'subgraphs');
    if (value.supergraph_headers.length > 0)
      problem('is for fetching a supergraph: expected supergraph_url too', 'supergraph_headers');
    return;
  }
  if (places.length > 1) problem('expected at most one of supergraph_file, supergraph_url and supergraph_url_from_env');
  if (value.composition !== 'federation') problem('a supergraph requires the composition "federation"', 'composition');
  for (const key of ['url', 'url_from_env', 'schema_file'] as const)
    if (value[key] != null) problem('is for a single service: a supergraph names its subgraphs itself', key);
  for (const key of ['url', 'url_from_env'] as const)
    if (value.subscriptions?.[key] != null)
      problem('is for a single service: expected it in the description of a subgraph', 'subscriptions', key);
});

const fieldCoordinate = z
  .string()
  .regex(/^[A-Za-z_]\w*\.[A-Za-z_]\w*$/, 'expected a field as Type.field, such as Query.orders');

/** `remote_schemas.yaml`: GraphQL services. */
export const remoteSchemasShape = z.array(
  mapping({
    name,
    comment: z.string().nullish(),
    definition,
    permissions: z
      .array(
        mapping({
          role: name,
          comment: z.string().nullish(),
          definition: mapping({ schema: z.string().min(1) }),
          /** Portico's own: conditions that sessions of the role must meet to select fields of the permission. */
          session_conditions: z
            .array(mapping({ fields: z.array(fieldCoordinate).min(1), condition: sessionCondition }))
            .optional(),
        }),
      )
      .optional(),
    remote_relationships: remoteRelationshipsShape,
  }),
);

type WrittenPermission = NonNullable<z.output<typeof remoteSchemasShape>[number]['permissions']>[number];

export type RemoteSchemaPermission = WrittenPermission & {
  /** The role that the permission was inherited from, if it was. */
  readonly inheritedFrom?: string;
};

/** A remote schema, with the content of the files that it names. */
export type RemoteSchemaMetadata = Omit<z.output<typeof remoteSchemasShape>[number], 'permissions'> & {
  /** The permissions of roles, including inherited ones. */
  readonly permissions?: readonly RemoteSchemaPermission[] | undefined;
  /** The content of `schema_file`. */
  readonly schemaSdl?: string;
  /** The content of `supergraph_file`. */
  readonly supergraphSdl?: string;
};

/** Returns whether the definition is a composed supergraph instead of a single service. */
export function isSupergraph({ definition }: RemoteSchemaMetadata): boolean {
  const { supergraph_file, supergraph_url, supergraph_url_from_env } = definition;
  return [supergraph_file, supergraph_url, supergraph_url_from_env].some((one) => one !== undefined);
}

/** Reports conditions of fields that the SDL of their permission does not have. */
export function unknownConditionFields(
  remoteSchemas: readonly RemoteSchemaMetadata[],
  place: (path: ValuePath) => MetadataLocation,
): readonly MetadataProblem[] {
  return remoteSchemas.flatMap(({ permissions = [] }, index) =>
    permissions.flatMap(({ definition, session_conditions: written = [] }, at) => {
      const permitted = written.length > 0 ? permittedFields(definition.schema) : undefined;
      if (!permitted) return [];
      return written.flatMap(({ fields }, position) =>
        fields.flatMap((coordinate, item) => {
          const message = unknownField(coordinate, permitted);
          if (message === undefined) return [];
          const path = [index, 'permissions', at, 'session_conditions', position, 'fields', item];
          return [{ ...place(path), message: `the permission has no ${message}` }];
        }),
      );
    }),
  );
}

/** The fields of each object type and interface. Undefined if the SDL is invalid, which is reported elsewhere. */
function permittedFields(sdl: string): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const fields = new Map<string, Set<string>>();
  try {
    for (const definition of parse(sdl, { noLocation: true }).definitions) {
      if (!hasFields(definition)) continue;
      const known = fields.get(definition.name.value) ?? new Set();
      for (const field of definition.fields ?? []) known.add(field.name.value);
      fields.set(definition.name.value, known);
    }
  } catch {
    return undefined;
  }
  return fields;
}

function unknownField(coordinate: string, permitted: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const [type = '', field = ''] = coordinate.split('.');
  const fields = permitted.get(type);
  if (!fields) return `type "${type}"${suggestion(type, [...permitted.keys()])}`;
  return fields.has(field) ? undefined : `field "${field}" in "${type}"${suggestion(field, [...fields])}`;
}
