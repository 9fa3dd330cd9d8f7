import { DirectiveLocation, type GraphQLDirective, type GraphQLSchema, isSpecifiedDirective } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import { type Supergraph, supergraphHints } from '../../planning/composition/index.ts';
import { type CustomizedSchema, customize } from '../customization/index.ts';
import { conditionsInGraph, type Permitted } from '../permissions/index.ts';
import { eventSharing, type RemoteTarget } from '../remote-schema/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { type Source, SourceError, type Subschema } from '../source.ts';
import { roleView, transformedOperations } from '../transforms/index.ts';
import { authorizedOperations } from './federation-authorization.ts';
import { openFederationEngine } from './federation-engine.ts';
import type { OverrideSettings } from './federation-overrides.ts';
import { type FederatedPermissions, WHOLE_SUPERGRAPH } from './federation-permissions.ts';

export interface FederatedSourceOptions {
  readonly name: string;
  /** The names of the remote schemas that this source composes. */
  readonly members: readonly string[];
  readonly supergraph: Supergraph;
  readonly targets: ReadonlyMap<string, RemoteTarget>;
  readonly permissions: FederatedPermissions;
  readonly customization: RemoteSchemaMetadata['definition']['customization'];
  readonly overrides: OverrideSettings;
  readonly publicRole: string;
  /** The introspected SDL of each remote schema. */
  readonly sdl: ReadonlyMap<string, string>;
}

/**
 * Opens a supergraph as one source of the graph.
 *
 * @throws SourceError if the customization does not fit the supergraph.
 */
export function federatedSource(options: FederatedSourceOptions): Source {
  const { name, members, supergraph, permissions, customization, publicRole } = options;
  const { schema: upstream, requirements } = supergraph;
  const engine = openFederationEngine(supergraph, options.targets, { overrides: options.overrides });
  const operations = authorizedOperations(engine, requirements, upstream, publicRole);
  const sharing = eventSharing(options.targets.values());
  const subschema = (permitted?: Permitted): Subschema => {
    const view = roleView(name, upstream, permitted, customization);
    const { customized } = view;
    return {
      source: name,
      schema: customized.schema,
      customized,
      sessionConditions: conditionsInGraph(permitted?.conditions, customized),
      sharing,
      directives: executableDirectives(customized.schema, upstream),
      ...transformedOperations(operations, view),
    };
  };
  if (customization) checkCustomized(() => customize(upstream, upstream, customization));
  const whole = subschema();
  const parts = new Map<Permitted, Subschema>();
  const subschemaOf = (part: Permitted): Subschema => {
    const known = parts.get(part);
    if (known) return known;
    const made = subschema(part);
    parts.set(part, made);
    return made;
  };
  return {
    name,
    kind: 'federation',
    members,
    schema: whole.schema,
    ...(supergraph.schemaDefinitions && !customization && { definitions: supergraph.schemaDefinitions }),
    upstream,
    clients: [...options.targets.values()].map(({ http }) => http),
    sdl: options.sdl,
    ownership: {
      servicesOf: (type, field) =>
        supergraph.subgraphs.flatMap(({ name: service }) =>
          supergraph.types.answers(service, type, field) ? [service] : [],
        ),
      keysOf: (type) => supergraph.types.keysOf(type),
    },
    hints: () => supergraphHints(supergraph),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      const part = permissions.partFor(role);
      return part === WHOLE_SUPERGRAPH ? whole : part && subschemaOf(part);
    },
  };
}

/** @throws SourceError if the customized schema is invalid. */
function checkCustomized(open: () => CustomizedSchema): void {
  const path = ['definition', 'customization'];
  let problems: readonly string[];
  try {
    problems = schemaValidationProblems(open().schema);
  } catch (error) {
    problems = (error as Error).message.split('\n\n');
  }
  if (problems.length > 0) throw new SourceError(problems.map((message) => ({ message, path })));
}

const IN_OPERATIONS: ReadonlySet<string> = new Set([
  DirectiveLocation.QUERY,
  DirectiveLocation.MUTATION,
  DirectiveLocation.SUBSCRIPTION,
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_DEFINITION,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
  DirectiveLocation.VARIABLE_DEFINITION,
]);

/**
 * Selects the directives of a composed graph that operations may use.
 *
 * @param schema the role's schema in the graph's names, with the directives that were kept.
 * @param upstream the composed graph itself.
 */
function executableDirectives(schema: GraphQLSchema, upstream: GraphQLSchema): readonly GraphQLDirective[] {
  return upstream.getDirectives().flatMap((directive) => {
    if (isSpecifiedDirective(directive)) return [];
    return directive.locations.some((location) => IN_OPERATIONS.has(location))
      ? [schema.getDirective(directive.name) ?? directive]
      : [];
  });
}
