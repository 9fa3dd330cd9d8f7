import { buildSchema, type GraphQLSchema } from 'graphql';
import { type RemoteSchemaMetadata, resolveHeaders, resolveUrl } from '../metadata/index.ts';
import { clientHeaderForwarding } from './client-headers.ts';
import { customize } from './customization.ts';
import { withCustomization } from './customized-executor.ts';
import { introspect } from './introspect.ts';
import { withPresets } from './preset-executor.ts';
import { type RemoteTarget, remoteExecutor, remoteForward } from './remote-executor.ts';
import { mayAnswerMore, type Permitted, permittedSchema } from './role-permission.ts';
import { schemaProblems } from './schema-problems.ts';
import {
  ADMIN_ROLE,
  type Source,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
  type Subschema,
  type Surroundings,
} from './source.ts';

/** A remote schema that is described, and not yet asked for its types. */
export interface RemoteSchema {
  readonly name: string;
  /**
   * Asks the remote for its types.
   *
   * @throws SourceError when it does not answer, or its types do not fit the permissions.
   */
  open(): Promise<Source>;
}

/**
 * Prepares a remote schema.
 *
 * @throws SourceError when its metadata does not fit the environment.
 */
export function remoteSchema(metadata: RemoteSchemaMetadata, surroundings: Surroundings): RemoteSchema {
  const target = remoteTarget(metadata, surroundings);
  return { name: metadata.name, open: () => openRemoteSchema(metadata, target, surroundings.publicRole) };
}

async function openRemoteSchema(
  metadata: RemoteSchemaMetadata,
  target: RemoteTarget,
  publicRole: string,
): Promise<Source> {
  const upstream = await upstreamSchema(metadata, target);
  const executor = remoteExecutor(target);
  const forward = remoteForward(target);
  const customization = metadata.definition.customization ?? undefined;
  const subschema = (part: GraphQLSchema, run = executor): Subschema => {
    const customized = customize(part, upstream, customization);
    const isPlain = customization === undefined && run === executor && hasUsualRoots(upstream);
    return {
      schema: customized.schema,
      executor: withCustomization(run, customized),
      batch: true,
      ...(isPlain && !mayAnswerMore(part, upstream) && { forward }),
    };
  };

  const whole = customizedWhole(() => subschema(upstream));
  const parts = new Map<string, Subschema>();
  for (const [role, { schema, withPresets: full, presets }] of permittedParts(metadata, upstream))
    parts.set(role, subschema(schema, withPresets(executor, presets, full, metadata.name)));
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema: whole.schema,
    upstream,
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      if (metadata.permissions) return parts.get(role);
      return role === publicRole ? undefined : whole;
    },
  };
}

/** Whether the remote's root types are called as in the graph, where clients may name them in fragments. */
function hasUsualRoots(upstream: GraphQLSchema): boolean {
  const names = [upstream.getQueryType(), upstream.getMutationType()].map((type) => type?.name);
  return (names[0] ?? 'Query') === 'Query' && (names[1] ?? 'Mutation') === 'Mutation';
}

/** What the graph is given of a remote schema has to be a schema: one that is not would take the others down with it. */
function customizedWhole(open: () => Subschema): Subschema {
  const path = ['definition', 'customization'];
  let subschema: Subschema;
  try {
    subschema = open();
  } catch (error) {
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
  const problems = schemaProblems(subschema.schema);
  if (problems.length > 0) throw new SourceError(problems.map((message) => ({ message, path })));
  return subschema;
}

async function upstreamSchema(metadata: RemoteSchemaMetadata, target: RemoteTarget): Promise<GraphQLSchema> {
  const schema = metadata.schemaSdl === undefined ? await introspected(target) : described(metadata.schemaSdl);
  const problems = schemaProblems(schema).map((problem) => `its schema is not valid: ${problem}`);
  if (!schema.getQueryType() && !schema.getMutationType()) problems.push('its schema has no root types');
  if (problems.length > 0) throw new SourceError(problems);
  return schema;
}

function introspected(target: RemoteTarget): Promise<GraphQLSchema> {
  return introspect(target).catch((error: Error) => {
    throw new SourceUnreachable(error.message);
  });
}

function described(sdl: string): GraphQLSchema {
  try {
    return buildSchema(sdl);
  } catch (error) {
    const path = ['definition', 'schema_file'];
    throw new SourceError((error as Error).message.split('\n\n').map((message) => ({ message, path })));
  }
}

function remoteTarget(metadata: RemoteSchemaMetadata, { environment, http }: Surroundings): RemoteTarget {
  const { definition } = metadata;
  const url = resolveUrl(definition, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) throw new SourceError([url.problem]);
  if ('problem' in headers) throw new SourceError([headers.problem]);
  return {
    name: metadata.name,
    url: url.url,
    timeoutMs: definition.timeout_seconds * 1000,
    headers: headers.headers,
    forwardHeaders: definition.forward_client_headers ? clientHeaderForwarding() : undefined,
    http,
  };
}

/** What each listed role is given. */
function permittedParts(metadata: RemoteSchemaMetadata, upstream: GraphQLSchema): ReadonlyMap<string, Permitted> {
  const parts = new Map<string, Permitted>();
  const problems: SourceProblem[] = [];
  (metadata.permissions ?? []).forEach(({ role, definition }, index) => {
    const part = permittedSchema(definition.schema, upstream);
    const path = ['permissions', index, 'definition', 'schema'];
    if ('schema' in part) parts.set(role, part);
    else
      problems.push(...part.problems.map((problem) => ({ path, message: `permission of role "${role}": ${problem}` })));
  });
  if (problems.length > 0) throw new SourceError(problems);
  return parts;
}
