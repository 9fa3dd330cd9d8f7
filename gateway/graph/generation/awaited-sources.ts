import { isInterfaceType, isObjectType, type OperationTypeNode } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { isSupergraph, type Metadata, type RemoteSchemaMetadata } from '../../metadata/index.ts';
import { type CustomizedSchema, type PromisedSchema, promisedSchema } from '../../sources/index.ts';
import type { Inconsistency, MissingSource } from './inconsistency.ts';

/**
 * The possible elements of sources that have never been introspected. Operations that select these elements may become
 * valid. Only elements that the role may see count, so that responses do not reveal fields of other roles.
 */
export interface AwaitedSources {
  readonly names: readonly string[];
  mayHaveRootField(role: string, operation: OperationTypeNode, field: string): boolean;
  /** @param type the name of a type in the graph, which lacks the field. */
  mayHaveField(role: string, type: string, field: string): boolean;
  mayHaveType(role: string, type: string): boolean;
  /**
   * The part that a source's permissions grant clients without a token. Undefined for known sources and if nothing is
   * granted.
   */
  promisedToThePublic(source: string): CustomizedSchema | undefined;
}

/** @returns undefined if the schema of every source is known. */
export function awaitedSources({
  metadata,
  missing,
  conflicts,
  publicRole,
}: {
  metadata: Metadata;
  missing: readonly MissingSource[];
  conflicts: readonly Inconsistency[];
  publicRole: string;
}): AwaitedSources | undefined {
  const unknown = missing.filter(({ schema }) => schema === 'unknown');
  if (unknown.length === 0) return undefined;
  // A subgraph may need another one that is missing, and is left out until that one is available.
  const names = [...unknown, ...conflicts].map(({ source }) => source);
  const remotes = metadata.remoteSchemas.filter(({ name }) => names.includes(name));
  const promises = new Map<string, PromisedSchema>();
  const promiseOf = (remote: RemoteSchemaMetadata, role: string): PromisedSchema => {
    const key = JSON.stringify([remote.name, role]);
    const known = promises.get(key);
    if (known !== undefined) return known;
    const promised = promisedSchema(remote, role, publicRole);
    // Roles come from tokens. Results for roles that no permission names are cheap and not cached.
    if (typeof promised === 'object') promises.set(key, promised);
    return promised;
  };
  const some = (role: string, fits: (promised: PromisedSchema, remote: RemoteSchemaMetadata) => boolean) =>
    remotes.some((remote) => fits(promiseOf(remote, role), remote));

  const isJoined = (role: string, field: string) =>
    metadata.relationships.some(
      ({ name, source, target }) =>
        name === field &&
        some(role, (promised, remote) => promised !== 'nothing' && [source, target].includes(remote.name)),
    );
  /** Whether an action may be the field of a type that is not known yet. */
  const isAdded = (role: string, type: string, field: string) =>
    metadata.actions.actions.some(
      ({ definition, permissions }) =>
        definition.field?.type === type &&
        definition.field.name === field &&
        (role === ADMIN_ROLE || permissions.some((permission) => permission.role === role)) &&
        some(role, (promised) => promised !== 'nothing'),
    );
  return {
    names,
    mayHaveRootField: (role, operation, field) =>
      some(role, (promised) =>
        typeof promised === 'object'
          ? Object.hasOwn(promised.schema.getRootType(operation)?.getFields() ?? {}, field)
          : promised === 'any',
      ),
    mayHaveField: (role, type, field) =>
      isJoined(role, field) ||
      isAdded(role, type, field) ||
      some(role, (promised, remote) => {
        if (typeof promised !== 'object') return promised === 'any' && addsToTypes(remote);
        const found = promised.schema.getType(type);
        return (isObjectType(found) || isInterfaceType(found)) && Object.hasOwn(found.getFields(), field);
      }),
    mayHaveType: (role, type) =>
      some(role, (promised) =>
        typeof promised === 'object' ? promised.schema.getType(type) !== undefined : promised === 'any',
      ),
    promisedToThePublic: (source) => {
      const remote = remotes.find(({ name }) => name === source);
      const promised = remote && promiseOf(remote, publicRole);
      return typeof promised === 'object' ? promised : undefined;
    },
  };
}

/** Whether a remote schema may add fields to types of other sources. A plain remote schema cannot. */
function addsToTypes(remote: RemoteSchemaMetadata): boolean {
  return remote.definition.composition !== 'plain' || isSupergraph(remote);
}
