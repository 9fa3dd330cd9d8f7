import type { SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json } from '../json.ts';
import { fieldsOf, type RenamedKey, responseKey } from '../plan/index.ts';
import { mergeInto } from './merge.ts';

/** Restores the keys that the values of a response have in the data, in place. */
export type RestoreKeys = (value: Json | undefined) => void;

/** Undefined if no key was renamed. */
export function compileRestoring(
  renamed: readonly RenamedKey[],
  { isAbstract }: SupergraphTypes,
): RestoreKeys | undefined {
  if (renamed.length === 0) return undefined;
  const restore = ({ path, key }: RenamedKey, value: Json | undefined, depth: number): void => {
    if (isList(value)) {
      for (const item of value) restore({ path, key }, item, depth);
      return;
    }
    const own = path[depth];
    if (!isObject(value) || own === undefined) return;
    if (depth < path.length - 1) {
      restore({ path, key }, value[own], depth + 1);
      return;
    }
    const found = value[own];
    if (found === undefined) return;
    delete value[own];
    // The object may also contain the field under its own key, selected on another type.
    mergeInto(value, { [key]: found }, isAbstract);
  };
  return (value) => {
    for (const one of renamed) restore(one, value, 0);
  };
}

/** Replaces renamed keys in a path of an error with the keys of the data. */
export function restoredPath(
  renamed: readonly RenamedKey[],
  path: readonly (string | number)[],
): readonly (string | number)[] {
  let current = path;
  for (const { path: keys, key } of renamed) {
    let depth = 0;
    current = current.map((segment) => {
      if (typeof segment === 'number' || depth < 0) return segment;
      if (segment !== keys[depth]) {
        depth = -1;
        return segment;
      }
      depth += 1;
      return depth === keys.length ? key : segment;
    });
  }
  return current;
}

/** The keys in the data of the fields that are selected on an object. */
export function selectedKeys(
  selections: readonly SelectionNode[],
  renamed: readonly RenamedKey[],
): ReadonlySet<string> {
  const keys = new Set(fieldsOf(selections, undefined).map(({ field }) => responseKey(field)));
  for (const { path, key } of renamed) if (path.length === 1) keys.add(key);
  return keys;
}
