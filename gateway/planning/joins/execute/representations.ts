import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject, jsonText } from '../json.ts';
import type { Representation, Selections, WantedField } from '../plan/index.ts';

/**
 * The JSON text of an entity's representation: its type, a key and the fields that the fetch requires. Undefined where the
 * entity is not one of the subgraph's, has no key, or lacks a field that an earlier fetch failed to return.
 */
export type Represent = (entity: JsonObject) => string | undefined;

/** Compiles the representations of a fetch, by the types of its objects. */
export function compileRepresentations(representations: readonly Representation[], types: SupergraphTypes): Represent {
  const byType = new Map<string, Represent>();
  for (const { type, typename, key, selections } of representations)
    byType.set(type, compileObject(selections, type, typename, types, keysOf(key, type)));
  // Objects of an interface object do not say which type they have, nor do those of a field that has one type only.
  const forAny = representations.find(({ isForAnyType }) => isForAnyType);
  const fallback = forAny && byType.get(forAny.type);
  return (entity) => {
    const { __typename } = entity;
    if (typeof __typename === 'string' && !types.isAbstract(__typename)) return byType.get(__typename)?.(entity);
    return fallback?.(entity);
  };
}

/** Tells whether all fields of a key are there, and none is null. */
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

/** The keys in the data of the fields of an entity's key; empty where it is the name of the type alone. */
function keysOf(key: Selections | undefined, type: string): ReadonlySet<string> {
  const fields = key?.fieldsOf(type) ?? [];
  return new Set(fields.filter(({ name }) => name !== '__typename').map((field) => field.key));
}

/** Text of an object that holds the fields; undefined when one is missing, or when all of an entity's key are null. */
function compileObject(
  selections: Selections,
  type: string,
  typename: string | undefined,
  types: SupergraphTypes,
  keys: ReadonlySet<string> = NO_KEYS,
): Represent {
  const fields = selections.fieldsOf(type).filter(({ name }) => name !== '__typename');
  const start = typename === undefined ? '{' : `{"__typename":${JSON.stringify(typename)}`;
  const members = fields.map((field, at) => ({
    from: field.key,
    prefix: `${at === 0 && typename === undefined ? '' : ','}${JSON.stringify(field.name)}:`,
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

/** Text of a required value: an object has the fields that are required of it, after its type where that is not clear, or required. */
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
    // A name that the graph does not have comes from a service: it would fill the memory.
    return typeof __typename === 'string' && types.isA(__typename, type) ? forType(__typename)(value) : undefined;
  };
  return write;
}
