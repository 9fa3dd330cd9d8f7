import {
  type FieldNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import { keyOf } from './fold-units.ts';
import { type EntityPath, rootName, type Unit } from './plan-units.ts';
import type { SupergraphTypes } from './supergraph-types.ts';

/**
 * Puts back what the planner leaves out where a field of an abstract type is shared by services that do not have the
 * same members of it: it only asks for the members that all of them have, even where it has decided which one to ask.
 * That one is asked for the members that it has and the others do not, too.
 * @param operation what was planned
 */
export function keepMembers(
  units: readonly Unit[],
  operation: OperationDefinitionNode,
  types: SupergraphTypes,
): readonly Unit[] {
  const asked = operation.selectionSet.selections;
  return units.map((unit): Unit => {
    if (unit.outputRewrites.length > 0) return unit;
    const [path = []] = pathsOf(unit);
    const keys = fieldKeys(path);
    const at = { service: unit.service, types, others: units.filter((other) => other !== unit) };
    const root = unit.kind === 'entities' ? undefined : rootName(operation.operation);
    const selections = restore(unit.selections, askedAt(asked, keys), root, keys, at);
    if (selections === unit.selections) return unit;
    return { ...unit, selections, variables: withVariables(unit, selections, operation) };
  });
}

interface Scope {
  readonly service: string;
  readonly types: SupergraphTypes;
  readonly others: readonly Unit[];
}

type Selections = readonly SelectionNode[];

/** @param type undefined where only fragments say it. */
function restore(
  fetched: Selections,
  asked: Selections,
  type: string | undefined,
  path: readonly string[],
  scope: Scope,
): Selections {
  let isChanged = false;
  const changed = fetched.map((selection): SelectionNode => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) return selection;
    const below = selection.selectionSet.selections;
    const restored =
      selection.kind === Kind.INLINE_FRAGMENT
        ? restore(below, asked, selection.typeCondition?.name.value ?? type, path, scope)
        : restoreField(selection, below, asked, type, path, scope);
    if (restored === below) return selection;
    isChanged = true;
    return { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: restored } };
  });
  return isChanged ? changed : fetched;
}

function restoreField(
  field: FieldNode,
  below: Selections,
  asked: Selections,
  parent: string | undefined,
  above: readonly string[],
  scope: Scope,
): Selections {
  const { types, service } = scope;
  const type = parent && ownType(types.subgraphType(service, parent, field.name.value));
  if (!parent || !type) return below;
  const key = keyOf(field);
  const same = fieldsFor(asked, parent, types).filter((one) => keyOf(one) === key);
  const wanted = same.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  if (wanted.length === 0) return below;
  const path = [...above, key];
  const restored = restore(below, wanted, type, path, scope);
  if (!types.services.isPartial(type) || isFetchedElsewhere(path, scope)) return restored;
  const added = [...types.services.membersIn(service, type)].flatMap((member): InlineFragmentNode[] => {
    const keys = new Set(fieldsFor(restored, member, types).map(keyOf));
    const missing = fieldsFor(wanted, member, types).filter((one) => !keys.has(keyOf(one)));
    const own = answered(missing, member, scope);
    return own.length === 0 ? [] : [fragmentOn(member, own)];
  });
  return added.length === 0 ? restored : [...withTypename(restored), ...added];
}

/** What a service answers of selections, without the help of another one. */
function answered(selections: Selections, type: string, scope: Scope): Selections {
  const { services, fieldType, isAbstract } = scope.types;
  return selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? type;
      if (!services.has(scope.service, condition)) return [];
      const below = answered(selection.selectionSet.selections, condition, scope);
      return below.length === 0 ? [] : [fragmentOn(condition, below)];
    }
    if (!services.answers(scope.service, type, selection.name.value)) return [];
    if (!selection.selectionSet) return [selection];
    const own = fieldType(type, selection.name.value);
    const below = own ? answered(selection.selectionSet.selections, own, scope) : [];
    if (!own || below.length === 0) return [];
    const selections = isAbstract(own) ? withTypename(below) : below;
    return [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
  });
}

/** Whether another service is asked for what is at a place too: then there is no telling whose members count. */
function isFetchedElsewhere(path: readonly string[], { others }: Scope): boolean {
  return others.some((unit) =>
    pathsOf(unit).some((one) => {
      const base = fieldKeys(one);
      return base.every((key, at) => key === path[at]) && askedAt(unit.selections, path.slice(base.length)).length > 0;
    }),
  );
}

function pathsOf(unit: Unit): readonly EntityPath[] {
  return unit.kind === 'entities' ? unit.paths : [[]];
}

/** The name in a type such as `[Thing!]!`. */
function ownType(type: string | undefined): string | undefined {
  return type?.replace(/[[\]!]/g, '');
}

/** The fields of selections that apply to objects of a type; where it is abstract, to some of them. */
function fieldsFor(selections: Selections, type: string, types: SupergraphTypes): FieldNode[] {
  return selections.flatMap((selection): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    const condition = selection.typeCondition?.name.value ?? type;
    const applies = types.isA(type, condition) || (types.isAbstract(type) && types.isA(condition, type));
    return applies ? fieldsFor(selection.selectionSet.selections, type, types) : [];
  });
}

/** Everything that is asked for at a place, whatever the types on the way. */
function askedAt(asked: Selections, path: readonly string[]): Selections {
  const [key, ...rest] = path;
  if (key === undefined) return asked;
  const below = (selections: Selections): Selections =>
    selections.flatMap((selection): Selections => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return below(selection.selectionSet.selections);
      return selection.kind === Kind.FIELD && keyOf(selection) === key
        ? (selection.selectionSet?.selections ?? [])
        : [];
    });
  return askedAt(below(asked), rest);
}

function fieldKeys(path: EntityPath): readonly string[] {
  return path.flatMap((segment) => (segment !== '@' && 'Field' in segment ? [segment.Field] : []));
}

function fragmentOn(type: string, selections: Selections): InlineFragmentNode {
  return {
    kind: Kind.INLINE_FRAGMENT,
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type } },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
}

function withTypename(selections: Selections): Selections {
  const isThere = selections.some((one) => one.kind === Kind.FIELD && !one.alias && one.name.value === '__typename');
  return isThere ? selections : [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }, ...selections];
}

/** The variables of a unit with those that its selections use now. */
function withVariables(unit: Unit, selections: Selections, { variableDefinitions }: OperationDefinitionNode) {
  const used = new Set<string>();
  visit({ kind: Kind.SELECTION_SET, selections }, { Variable: ({ name }) => void used.add(name.value) });
  const own = new Set(unit.variables.map(({ variable }) => variable.name.value));
  const more = (variableDefinitions ?? []).filter(
    ({ variable: { name } }) => used.has(name.value) && !own.has(name.value),
  );
  return [...unit.variables, ...more];
}
