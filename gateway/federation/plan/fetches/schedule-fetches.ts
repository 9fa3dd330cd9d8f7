import type { FlattenNodePathSegment, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { SelectionNode } from 'graphql';
import { fieldsOf, responseKey } from './fold-fetches.ts';
import { type Fetch, precedes } from './plan-fetches.ts';

/**
 * Puts the fetches of a plan into waves, which run one after the other. A fetch is delayed until a later fetch of the same
 * subgraph, so that both become one request, unless other fetches would have to wait for it.
 */
export function scheduleFetches(fetches: readonly Fetch[]): Fetch[][] {
  const produced = new Map(fetches.map((fetch) => [fetch, producedBy(fetch)]));
  const needs = new Map(fetches.map((fetch) => [fetch, neededBy(fetch)]));
  const dependsOn = (fetch: Fetch, other: Fetch) => {
    if (!precedes(other, fetch)) return false;
    const given = produced.get(other);
    return [...(needs.get(fetch) ?? [])].some((path) => given?.has(path));
  };
  const waves = new Map<Fetch, number>();
  const waveOf = (fetch: Fetch) => waves.get(fetch) ?? 0;
  for (const fetch of fetches) {
    const before = fetches.filter((other) => dependsOn(fetch, other)).map(waveOf);
    waves.set(fetch, Math.max(-1, ...before) + 1);
  }
  const last = Math.max(-1, ...waves.values());
  for (let wave = last - 1; wave >= 0; wave--) delayWave(fetches, wave, waves, dependsOn);
  return Array.from({ length: last + 1 }, (_, wave) => fetches.filter((fetch) => waveOf(fetch) === wave)).filter(
    (wave) => wave.length > 0,
  );
}

/** Moves the fetches of a wave to the next one with a request to the same subgraph, where nothing waits for them. */
function delayWave(
  fetches: readonly Fetch[],
  wave: number,
  waves: Map<Fetch, number>,
  dependsOn: (fetch: Fetch, other: Fetch) => boolean,
): void {
  const waveOf = (fetch: Fetch) => waves.get(fetch) ?? 0;
  const entities = fetches.filter(({ kind }) => kind === 'entities');
  for (const service of new Set(entities.map((fetch) => fetch.service))) {
    const own = entities.filter((fetch) => fetch.service === service);
    const group = own.filter((fetch) => waveOf(fetch) === wave);
    const later = own.map(waveOf).filter((other) => other > wave);
    if (group.length === 0 || later.length === 0) continue;
    const next = Math.min(...later);
    const waited = fetches.some(
      (fetch) => waveOf(fetch) <= next && group.some((one) => one !== fetch && dependsOn(fetch, one)),
    );
    if (!waited) for (const fetch of group) waves.set(fetch, next);
  }
}

/** The paths that a fetch writes to, without list positions. */
function producedBy(fetch: Fetch): Set<string> {
  const found = new Set<string>();
  const bases = fetch.kind === 'root' ? [''] : fetch.paths.map(pathKey);
  const walk = (selections: readonly SelectionNode[], base: string) => {
    for (const { field } of fieldsOf(selections, undefined)) {
      const place = `${base}.${responseKey(field)}`;
      found.add(place);
      if (field.selectionSet) walk(field.selectionSet.selections, place);
    }
  };
  for (const base of bases) {
    walk(fetch.selections, base);
    for (const rewrite of fetch.outputRewrites) {
      if (!('KeyRenamer' in rewrite)) continue;
      const keys = rewrite.KeyRenamer.path.flatMap((segment) => ('Key' in segment ? [segment.Key] : []));
      found.add([base, ...keys.slice(0, -1), rewrite.KeyRenamer.renameKeyTo].join('.'));
    }
  }
  return found;
}

/** The paths that a fetch reads: those that lead to its entities, and the fields of their representations. */
function neededBy(fetch: Fetch): Set<string> {
  const found = new Set<string>();
  if (fetch.kind === 'root') return found;
  const walk = (required: readonly RequiresSelection[], base: string) => {
    for (const one of required) {
      if (one.kind === 'InlineFragment') walk(one.selections, base);
      if (one.kind !== 'Field') continue;
      for (const key of [one.name, one.alias ?? one.name]) {
        found.add(`${base}.${key}`);
        if (one.selections) walk(one.selections, `${base}.${key}`);
      }
    }
  };
  for (const path of fetch.paths) {
    for (let length = 1; length <= path.length; length++) found.add(pathKey(path.slice(0, length)));
    // A type condition on the path reads the object's type.
    path.forEach((segment, at) => {
      if (segment !== '@' && !('Field' in segment)) found.add(`${pathKey(path.slice(0, at))}.__typename`);
    });
    found.add(`${pathKey(path)}.__typename`);
    walk(fetch.requires, pathKey(path));
  }
  return found;
}

function pathKey(path: readonly FlattenNodePathSegment[]): string {
  return path.map((segment) => (segment !== '@' && 'Field' in segment ? `.${segment.Field}` : '')).join('');
}
