import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { type FieldNode, Kind, type OperationDefinitionNode, print, type SelectionNode } from 'graphql';
import { parseFieldSet, type SupergraphTypes } from '../../../supergraph/index.ts';
import { byResponseKey, fieldsOf, responseKey, type TypedField } from './fold-fetches.ts';
import { type EntityFetch, type EntityPath, type Fetch, fieldKeysOf, precedes } from './plan-fetches.ts';
import { askedAt, fieldsOfType } from './restore-possible-types.ts';
import { canBeOne, pruned, requiredFields, separateRequirements } from './separate-requirements.ts';

/**
 * Makes fields receive what they require with the arguments of their `@requires`. Where the same field is also fetched with
 * other arguments, the planner gives one of the two another response key, and does not read it there below a fetched entity.
 */
export function repairRequirements(
  fetches: readonly Fetch[],
  operation: OperationDefinitionNode,
  types: SupergraphTypes,
): readonly Fetch[] {
  let known: ReadonlySet<string> | undefined;
  const needed = () => {
    known ??= requiredOf(fetches, types);
    return known;
  };
  return fetches
    .flatMap((fetch) => (fetch.kind === 'entities' ? withAllMembers(fetch, needed, operation, types) : [fetch]))
    .flatMap((fetch): readonly Fetch[] => (fetch.kind === 'entities' ? separateRequirements(fetch, types) : [fetch]))
    .flatMap((fetch, _, all) => withArguments(fetch, all, types));
}

function withArguments(fetch: Fetch, fetches: readonly Fetch[], types: SupergraphTypes): readonly Fetch[] {
  if (fetch.kind !== 'entities' || fetch.requires.length === 0 || !requiresAnything(fetch, types)) return [fetch];
  const before = fetches.filter((other) => precedes(other, fetch));
  // The keys may differ from path to path.
  const groups = new Map<string, EntityFetch>();
  let isChanged = false;
  for (const path of fetch.paths) {
    const produced = before.flatMap((other) => fieldsAt(other, path));
    const requires = repairedFor(fetch, produced, types);
    isChanged ||= requires !== fetch.requires;
    const key = JSON.stringify(requires);
    groups.set(key, { ...fetch, requires, paths: [...(groups.get(key)?.paths ?? []), path] });
  }
  return isChanged ? [...groups.values()] : [fetch];
}

/** Fields of a fetch from an interface object's subgraph that are selected for the same types, and require the same. */
interface MembersPart {
  readonly wanted: readonly FieldNode[];
  readonly members: readonly string[];
  readonly selections: SelectionNode[];
}

/**
 * Restores what the planner loses where it merges fetches from an interface object's subgraph for several types of the
 * interface: it keeps the requirements of some of them, so that objects of the others are not sent, and required fields neither,
 * or it requires of all what the fields of one of them do.
 * Each field is fetched of the types that the operation selects it for: of others it may fail, and take the object with it.
 */
function withAllMembers(
  fetch: EntityFetch,
  needed: () => ReadonlySet<string>,
  operation: OperationDefinitionNode,
  types: SupergraphTypes,
): readonly Fetch[] {
  const required = fetch.requires.filter((one) => one.kind === 'InlineFragment');
  const [selected, ...more] = fetch.selections;
  if (required.length < fetch.requires.length || required.length === 0 || fetch.inputRewrites.length === 0)
    return [fetch];
  if (selected?.kind !== Kind.INLINE_FRAGMENT || !selected.typeCondition || more.length > 0) return [fetch];
  const type = selected.typeCondition.name.value;
  if (!types.isAbstract(type) || !required.every(({ typeCondition }) => types.isA(typeCondition, type))) return [fetch];
  const membersOf = selectingMembers(fetch, type, operation, types);
  const parts = new Map<string, MembersPart>();
  for (const selection of selected.selectionSet.selections) {
    const wanted = wantedBy({ ...fetch, selections: [selection] }, type, types);
    const isNeeded = selection.kind !== Kind.FIELD || needed().has(responseKey(selection));
    const members = isNeeded ? [type] : membersOf(selection);
    const key = [...members, ...wanted.map((field) => print(field))].join(' ');
    const part = parts.get(key) ?? { wanted, members, selections: [] };
    part.selections.push(selection);
    parts.set(key, part);
  }
  const requiresOf = memberRequirements(required, type, [...parts.values()], types);
  return [...parts.values()].map((part) => ({
    ...fetch,
    requires: requiresOf(part),
    selections: [{ ...selected, selectionSet: { kind: Kind.SELECTION_SET, selections: part.selections } }],
  }));
}

type RequiredFragment = Extract<RequiresSelection, { kind: 'InlineFragment' }>;

