import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { type FieldNode, Kind, type SelectionNode } from 'graphql';
import { fieldText, parseFieldSet, type SupergraphTypes } from '../../../supergraph/index.ts';
import { fieldsOf } from './fold-fetches.ts';
import type { EntityFetch } from './plan-fetches.ts';

/**
 * Fetches fields apart that require the same field with different arguments. A representation has one value of a field, and the
 * planner (0.0.38) sends that of one of them for all.
 */
export function separateRequirements(fetch: EntityFetch, types: SupergraphTypes): readonly EntityFetch[] {
  const parts: RequiringPart[] = [];
  for (const { field, type } of fieldsOf(fetch.selections, undefined)) {
    const wanted =
      type === undefined ? [] : requiredFields(types.requirementsOf(fetch.service, type, field.name.value));
    const fitting = parts.find((part) => wanted.every((one) => part.accepts(one, type, types)));
    const part = fitting ?? new RequiringPart();
    if (!fitting) parts.push(part);
    part.fields.add(field);
    for (const one of wanted) part.wanted.set(one, type);
  }
  if (parts.length < 2) return [fetch];
  const wantedAnywhere = new Set(parts.flatMap(({ wanted }) => [...wanted.keys()].map(({ name }) => name.value)));
  return parts.map(({ fields, wanted }) => {
    const requires = fetch.requires.map((one): RequiresSelection => {
      if (one.kind !== 'InlineFragment') return one;
      const keys = types.services.keysOf(one.typeCondition).flatMap(({ key }) => requiredFields(parseFieldSet(key)));
      const own = [...wanted].flatMap(([field, type]) => (canBeOne(type, one.typeCondition, types) ? [field] : []));
      return { ...one, selections: pruned(one.selections, [...keys, ...own], wantedAnywhere) };
    });
    return { ...fetch, requires, selections: only(fetch.selections, fields) };
  });
}

/** Fields that are fetched together, and what they require, each with the type that requires it. */
class RequiringPart {
  readonly fields = new Set<FieldNode>();
  readonly wanted = new Map<FieldNode, string | undefined>();

  accepts(field: FieldNode, type: string | undefined, types: SupergraphTypes): boolean {
    if (this.wanted.has(field)) return true;
    for (const [known, other] of this.wanted) if (differ(known, field) && canBeOne(type, other, types)) return false;
    return true;
  }
}

export function requiredFields(selections: readonly SelectionNode[]): readonly FieldNode[] {
  return fieldsOf(selections, undefined).map(({ field }) => field);
}

/** Whether two fields of a field set cannot be one member of a representation. */
function differ(one: FieldNode, other: FieldNode): boolean {
  if (one.name.value !== other.name.value) return false;
  if (fieldText(one) !== fieldText(other)) return true;
  const below = requiredFields(other.selectionSet?.selections ?? []);
  return requiredFields(one.selectionSet?.selections ?? []).some((field) => below.some((same) => differ(field, same)));
}

/** Whether an object may be of both types. */
export function canBeOne(one: string | undefined, other: string | undefined, types: SupergraphTypes): boolean {
  if (one === undefined || other === undefined || one === other) return true;
  return types.isAbstract(one) || types.isAbstract(other);
}

/**
 * What a fetch requires without what only fields of other parts do, which may not have been fetched.
 *
 * @param wantedAnywhere the names of what any part requires; what is none of these stays. Undefined: nothing else stays.
 */
export function pruned(
  required: readonly RequiresSelection[],
  needed: readonly FieldNode[],
  wantedAnywhere: ReadonlySet<string> | undefined,
): RequiresSelection[] {
  return required.flatMap((one): RequiresSelection[] => {
    if (one.kind === 'InlineFragment') return [{ ...one, selections: pruned(one.selections, needed, wantedAnywhere) }];
    if (one.kind !== 'Field' || one.name === '__typename') return [one];
    const name = one.alias ?? one.name;
    const same = needed.filter((field) => field.name.value === name);
    if (same.length === 0) return wantedAnywhere?.has(name) === false ? [one] : [];
    const below = same.flatMap(({ selectionSet }) => requiredFields(selectionSet?.selections ?? []));
    return [{ ...one, ...(one.selections && { selections: pruned(one.selections, below, undefined) }) }];
  });
}

function only(selections: readonly SelectionNode[], fields: ReadonlySet<FieldNode>): readonly SelectionNode[] {
  return selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return fields.has(selection) ? [selection] : [];
    if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection];
    const below = only(selection.selectionSet.selections, fields);
    return below.length === 0 ? [] : [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: below } }];
  });
}
