import { type GraphQLSchema, isScalarType } from 'graphql';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import { printSchema } from '../../schemas/index.ts';
import { ADMIN_ROLE } from '../../session/index.ts';
import { customize, hasUsualRoots } from '../customization/index.ts';
import { mayAnswerMore, partsByRole, permittedParts, withPresets } from '../permissions/index.ts';
import {
  compileForward,
  compileIncremental,
  compileRemoteSubscription,
  customizedOperations,
  type RemoteTarget,
  remoteExecutor,
  type SourceOperations,
  withCustomization,
} from '../remote-schema/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { type Source, SourceError, type Subschema } from '../source.ts';

/**
 * Makes a source of a remote schema that stands by itself: neither a subgraph nor a stitched service.
 *
 * @param sdl that of the schema, where it is known: printing it takes long.
 * @throws SourceError when its customization does not fit its schema.
 */
export function openPlainSource(
  metadata: RemoteSchemaMetadata,
  upstream: GraphQLSchema,
  target: RemoteTarget,
  publicRole: string,
  sdl = printSchema(upstream),
): Source {
  const executor = remoteExecutor(target);
  const takesFiles = isScalarType(upstream.getType('Upload'));
  // A source with a configured `Accept` header is never asked for incremental delivery.
  const directives = upstream
    .getDirectives()
    .filter(({ name }) => (name === 'defer' || name === 'stream') && !('accept' in target.headers));
  const asTheyAre: SourceOperations = {
    compile: (operation) => compileForward(target, operation, takesFiles),
    compileSubscription: (operation) => compileRemoteSubscription(target, operation),
    incremental: { directives, compile: (operation) => compileIncremental(target, operation) },
  };
  const customization = metadata.definition.customization ?? undefined;
  const subschema = (part: GraphQLSchema, run = executor): Subschema => {
    const customized = customize(part, upstream, customization);
    const isAsAsked = run === executor && hasUsualRoots(customized.schema) && !mayAnswerMore(part, upstream);
    const { incremental: delivery, ...whole } =
      customization || customized.types.size > 0
        ? customizedOperations({ target, takesFiles, directives }, customized)
        : asTheyAre;
    return {
      schema: customized.schema,
      executor: withCustomization(run, customized),
      batch: true,
      customized,
      ...(isAsAsked && whole),
      ...(isAsAsked && !customization && { incremental: delivery }),
    };
  };

  const whole = customizedWhole(() => subschema(upstream));
  const parts = partsByRole(permittedParts(metadata, upstream, true), ({ schema, withPresets: full, presets }) =>
    subschema(schema, withPresets(executor, presets, full, metadata.name)),
  );
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

/** Checks that a customized remote schema is valid: an invalid one would make the whole graph invalid. */
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

/** @throws SourceError when a schema cannot be a part of the graph. */
export function usableSchema(schema: GraphQLSchema): GraphQLSchema {
  const problems = schemaValidationProblems(schema).map((problem) => `its schema is not valid: ${problem}`);
  if (!schema.getQueryType() && !schema.getMutationType()) problems.push('its schema has no root types');
  if (problems.length > 0) throw new SourceError(problems);
  return schema;
}