/** What a part requires: keys, and what its own fields require. What those of other parts do may not have been fetched. */
function memberRequirements(
  required: readonly RequiredFragment[],
  type: string,
  parts: readonly MembersPart[],
  types: SupergraphTypes,
): (part: MembersPart) => RequiresSelection[] {
  const keys = types.services.keysOf(type).flatMap(({ key }) => requiredFields(parseFieldSet(key)));
  const wantedAnywhere = new Set(parts.flatMap(({ wanted }) => wanted.map(({ name }) => name.value)));
  return ({ wanted, members }) => {
    const selectionsFor = (member: string): RequiresSelection[] => {
      const applying = required.filter(({ typeCondition }) => types.isA(member, typeCondition));
      const given = (applying.length > 0 ? applying : required.slice(0, 1)).flatMap(({ selections }) => selections);
      const known = new Set(given.map((one) => (one.kind === 'Field' ? fieldName(one) : '')));
      const added = wanted.filter(({ name }) => !known.has(name.value)).map(toRequired);
      return [...pruned(given, [...keys, ...wanted], wantedAnywhere), ...added];
    };
    const each = members[0] === type ? types.objectsOf(type) : members;
    const fragments = each.map(
      (member): RequiredFragment => ({
        kind: 'InlineFragment',
        typeCondition: member,
        selections: selectionsFor(member),
      }),
    );
    const [first, ...others] = fragments;
    const isSame = others.every(({ selections }) => JSON.stringify(selections) === JSON.stringify(first?.selections));
    return first && isSame && members[0] === type ? [{ ...first, typeCondition: type }] : fragments;
  };
}

function fieldName({ name, alias }: Extract<RequiresSelection, { kind: 'Field' }>): string {
  return alias ?? name;
}

/** The types of an interface for which the operation selects a field that is fetched; the interface for all of them. */
function selectingMembers(
  { paths }: EntityFetch,
  type: string,
  operation: OperationDefinitionNode,
  types: SupergraphTypes,
): (field: FieldNode) => readonly string[] {
  const asked = paths.flatMap((path) => askedAt(operation.selectionSet.selections, fieldKeysOf(path)));
  const all = types.objectsOf(type);
  const keys = new Map(all.map((one) => [one, new Set(fieldsOfType(asked, one, types).map(responseKey))]));
  return (field) => {
    const members = all.filter((one) => keys.get(one)?.has(responseKey(field)));
    return members.length === 0 || members.length === all.length ? [type] : members;
  };
}

/** The response keys that fetches require of entities, for types that the operation may not select them for. */
function requiredOf(fetches: readonly Fetch[], types: SupergraphTypes): ReadonlySet<string> {
  const namesIn = (one: RequiresSelection): readonly string[] => {
    if (one.kind === 'Field') return [one.name];
    return one.kind === 'InlineFragment' ? one.selections.flatMap(namesIn) : [];
  };
  const names = fetches.flatMap((fetch) => {
    if (fetch.kind !== 'entities') return [];
    // The planner may have lost what the fields require.
    return [...fetch.requires.flatMap(namesIn), ...wantedBy(fetch, undefined, types).map(({ name }) => name.value)];
  });
  return new Set(names);
}

function toRequired({ name, selectionSet }: FieldNode): RequiresSelection {
  const below = fieldsOf(selectionSet?.selections ?? [], undefined).map(({ field }) => toRequired(field));
  return { kind: 'Field', name: name.value, ...(below.length > 0 && { selections: below }) };
}

function repairedFor(
  fetch: EntityFetch,
  produced: readonly TypedField[],
  types: SupergraphTypes,
): readonly RequiresSelection[] {
  let isChanged = false;
  const requires = fetch.requires.map((required) => {
    if (required.kind !== 'InlineFragment') return required;
    const { typeCondition } = required;
    const own = producedOf(produced, typeCondition, types);
    const selections = repaired(required.selections, wantedBy(fetch, typeCondition, types), own);
    if (selections === required.selections) return required;
    isChanged = true;
    return { ...required, selections: [...selections] };
  });
  return isChanged ? requires : fetch.requires;
}

/** Fields that objects of a type have: first those whose keys all of them have. */
function producedOf(produced: readonly TypedField[], of: string, types: SupergraphTypes): readonly FieldNode[] {
  const possible = produced.filter(({ type }) => canBeOne(type, of, types));
  const members = types.isAbstract(of) ? types.objectsOf(of) : [of];
  const isOfAll = (having: readonly TypedField[]) => {
    const own = new Set(having.map(({ type }) => type));
    return own.has(undefined) || members.every((member) => [...own].some((type) => type && types.isA(member, type)));
  };
  const keys = byResponseKey(possible, ({ field }) => field);
  const keysOfAll = new Set([...keys].flatMap(([key, having]) => (isOfAll(having) ? [key] : [])));
  const fields = possible.map(({ field }) => field);
  const isFirst = (field: FieldNode) => keysOfAll.has(responseKey(field));
  return [...fields.filter(isFirst), ...fields.filter((field) => !isFirst(field))];
}

