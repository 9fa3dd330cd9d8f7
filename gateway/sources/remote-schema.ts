import { buildSchema, type GraphQLSchema } from 'graphql';
import { type RemoteSchemaMetadata, resolveHeaders, resolveUrl } from '../metadata/index.ts';
import { clientHeaderForwarding } from './client-headers.ts';
import { customizationTransforms, customizedSchema } from './customization.ts';
import { introspect } from './introspect.ts';
import { withPresets } from './preset-executor.ts';
import { type RemoteTarget, remoteExecutor } from './remote-executor.ts';
import { type Permitted, permittedSchema } from './role-permission.ts';
import {
  ADMIN_ROLE,
  type Source,
  SourceError,
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
  const transforms = customizationTransforms(metadata.definition.customization, upstream);
  const subschema = (schema: GraphQLSchema, run = executor): Subschema => ({
    schema,
    executor: run,
    transforms,
    batch: true,
  });

  const whole = subschema(upstream);
  const parts = new Map<string, Subschema>();
  for (const [role, { schema, withPresets: full, presets }] of permittedParts(metadata, upstream))
    parts.set(role, subschema(schema, withPresets(executor, presets, full, metadata.name)));
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema: customizedSchema(upstream, transforms),
    upstream,
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      if (metadata.permissions) return parts.get(role);
      return role === publicRole ? undefined : whole;
    },
  };
}

async function upstreamSchema(metadata: RemoteSchemaMetadata, target: RemoteTarget): Promise<GraphQLSchema> {
  if (metadata.schemaSdl === undefined)
    return introspect(target).catch((error: Error) => {
      throw new SourceUnreachable(error.message);
    });
  try {
    return buildSchema(metadata.schemaSdl);
  } catch (error) {
    throw new SourceError([`${metadata.definition.schema_file}: ${(error as Error).message}`]);
  }
}

function remoteTarget(metadata: RemoteSchemaMetadata, { environment, http }: Surroundings): RemoteTarget {
  const { definition } = metadata;
  const url = resolveUrl(definition, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) throw new SourceError([`remote schema ${metadata.name}: ${url.problem}`]);
  if ('problem' in headers) throw new SourceError([`remote schema ${metadata.name}: ${headers.problem}`]);
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
  const problems: string[] = [];
  for (const { role, definition } of metadata.permissions ?? []) {
    const part = permittedSchema(definition.schema, upstream);
    if ('schema' in part) parts.set(role, part);
    else problems.push(...part.problems.map((problem) => `permission of role "${role}": ${problem}`));
  }
  if (problems.length > 0) throw new SourceError(problems);
  return parts;
}
