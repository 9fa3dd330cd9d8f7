import type { Availability } from '../../upstream/index.ts';
import type { Subgraph } from '../federation/index.ts';
import type { Source } from '../source.ts';
import type { CompositionKind } from '../stored-schema.ts';

/** An opened remote schema: a source of its own, or a subgraph to be composed with the others. */
export type OpenedRemote = (
  | { readonly kind: 'source'; readonly source: Source }
  | { readonly kind: 'subgraph'; readonly subgraph: Subgraph }
) & { readonly availability: Availability };

/** The SDL to store for the remote schema. */
export function openedSdl(name: string, opened: OpenedRemote): string | undefined {
  return opened.kind === 'subgraph' ? opened.subgraph.sdl : opened.source.sdl?.get(name);
}

/** Whether two versions of a remote schema are identical. */
export function isAlike(one: OpenedRemote, other: OpenedRemote): boolean {
  if (one === other) return true;
  if (one.kind === 'subgraph' || other.kind === 'subgraph')
    return one.kind === 'subgraph' && other.kind === 'subgraph' && one.subgraph.sdl === other.subgraph.sdl;
  return JSON.stringify([...(one.source.sdl ?? [])]) === JSON.stringify([...(other.source.sdl ?? [])]);
}

export function compositionOf(opened: OpenedRemote): CompositionKind {
  return opened.kind === 'subgraph' ? 'federation' : recordedComposition(opened.source);
}

/** The detected kind of a source, which is stored with the schema. */
export function recordedComposition({ kind, mergedTypes }: Source): CompositionKind {
  if (kind === 'federation') return 'federation';
  return mergedTypes ? 'stitching' : 'plain';
}
