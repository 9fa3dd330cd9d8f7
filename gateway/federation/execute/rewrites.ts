import type { FetchNodePathSegment, FetchRewrite } from '@graphql-hive/router-query-planner';
import type { SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import { fieldsOf, responseKey } from '../plan/index.ts';
import { mergeInto } from './merge.ts';

/** Changes a value in place, as a plan asks for before it is sent or after it has come. */
export type Rewrite = (value: Json | undefined) => void;

/** One function for all rewrites of a fetch; undefined where there are none. */
export function compileRewrites(
  rewrites: readonly FetchRewrite[] | undefined,
  types: SupergraphTypes,
): Rewrite | undefined {
  if (!rewrites || rewrites.length === 0) return undefined;
  const steps = rewrites.map((rewrite) => compileRewrite(rewrite, types));
  return (value) => {
    for (const step of steps) step(value);
  };
}

/** The type name that a rewrite sets, as most rewrites of representations do; undefined for others. */
export function typenameSetter(rewrite: FetchRewrite): { condition: readonly string[]; typename: string } | undefined {
  const setter = 'ValueSetter' in rewrite ? rewrite.ValueSetter : 'setValueTo' in rewrite ? rewrite : undefined;
  const [first, second] = setter?.path ?? [];
  if (setter?.path.length !== 2 || !first || !second) return undefined;
  if (!('TypenameEquals' in first) || !('Key' in second) || second.Key !== '__typename') return undefined;
  return { condition: [first.TypenameEquals].flat(), typename: setter.setValueTo };
}

/** A path in a response after its rewrites, for the paths of errors. */
export function renamedPath(
  rewrites: readonly FetchRewrite[] | undefined,
  path: readonly (string | number)[],
): readonly (string | number)[] {
  let current = path;
  for (const rewrite of rewrites ?? []) {
    if (!('KeyRenamer' in rewrite)) continue;
    const keys = rewrite.KeyRenamer.path.flatMap((segment) => ('Key' in segment ? [segment.Key] : []));
    let depth = 0;
    current = current.map((segment) => {
      if (typeof segment === 'number' || depth < 0) return segment;
      if (segment !== keys[depth]) {
        depth = -1;
        return segment;
      }
      depth += 1;
      return depth === keys.length ? rewrite.KeyRenamer.renameKeyTo : segment;
    });
  }
  return current;
}

/** The response keys of selections after the rewrites. */
export function askedKeys(
  selections: readonly SelectionNode[],
  rewrites: readonly FetchRewrite[] | undefined,
): ReadonlySet<string> {
  const keys = new Set(fieldsOf(selections, undefined).map(({ field }) => responseKey(field)));
  for (const rewrite of rewrites ?? []) if ('KeyRenamer' in rewrite) keys.add(rewrite.KeyRenamer.renameKeyTo);
  return keys;
}

function compileRewrite(rewrite: FetchRewrite, types: SupergraphTypes): Rewrite {
  if ('KeyRenamer' in rewrite) {
    const { path, renameKeyTo } = rewrite.KeyRenamer;
    return atKey(path, types, (object, key) => {
      const value = object[key];
      if (value === undefined) return;
      delete object[key];
      // It may be selected under its own key too, on a type that has the object as well.
      mergeInto(object, { [renameKeyTo]: value }, types.isAbstract);
    });
  }
  const { path, setValueTo } = 'ValueSetter' in rewrite ? rewrite.ValueSetter : rewrite;
  return atKey(path, types, (object, key) => {
    object[key] = setValueTo;
  });
}

function atKey(
  path: readonly FetchNodePathSegment[],
  types: SupergraphTypes,
  change: (object: JsonObject, key: string) => void,
): Rewrite {
  const walk = (value: Json | undefined, depth: number): void => {
    const segment = path[depth];
    if (!segment) return;
    if (isList(value)) {
      for (const item of value) walk(item, depth);
    } else if (isObject(value)) {
      if ('TypenameEquals' in segment) {
        const typename = value.__typename;
        const conditions = [segment.TypenameEquals].flat();
        if (typeof typename !== 'string' || conditions.some((condition) => types.isA(typename, condition))) {
          walk(value, depth + 1);
        }
      } else if (depth === path.length - 1) change(value, segment.Key);
      else walk(value[segment.Key], depth + 1);
    }
  };
  return (value) => walk(value, 0);
}
