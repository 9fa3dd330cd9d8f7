import type { GraphQLSchema } from 'graphql';
import { type RemoteSchemaMetadata, resolveHeaders, resolveUrl } from '../metadata/index.ts';
import { clientHeaderForwarding } from './client-headers.ts';
import { introspect } from './introspect.ts';
import { type RemoteTarget, remoteExecutor } from './remote-executor.ts';
import { permittedSchema } from './role-permission.ts';
import { ADMIN_ROLE, type Source, SourceError, type Surroundings } from './source.ts';

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
  const schema = await introspect(target).catch((error: Error) => {
    throw new SourceError([error.message]);
  });
  const parts = permittedParts(metadata, schema);
  const executor = remoteExecutor(target);
  const partFor = (role: string) => {
    if (role === ADMIN_ROLE) return schema;
    if (metadata.permissions) return parts.get(role);
    return role === publicRole ? undefined : schema;
  };
  return {
    name: metadata.name,
    kind: 'remote-schema',
    schema,
    subschemaFor: (role) => {
      const part = partFor(role);
      return part && { schema: part, executor, batch: true };
    },
  };
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
function permittedParts(metadata: RemoteSchemaMetadata, whole: GraphQLSchema): ReadonlyMap<string, GraphQLSchema> {
  const parts = new Map<string, GraphQLSchema>();
  const problems: string[] = [];
  for (const { role, definition } of metadata.permissions ?? []) {
    const part = permittedSchema(definition.schema, whole);
    if ('schema' in part) parts.set(role, part.schema);
    else problems.push(...part.problems.map((problem) => `permission of role "${role}": ${problem}`));
  }
  if (problems.length > 0) throw new SourceError(problems);
  return parts;
}
