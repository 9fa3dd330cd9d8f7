import type { GraphQLSchema } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { printSchema } from '../../graphql/schemas/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import { hasUsualRoots } from '../customization/index.ts';
import { conditionsInGraph, type Permitted, partsByRole, permittedParts } from '../permissions/index.ts';
import { eventSharing, type RemoteTarget, remoteOperations } from '../remote-schema/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { type Source, SourceError, type Subschema } from '../source.ts';
import { roleView, transformedOperations } from '../transforms/index.ts';

/**
 * Opens a remote schema as a source of its own: neither a subgraph nor a stitched service.
 *
 * @param sdl the schema's SDL if it is already printed, since printing takes long.
 * @throws SourceError if the customization does not fit the schema.
 */
export function openPlainSource(
  metadata: RemoteSchemaMetadata,
  upstream: GraphQLSchema,
  target: RemoteTarget,
  publicRole: string,
  sdl = printSchema(upstream),
): Source {
  const remote = remoteOperations(target, upstream);
  const customization = metadata.definition.customization ?? undefined;
  const sharing = eventSharing([target]);
  const subschema = (permitted?: Permitted): Subschema => {
    const view = roleView(metadata.name, upstream, permitted, customization);
    const { incremental, ...operations } = transformedOperations(remote, view);
    const { customized } = view;
    const hasOwnRoots = !hasUsualRoots(customized.schema);
    return {
      source: metadata.name,
      schema: customized.schema,
      customized,
      sessionConditions: conditionsInGraph(permitted?.conditions, customized),
      sharing,
      ...operations,
      ...(hasOwnRoots && { hasOwnRoots }),
      ...(!hasOwnRoots && !customization && incremental && { incremental }),
    };
  };

  const whole = customizedWhole(() => subschema());
  const parts = partsByRole(permittedParts(metadata, upstream, true), subschema);
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema: whole.schema,
    upstream,
    clients: [target.http],
    sdl: new Map([[metadata.name, sdl]]),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      if (metadata.permissions) return parts.get(role);
      return role === publicRole ? undefined : whole;
    },
  };
}

/** Checks that a customized remote schema is valid. An invalid one would make the whole graph invalid. */
function customizedWhole(open: () => Subschema): Subschema {
  const path = ['definition', 'customization'];
  let subschema: Subschema;
  try {
    subschema = open();
  } catch (error) {
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
  const problems = schemaValidationProblems(subschema.schema);
  if (problems.length > 0) throw new SourceError(problems.map((message) => ({ message, path })));
  return subschema;
}

/** @throws SourceError if a schema cannot be part of the graph. */
export function usableSchema(schema: GraphQLSchema): GraphQLSchema {
  const problems = schemaValidationProblems(schema).map((problem) => `its schema is not valid: ${problem}`);
  if (!schema.getQueryType() && !schema.getMutationType()) problems.push('its schema has no root types');
  if (problems.length > 0) throw new SourceError(problems);
  return schema;
}
