import {
  buildASTSchema,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNullableType,
  isListType,
  Kind,
  OperationTypeNode,
  parse,
} from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import type { Preset, Presets } from '../permissions/index.ts';
import { type Permitted, partsByRole, permittedParts, rolePresets } from '../permissions/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { eventSharing, remoteOperations } from '../remote-schema/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { type Source, SourceError, type Subschema, type TypeJoins } from '../source.ts';
import { type SourceOperations, transformedOperations } from '../transforms/index.ts';
import {
  lookupArguments,
  readStitchingDirectives,
  STITCHING_DIRECTIVE_DEFINITIONS,
  type StitchedType,
  stitchingDirectiveProblems,
} from './stitching-directives.ts';
import { withoutRootFields } from './stitching-visible.ts';

/** The root field that returns the SDL. */
const SDL_FIELD = '_sdl';

/**
 * Opens a service whose stitching directives declare how its types are joined with those of other services.
 *
 * Clients do not see `_sdl` or root fields with `@merge` whose names begin with an underscore, since only the gateway
 * uses these.
 *
 * @param sdl the SDL with directives. Their definitions may be left out.
 * @throws SourceError if the SDL is incorrect or the metadata does not fit it.
 */
export function stitchingSource(
  metadata: RemoteSchemaMetadata,
  sdl: string,
  target: RemoteTarget,
  publicRole: string,
): Source {
  if (metadata.definition.customization)
    throw new SourceError([
      {
        message:
          'a stitched service cannot be customized, because its types are joined with the types of other services by name',
        path: ['definition', 'customization'],
      },
    ]);
  const upstream = buildStitchedSchema(sdl);
  const { compile, compileSubscription } = remoteOperations(target, upstream);
  const remote = { compile, compileSubscription };
  const types = readStitchingDirectives(upstream);
  const joins = new Map([...types].map(([name, type]) => [name, typeJoins(type)]));
  const merged = [...joins.keys()];
  const schema = withoutRootFields(upstream, { rootFields: machinery(upstream), keptTypes: merged });
  const sharing = eventSharing([target]);
  const subschema = (visible: GraphQLSchema, operations: SourceOperations = remote): Subschema => ({
    source: metadata.name,
    schema: upstream,
    joins,
    visible,
    sharing,
    ...operations,
  });

  const whole = subschema(schema);
  // Objects are fetched through root fields that the role may not see, so presets refer to the whole schema.
  const names = { schema: upstream, namespace: undefined, types: new Map(), fields: new Map() };
  const view = { service: metadata.name, customized: names, upstream, narrowed: undefined };
  const parts = partsByRole(permittedParts(metadata, upstream, false), (part) => {
    const presets = rolePresets(inUpstream(part, upstream), upstream, metadata.name);
    const operations = transformedOperations(remote, { ...view, presets });
    return { ...subschema(part.schema, operations), sessionConditions: part.conditions };
  });
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema,
    upstream,
    clients: [target.http],
    mergedTypes: new Set(merged),
    sdl: new Map([[metadata.name, sdl]]),
    hints: () => singleEntries(upstream).map((field) => callPerObject(field, upstream)),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      if (metadata.permissions) return parts.get(role);
      return role === publicRole ? undefined : whole;
    },
  };
}

function typeJoins({ key, lookups, requires, isCanonical }: StitchedType): TypeJoins {
  return {
    key,
    lookups: lookups.map((lookup) => ({
      field: lookup.field,
      key: lookup.key,
      isMany: lookup.isMany,
      arguments: lookup.arguments.map(({ name }) => name),
      argumentsFor: (objects) => lookupArguments(lookup, objects),
    })),
    requires,
    isCanonical,
  };
}

function buildStitchedSchema(sdl: string): GraphQLSchema {
  const found: string[] = [];
  try {
    const document = parse(sdl);
    const schema = buildASTSchema(withDirectiveDefinitions(document));
    found.push(...schemaValidationProblems(schema));
    if (found.length === 0) found.push(...stitchingDirectiveProblems(schema));
    if (found.length === 0) return schema;
  } catch (error) {
    found.push(...(error as Error).message.split('\n\n'));
  }
  throw new SourceError(found.map((message) => `its SDL: ${message}`));
}

/** Adds missing definitions of directives, since not all services print them. */
function withDirectiveDefinitions(document: DocumentNode): DocumentNode {
  const defined = new Set(
    document.definitions.flatMap((one) => (one.kind === Kind.DIRECTIVE_DEFINITION ? [one.name.value] : [])),
  );
  const missing = parse(STITCHING_DIRECTIVE_DEFINITIONS).definitions.filter(
    (one) => one.kind === Kind.DIRECTIVE_DEFINITION && !defined.has(one.name.value),
  );
  return { ...document, definitions: [...document.definitions, ...missing] };
}

/** Root fields that only the gateway uses. */
function machinery(schema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const hidden = fields.filter(({ name, astNode }) => name === SDL_FIELD || (name.startsWith('_') && isEntry(astNode)));
  return new Set(hidden.map(({ name }) => name));
}

/** Root fields with `@merge` that return one object at a time. */
function singleEntries(schema: GraphQLSchema): readonly GraphQLField<unknown, unknown>[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  return fields.filter(({ type, astNode }) => isEntry(astNode) && !isListType(getNullableType(type)));
}

function callPerObject({ name, type }: GraphQLField<unknown, unknown>, schema: GraphQLSchema): string {
  const root = schema.getQueryType()?.name;
  return `"${root}.${name}" returns one "${String(type)}" at a time: joining N objects takes N calls`;
}

function isEntry(field: FieldDefinitionNode | null | undefined): boolean {
  return field?.directives?.some((directive) => directive.name.value === 'merge') ?? false;
}

/** Renames root types in the keys of presets to the service's names. */
function inUpstream({ presets, withPresets: part }: Permitted, upstream: GraphQLSchema): Presets {
  const renamed = new Map<string, Preset>();
  for (const [key, preset] of presets) {
    const [name = '', ...rest] = key.split('.');
    const type = part.getType(name);
    const root = Object.values(OperationTypeNode).find((operation) => type && part.getRootType(operation) === type);
    const inService = root && upstream.getRootType(root);
    renamed.set([inService?.name ?? name, ...rest].join('.'), preset);
  }
  return renamed;
}
