import type { FlattenNodePathSegment, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { SelectionNode } from 'graphql';
import { fieldsOf, keyOf } from './fold-units.ts';
import { precedes, type Unit } from './plan-units.ts';

/**
 * Puts the fetches of a plan into waves, which are done one after the other. What does not need another fetch of a
 * subgraph waits for it, so that both are one request, as long as nothing else has to wait for that.
 */
export function scheduleUnits(units: readonly Unit[]): Unit[][] {
  const produced = new Map(units.map((unit) => [unit, producedBy(unit)]));
  const needs = new Map(units.map((unit) => [unit, neededBy(unit)]));
  const dependsOn = (unit: Unit, other: Unit) => {
    if (!precedes(other, unit)) return false;
    const given = produced.get(other);
    return [...(needs.get(unit) ?? [])].some((path) => given?.has(path));
  };
  const waves = new Map<Unit, number>();
  const waveOf = (unit: Unit) => waves.get(unit) ?? 0;
  for (const unit of units) {
    const before = units.filter((other) => dependsOn(unit, other)).map(waveOf);
    waves.set(unit, Math.max(-1, ...before) + 1);
  }
  const last = Math.max(-1, ...waves.values());
  for (let wave = last - 1; wave >= 0; wave--) delayWave(units, wave, waves, dependsOn);
  return Array.from({ length: last + 1 }, (_, wave) => units.filter((unit) => waveOf(unit) === wave)).filter(
    (wave) => wave.length > 0,
  );
}

/** Moves the fetches of a wave to the next one that asks the same subgraph, where nothing waits for them. */
function delayWave(
  units: readonly Unit[],
  wave: number,
  waves: Map<Unit, number>,
  dependsOn: (unit: Unit, other: Unit) => boolean,
): void {
  const waveOf = (unit: Unit) => waves.get(unit) ?? 0;
  const entities = units.filter(({ kind }) => kind === 'entities');
  for (const service of new Set(entities.map((unit) => unit.service))) {
    const own = entities.filter((unit) => unit.service === service);
    const group = own.filter((unit) => waveOf(unit) === wave);
    const later = own.map(waveOf).filter((other) => other > wave);
    if (group.length === 0 || later.length === 0) continue;
    const next = Math.min(...later);
    const waited = units.some(
      (unit) => waveOf(unit) <= next && group.some((one) => one !== unit && dependsOn(unit, one)),
    );
    if (!waited) for (const unit of group) waves.set(unit, next);
  }
}

/** The places of the data that a fetch writes to, list positions left out. */
function producedBy(unit: Unit): Set<string> {
  const found = new Set<string>();
  const bases = unit.kind === 'root' ? [''] : unit.paths.map(placeOf);
  const walk = (selections: readonly SelectionNode[], base: string) => {
    for (const { field } of fieldsOf(selections, undefined)) {
      const place = `${base}.${keyOf(field)}`;
      found.add(place);
      if (field.selectionSet) walk(field.selectionSet.selections, place);
    }
  };
  for (const base of bases) {
    walk(unit.selections, base);
    for (const rewrite of unit.outputRewrites) {
      if (!('KeyRenamer' in rewrite)) continue;
      const keys = rewrite.KeyRenamer.path.flatMap((segment) => ('Key' in segment ? [segment.Key] : []));
      found.add([base, ...keys.slice(0, -1), rewrite.KeyRenamer.renameKeyTo].join('.'));
    }
  }
  return found;
}

/** The places of the data that a fetch reads: those that lead to its entities, and what is sent of these. */
function neededBy(unit: Unit): Set<string> {
  const found = new Set<string>();
  if (unit.kind === 'root') return found;
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
  for (const path of unit.paths) {
    for (let length = 1; length <= path.length; length++) found.add(placeOf(path.slice(0, length)));
    // A type condition on the way reads the type of what stands there.
    path.forEach((segment, at) => {
      if (segment !== '@' && !('Field' in segment)) found.add(`${placeOf(path.slice(0, at))}.__typename`);
    });
    found.add(`${placeOf(path)}.__typename`);
    walk(unit.requires, placeOf(path));
  }
  return found;
}

function placeOf(path: readonly FlattenNodePathSegment[]): string {
  return path.map((segment) => (segment !== '@' && 'Field' in segment ? `.${segment.Field}` : '')).join('');
}
