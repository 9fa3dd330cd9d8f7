import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject, jsonText, narrowText } from '../json.ts';
import type { Representation, Selections, WantedField } from '../plan/index.ts';

/**
 * Returns the JSON text of an entity's representation: its type, a key and the fields that the fetch requires.
 * Undefined if the entity does not belong to the subgraph, has no key, or lacks a field that an earlier fetch failed to
 * return.
 */
export type Represent = (entity: JsonObject) => string | undefined;

/** Compiles the representations of a fetch, by the type of its objects. */
export function compileRepresentations(representations: readonly Representation[], types: SupergraphTypes): Represent {
  const byType = new Map<string, Represent>();
  for (const { type, typename, key, selections } of representations)
    byType.set(type, compileObject(selections, type, typename, types, keysOf(key, type)));
  // Objects of an interface object have no known type. Objects of a field with a single type have no `__typename`.
  const forAny = representations.find(({ isForAnyType }) => isForAnyType);
  const fallback = forAny && byType.get(forAny.type);
  return (entity) => {
    const { __typename } = entity;
    if (typeof __typename === 'string' && !types.isAbstract(__typename)) return byType.get(__typename)?.(entity);
    return fallback?.(entity);
  };
}

/** Compiles a check whether all fields of a key are present and non-null. */
export function compileKeyCheck(
  key: Selections,
  type: string,
  types: SupergraphTypes,
): (object: JsonObject) => boolean {
  const fields = key.fieldsOf(type).filter(({ name }) => name !== '__typename');
  const checks = fields.map(({ key: from, name, below }) => {
    const own = types.type(type)?.fieldTypeName(name) ?? '';
    const checkOf = (typename: string) => below && compileKeyCheck(below, typename, types);
    const checkOnly = types.isAbstract(own) ? undefined : checkOf(own);
    const isThere = (value: Json | undefined): boolean => {
      if (isList(value)) return value.every(isThere);
      if (!isObject(value)) return value !== null && value !== undefined && typeof value !== 'function';
      const { __typename } = value;
      if (checkOnly) return checkOnly(value);
      if (!below) return true;
      return typeof __typename === 'string' && types.isA(__typename, own) && checkOf(__typename)?.(value) === true;
    };
    return { from, isThere };
  });
  return (object) => checks.every(({ from, isThere }) => isThere(object[from]));
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** The keys in the data of the fields of an entity's key. Empty if the key is only the type name. */
function keysOf(key: Selections | undefined, type: string): ReadonlySet<string> {
  const fields = key?.fieldsOf(type) ?? [];
  return new Set(fields.filter(({ name }) => name !== '__typename').map((field) => field.key));
}

/** Writes an object with the fields. Returns undefined if one is missing or an entity's key consists of nulls only. */
function compileObject(
  selections: Selections,
  type: string,
  typename: string | undefined,
  types: SupergraphTypes,
  keys: ReadonlySet<string> = NO_KEYS,
): Represent {
  const fields = selections.fieldsOf(type).filter(({ name }) => name !== '__typename');
  const start = typename === undefined ? '{' : narrowText(`{"__typename":${JSON.stringify(typename)}`);
  const members = fields.map((field, at) => ({
    from: field.key,
    prefix: narrowText(`${at === 0 && typename === undefined ? '' : ','}${JSON.stringify(field.name)}:`),
    text: compileValue(field, type, types),
    isKey: keys.has(field.key),
  }));
  return (object) => {
    let text = start;
    let isUnknown = keys.size > 0;
    for (const { from, prefix, text: textOf, isKey } of members) {
      const value = object[from];
      if (value === undefined || typeof value === 'function') return undefined;
      const written = value === null ? 'null' : textOf(value);
      if (written === undefined) return undefined;
      if (isKey && value !== null) isUnknown = false;
      text += prefix + written;
    }
    return isUnknown ? undefined : `${text}}`;
  };
}

/**
 * Writes a required value. An object has the fields that are required of it. The type name precedes them if the type is
 * ambiguous or the name is required.
 */
function compileValue({ name, below }: WantedField, parent: string, types: SupergraphTypes) {
  if (!below) return jsonText;
  const type = types.type(parent)?.fieldTypeName(name) ?? '';
  const isAbstract = types.isAbstract(type);
  const byType = new Map<string, Represent>();
  const forType = (typename: string) => {
    const known = byType.get(typename);
    if (known) return known;
    const isNamed = isAbstract || below.fieldsOf(typename).some((field) => field.name === '__typename');
    const made = compileObject(below, typename, isNamed ? typename : undefined, types);
    byType.set(typename, made);
    return made;
  };
  const write = (value: Json): string | undefined => {
    if (isList(value)) {
      const items: string[] = [];
      for (const item of value as readonly (Json | undefined)[]) {
        // A service failed to return the item.
        if (item === undefined) return undefined;
        const text = item === null ? 'null' : write(item);
        if (text === undefined) return undefined;
        items.push(text);
      }
      return `[${items.join(',')}]`;
    }
    if (!isObject(value)) return jsonText(value);
    const { __typename } = value;
    if (!isAbstract) return forType(type)(value);
    // Only known names are cached. Unknown names come from services and could fill the memory.
    return typeof __typename === 'string' && types.isA(__typename, type) ? forType(__typename)(value) : undefined;
  };
  return write;
}
