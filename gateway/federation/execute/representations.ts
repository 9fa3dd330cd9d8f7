import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject, jsonText } from '../json.ts';
import { compileRewrites, type Rewrite, typenameSetter } from './rewrites.ts';

/**
 * The JSON text of an entity's representation: its type, a key and the fields that the fetch requires. Undefined where the
 * entity is not one of the subgraph's, has no key, or lacks a field that an earlier fetch failed to return.
 */
export type Represent = (entity: JsonObject) => string | undefined;

/** Compiles the `requires` of a fetch. The work for a type is done when its first entity comes. */
export function compileRepresentations(
  requires: readonly RequiresSelection[],
  inputRewrites: readonly InputRewrite[] | undefined,
  types: SupergraphTypes,
): Represent {
  const setters = (inputRewrites ?? []).map(typenameSetter);
  // Anything but setting a type's name is done on the parsed representation: plans hardly ever have it.
  const rewrite = setters.includes(undefined) ? compileRewrites(inputRewrites, types) : undefined;
  const nameFor = (typename: string) =>
    rewrite
      ? typename
      : setters.reduce(
          (name, setter) => (setter?.condition.some((one) => types.isA(name, one)) ? setter.typename : name),
          typename,
        );
  const first = requires[0];
  const fallback = first?.kind === 'InlineFragment' ? first.typeCondition : undefined;
  const represents = new Map<string, Represent>();
  const forType = (typename: string) => {
    const fields = collectRequiredFields(requires, typename, types);
    const represent = compileObject(fields, types, stringOf(nameFor(typename)), 'entity');
    const made = fields.length === 0 ? () => undefined : rewrite ? rewritten(represent, rewrite) : represent;
    represents.set(typename, made);
    return made;
  };
  return (entity) => {
    const typename = typeof entity.__typename === 'string' ? entity.__typename : fallback;
    if (typename === undefined) return undefined;
    return (represents.get(typename) ?? forType(typename))(entity);
  };
}

interface RequiredField {
  readonly from: string;
  readonly as: string;
  readonly selections: readonly RequiresSelection[] | undefined;
}

const stringOf = (text: string) => JSON.stringify(text);

function rewritten(represent: Represent, rewrite: Rewrite): Represent {
  return (entity) => {
    const text = represent(entity);
    if (text === undefined) return undefined;
    const value: Json = JSON.parse(text);
    rewrite(value);
    return JSON.stringify(value);
  };
}

/** The fields that are required of an object of a type, each once. */
function collectRequiredFields(
  selections: readonly RequiresSelection[],
  typename: string | undefined,
  types: SupergraphTypes,
): RequiredField[] {
  const fields = new Map<string, RequiredField>();
  const visit = (selection: RequiresSelection): void => {
    if (selection.kind === 'InlineFragment') {
      const { typeCondition } = selection;
      // An interface object stands for every type of the interface, so that either may be the wider one.
      const applies =
        typename === undefined || types.isA(typename, typeCondition) || types.isA(typeCondition, typename);
      if (applies) selection.selections.forEach(visit);
    } else if (selection.kind === 'Field' && selection.name !== '__typename') {
      const as = selection.alias ?? selection.name;
      const known = fields.get(as);
      const merged = [...(known?.selections ?? []), ...(selection.selections ?? [])];
      fields.set(as, { from: selection.name, as, selections: merged.length > 0 ? merged : undefined });
    }
  };
  selections.forEach(visit);
  return [...fields.values()];
}

/** Text of an object that holds the fields; undefined when one is missing, or when all of an entity are null. */
function compileObject(
  fields: readonly RequiredField[],
  types: SupergraphTypes,
  typename: string | undefined,
  role: 'entity' | 'nested',
) {
  const start = typename === undefined ? '{' : `{"__typename":${typename}`;
  const members = fields.map(({ from, as, selections }, at) => ({
    from,
    as,
    prefix: `${at === 0 && typename === undefined ? '' : ','}${JSON.stringify(as)}:`,
    text: selections ? compileNested(selections, types) : jsonText,
  }));
  return (object: JsonObject): string | undefined => {
    let text = start;
    let empty = true;
    for (const member of members) {
      const own = object[member.from];
      // Null is what was fetched with the arguments of `@requires`; under its own name it may have others.
      const value = own === undefined ? object[member.as] : own;
      if (value === undefined) return undefined;
      const written = value === null ? 'null' : member.text(value);
      if (written === undefined) return undefined;
      if (value !== null) empty = false;
      text += member.prefix + written;
    }
    return empty && role === 'entity' ? undefined : `${text}}`;
  };
}

/** Text of a required object or list of objects, whose own fields follow its type. */
function compileNested(selections: readonly RequiresSelection[], types: SupergraphTypes) {
  const named = selections.some((selection) => selection.kind === 'Field' && selection.name === '__typename');
  const byType = new Map<string | undefined, (object: JsonObject) => string | undefined>();
  const forType = (typename: string | undefined) => {
    const fields = collectRequiredFields(selections, typename, types);
    const name = typename !== undefined && (named || fields.length < 1) ? stringOf(typename) : undefined;
    const made = compileObject(fields, types, name, 'nested');
    byType.set(typename, made);
    return made;
  };
  const write = (value: Json): string | undefined => {
    if (isList(value)) {
      const items: string[] = [];
      for (const item of value) {
        const text = item === null ? 'null' : write(item);
        if (text === undefined) return undefined;
        items.push(text);
      }
      return `[${items.join(',')}]`;
    }
    if (!isObject(value)) return jsonText(value);
    const typename = typeof value.__typename === 'string' ? value.__typename : undefined;
    return (byType.get(typename) ?? forType(typename))(value);
  };
  return write;
}
