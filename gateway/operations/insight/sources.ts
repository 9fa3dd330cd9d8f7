import type { Generation, LastSchemaChange, LiveGraph } from '../../graph/index.ts';
import type { FiguresOfSources, SourceFigures } from './source-figures.ts';

/** The most changes of one schema that are listed. */
const MAX_SHOWN_CHANGES = 50;

/** A service behind the gateway, as an operator sees it. */
export interface SourceInsight extends SourceFigures {
  readonly name: string;
  readonly kind: 'remote_schema' | 'subgraph' | 'action';
  /**
   * `open`: the service was introspected. `stale`: the stored schema is used, since the service does not respond. `missing`:
   * the service is not part of the graph. `conflict`: the schema does not fit the others.
   */
  readonly schema: 'open' | 'stale' | 'missing' | 'conflict';
  /** Why the schema is not open. For an open one: why the last introspection failed, so that an earlier schema is used. */
  readonly reason: string | null;
  /** The source that contains the service. Null if the service is not composed. */
  readonly composed_into: string | null;
  readonly last_schema_change: {
    readonly at: string;
    readonly total: number;
    readonly breaking: number;
    readonly changes: LastSchemaChange['changes'];
  } | null;
}

/** Describes all services of the metadata in its order: remote schemas, subgraphs of supergraphs, actions. */
export function describeSources(
  generation: Generation,
  { schemaChanges, refreshFailures }: Pick<LiveGraph, 'schemaChanges' | 'refreshFailures'>,
  figures: FiguresOfSources,
): readonly SourceInsight[] {
  const { metadata, sources, missing, conflicts } = generation;
  const remotes = metadata.remoteSchemas.flatMap(({ name }): readonly SourceInsight[] => {
    const absent = missing.find(({ source }) => source === name);
    const conflict = conflicts.find(({ source }) => source === name);
    const schema = absent ? (absent.schema === 'stored' ? 'stale' : 'missing') : conflict ? 'conflict' : 'open';
    const group = sources.find(({ members }) => members?.includes(name));
    const own = {
      schema,
      reason: absent?.reason ?? conflict?.reason ?? refreshFailures.get(name) ?? null,
      last_schema_change: changeOf(schemaChanges.get(name)),
    } as const;
    // A supergraph is a single remote schema with several services.
    const isSupergraph = group?.kind === 'federation' && group.name === name;
    const services = isSupergraph ? (group.clients ?? []).map((client) => client.state().name) : [name];
    const isSubgraph = group?.kind === 'federation';
    return services.map((service) => ({
      name: service,
      kind: isSubgraph ? 'subgraph' : 'remote_schema',
      ...own,
      composed_into: isSubgraph ? group.name : null,
      ...figures.of(service, 'remote-schema'),
    }));
  });
  const actions = metadata.actions.actions.map(
    ({ name }): SourceInsight => ({
      name,
      kind: 'action',
      schema: 'open',
      reason: null,
      composed_into: null,
      last_schema_change: null,
      ...figures.of(name, 'action'),
    }),
  );
  return [...remotes, ...actions];
}

function changeOf(last: LastSchemaChange | undefined): SourceInsight['last_schema_change'] {
  if (!last) return null;
  const { at, total, breaking, changes } = last;
  return { at: new Date(at).toISOString(), total, breaking, changes: changes.slice(0, MAX_SHOWN_CHANGES) };
}
