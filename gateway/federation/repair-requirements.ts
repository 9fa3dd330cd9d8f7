import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { type FieldNode, print, type SelectionNode } from 'graphql';
import { fieldsOf, keyOf } from './fold-units.ts';
import { type EntityPath, type EntityUnit, precedes, type Unit } from './plan-units.ts';
import type { SupergraphTypes } from './supergraph-types.ts';

/**
 * Has fields get what they require with the arguments that they require it with. Where the same field is fetched with
 * others too, the planner gives one of them a key of its own, and below an entity that was fetched it forgets to look
 * for the value there.
 */
export function repairRequirements(units: readonly Unit[], types: SupergraphTypes): readonly Unit[] {
  return units.flatMap((unit): readonly Unit[] => {
    if (unit.kind !== 'entities' || unit.requires.length === 0) return [unit];
    const before = units.filter((other) => precedes(other, unit));
    // The keys may differ from place to place.
    const groups = new Map<string, EntityUnit>();
    let isChanged = false;
    for (const path of unit.paths) {
      const produced = before.flatMap((other) => fieldsAt(other, path));
      const requires = repairedFor(unit, produced, types);
      isChanged ||= requires !== unit.requires;
      const key = JSON.stringify(requires);
      groups.set(key, { ...unit, requires, paths: [...(groups.get(key)?.paths ?? []), path] });
    }
    return isChanged ? [...groups.values()] : [unit];
  });
}

function repairedFor(
  unit: EntityUnit,
  produced: readonly FieldNode[],
  types: SupergraphTypes,
): readonly RequiresSelection[] {
  let isChanged = false;
  const requires = unit.requires.map((required) => {
    if (required.kind !== 'InlineFragment') return required;
    const wanted = wantedBy(unit, required.typeCondition, types);
    const selections = repaired(required.selections, wanted, produced);
    if (selections === required.selections) return required;
    isChanged = true;
    return { ...required, selections: [...selections] };
  });
  return isChanged ? requires : unit.requires;
}

/** What the fields that a unit asks for require of a type of object. */
function wantedBy({ selections, service }: EntityUnit, type: string, types: SupergraphTypes): readonly FieldNode[] {
  return fieldsOf(selections, type).flatMap(({ field, type: own = type }) =>
    fieldsOf(types.requirementsOf(service, own, field.name.value), undefined).map((one) => one.field),
  );
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
    // With several arguments wanted in one request there is no telling which is meant here.
    if (!first || new Set(meant.map(argumentsOf)).size > 1) return one;
    const same = produced.filter((field) => field.name.value === name && argumentsOf(field) === argumentsOf(first));
    const [found] = same;
    const key = found && !same.some((field) => keyOf(field) === one.name) ? keyOf(found) : one.name;
    const below = one.selections && repaired(one.selections, fieldsBelow(meant), fieldsBelow(same));
    if (key === one.name && below === one.selections) return one;
    isChanged = true;
    return { ...one, name: key, ...(key !== name && { alias: name }), ...(below && { selections: [...below] }) };
  });
  return isChanged ? changed : required;
}

function argumentsOf({ arguments: given = [] }: FieldNode): string {
  return given
    .map((argument) => print(argument))
    .sort()
    .join();
}

function fieldsBelow(fields: readonly FieldNode[]): readonly FieldNode[] {
  return fields
    .flatMap(({ selectionSet }) => fieldsOf(selectionSet?.selections ?? [], undefined))
    .map(({ field }) => field);
}

/** The fields that a unit fetches of the objects at a path, whatever their types. */
function fieldsAt(unit: Unit, path: EntityPath): readonly FieldNode[] {
  const bases = unit.kind === 'entities' ? unit.paths : [[]];
  return bases.flatMap((base) => {
    const [keys, above] = [fieldKeys(path), fieldKeys(base)];
    if (above.length > keys.length || above.some((key, at) => key !== keys[at])) return [];
    let selections: readonly SelectionNode[] = unit.selections;
    for (const key of keys.slice(above.length))
      selections = fieldsOf(selections, undefined).flatMap(({ field }) =>
        keyOf(field) === key ? (field.selectionSet?.selections ?? []) : [],
      );
    return fieldsOf(selections, undefined).map(({ field }) => field);
  });
}

function fieldKeys(path: EntityPath): readonly string[] {
  return path.flatMap((segment) => (segment !== '@' && 'Field' in segment ? [segment.Field] : []));
}