function requiresAnything(fetch: EntityFetch, types: SupergraphTypes): boolean {
  return fetch.requires.some(
    (one) => one.kind === 'InlineFragment' && wantedBy(fetch, one.typeCondition, types).length > 0,
  );
}

/** The `@requires` selections of the fields of a fetch that objects of a type may have; undefined: of all types. */
function wantedBy(
  { selections, service }: EntityFetch,
  type: string | undefined,
  types: SupergraphTypes,
): readonly FieldNode[] {
  return fieldsOf(selections, type).flatMap(({ field, type: own }) => {
    if (own === undefined || !canBeOne(own, type, types)) return [];
    return fieldsOf(types.requirementsOf(service, own, field.name.value), undefined).map((one) => one.field);
  });
}

function repaired(
  required: readonly RequiresSelection[],
  wanted: readonly FieldNode[],
  produced: readonly FieldNode[],
): readonly RequiresSelection[] {
  let isChanged = false;
  const changed = required.map((one): RequiresSelection => {
    if (one.kind === 'FragmentSpread') return one;
    if (one.kind === 'InlineFragment') {
      const selections = repaired(one.selections, wanted, produced);
      if (selections === one.selections) return one;
      isChanged = true;
      return { ...one, selections: [...selections] };
    }
    const name = one.alias ?? one.name;
    const meant = wanted.filter((field) => field.name.value === name);
    const [first] = meant;
    // With several arguments in one request it is unknown which ones are meant here.
    if (!first || new Set(meant.map(argumentsOf)).size > 1) return one;
    const same = produced.filter((field) => field.name.value === name && argumentsOf(field) === argumentsOf(first));
    const keys = byResponseKey(same, (field) => field);
    const key = keyWithAll(keys, meant, one.name);
    const below = one.selections && repaired(one.selections, subfieldsOf(meant), subfieldsOf(keys.get(key) ?? []));
    if (key === one.name && below === one.selections) return one;
    isChanged = true;
    return { ...one, name: key, ...(key !== name && { alias: name }), ...(below && { selections: [...below] }) };
  });
  return isChanged ? changed : required;
}

/** The response key under which all of a required field was fetched; several may have parts of it. */
function keyWithAll(
  keys: ReadonlyMap<string, readonly FieldNode[]>,
  meant: readonly FieldNode[],
  usual: string,
): string {
  const wanted = subfieldsOf(meant);
  const whole = [...keys].filter(([, fields]) => haveAll(subfieldsOf(fields), wanted)).map(([key]) => key);
  const candidates = whole.length > 0 ? whole : [...keys.keys()];
  return candidates.includes(usual) ? usual : (candidates[0] ?? usual);
}

function haveAll(fields: readonly FieldNode[], wanted: readonly FieldNode[]): boolean {
  return wanted.every((one) => {
    const same = fields.filter(
      (field) => field.name.value === one.name.value && argumentsOf(field) === argumentsOf(one),
    );
    return same.length > 0 && haveAll(subfieldsOf(same), subfieldsOf([one]));
  });
}

function argumentsOf({ arguments: given = [] }: FieldNode): string {
  return given
    .map((argument) => print(argument))
    .sort()
    .join();
}

function subfieldsOf(fields: readonly FieldNode[]): readonly FieldNode[] {
  return fields
    .flatMap(({ selectionSet }) => fieldsOf(selectionSet?.selections ?? [], undefined))
    .map(({ field }) => field);
}

/** The fields that a fetch selects of the objects at a path, of whatever types. */
export function fieldsAt(fetch: Fetch, path: EntityPath): readonly TypedField[] {
  const bases = fetch.kind === 'entities' ? fetch.paths : [[]];
  return bases.flatMap((base) => {
    const [keys, above] = [fieldKeysOf(path), fieldKeysOf(base)];
    if (above.length > keys.length || above.some((key, at) => key !== keys[at])) return [];
    let selections: readonly SelectionNode[] = fetch.selections;
    for (const key of keys.slice(above.length))
      selections = fieldsOf(selections, undefined).flatMap(({ field }) =>
        responseKey(field) === key ? (field.selectionSet?.selections ?? []) : [],
      );
    return fieldsOf(selections, undefined);
  });
}
