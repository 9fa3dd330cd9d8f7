import type { Executor } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { type Supergraph, supergraphHints } from '../composition/index.ts';
import type { RemoteSchemaMetadata } from '../metadata/index.ts';
import type { Call } from './call.ts';
import { type CustomizedSchema, customize } from './customization.ts';
import { withCustomization } from './customized-executor.ts';
import { executableDirectives } from './executable-directives.ts';
import { touches, withAuthorization } from './federation-authorization.ts';
import { openFederationEngine } from './federation-engine.ts';
import type { OverrideSettings } from './federation-overrides.ts';
import { type FederatedPermissions, WHOLE } from './federation-permissions.ts';
import { withPresets } from './preset-executor.ts';
import type { RemoteTarget } from './remote-request.ts';
import { mayAnswerMore, type Permitted } from './role-permission.ts';
import { schemaProblems } from './schema-problems.ts';
import { ADMIN_ROLE, type Source, SourceError, type Subschema } from './source.ts';

export interface FederatedSourceOptions {
  readonly name: string;
  /** The remote schemas that it stands for. */
  readonly members: readonly string[];
  readonly supergraph: Supergraph;
  readonly targets: ReadonlyMap<string, RemoteTarget>;
  readonly permissions: FederatedPermissions;
  readonly customization: RemoteSchemaMetadata['definition']['customization'];
  readonly overrides: OverrideSettings;
  readonly publicRole: string;
  /** What each remote schema says of itself. */
  readonly sdl: ReadonlyMap<string, string>;
}

/**
 * A supergraph as one source of the graph.
 *
 * @throws SourceError when the customization does not fit it.
 */
export async function federatedSource(options: FederatedSourceOptions): Promise<Source> {
  const { name, members, supergraph, permissions, customization, publicRole } = options;
  const { schema: upstream, requirements } = supergraph;
  const engine = await openFederationEngine(supergraph, options.targets, options.overrides);
  const run = withAuthorization(engine.execute, requirements, upstream, publicRole);

  const prepare: Subschema['prepare'] = (operation) =>
    touches(operation.document, requirements, upstream) ? undefined : engine.prepare?.(operation);
  const prepareSubscription: Subschema['prepareSubscription'] = (operation) =>
    touches(operation.document, requirements, upstream) ? undefined : engine.prepareSubscription?.(operation);
  const subschema = (part: GraphQLSchema, executor: Executor<Call>): Subschema => {
    const customized = customize(part, upstream, customization);
    const isPlain = !customization && executor === run && !mayAnswerMore(part, upstream);
    return {
      schema: customized.schema,
      executor: withCustomization(executor, customized),
      batch: true,
      customized,
      directives: executableDirectives(customized.schema, upstream),
      ...(isPlain && { prepare, prepareSubscription }),
    };
  };
  if (customization) checkCustomized(() => customize(upstream, upstream, customization));
  const whole = subschema(upstream, run);
  const parts = new Map<Permitted, Subschema>();
  const subschemaOf = (part: Permitted): Subschema => {
    const known = parts.get(part);
    if (known) return known;
    const made = subschema(part.schema, withPresets(run, part.presets, part.withPresets, name));
    parts.set(part, made);
    return made;
  };
  return {
    name,
    kind: 'federation',
    members,
    schema: whole.schema,
    ...(supergraph.schemaSdl !== undefined && !customization && { schemaSdl: supergraph.schemaSdl }),
    upstream,
    guards: [...options.targets.values()].map(({ http }) => http),
    sdl: options.sdl,
    hints: () => supergraphHints(supergraph),
    ...(engine.setInForce && { setInForce: (isInForce) => engine.setInForce?.(isInForce) }),
    ...(engine.kind === 'stitched' && {
      warning: 'the query planner does not load on this machine: federated operations are stitched, which is slower',
    }),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      const part = permissions.partFor(role);
      return part === WHOLE ? whole : part && subschemaOf(part);
    },
  };
}

/** @throws SourceError when names that are asked for make no schema. */
function checkCustomized(open: () => CustomizedSchema): void {
  const path = ['definition', 'customization'];
  let problems: readonly string[];
  try {
    problems = schemaProblems(open().schema);
  } catch (error) {
    problems = (error as Error).message.split('\n\n');
  }
  if (problems.length > 0) throw new SourceError(problems.map((message) => ({ message, path })));
}
