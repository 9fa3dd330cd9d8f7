import { GraphQLError, type GraphQLOutputType, isListType, isNonNullType } from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';
import type { OperationAnswer } from '../compiled-operation.ts';
import type { SelectedMember } from './action-answer.ts';

/** Whether `selectValues` supports the members: scalars are serialized by graphql-js. */
export function canWriteValues(members: readonly SelectedMember[]): boolean {
  return members.every(({ members: inner }) => inner?.every(hasSafeKeys) === true);
}

/** A key such as `__proto__` would be the prototype of an object. */
function hasSafeKeys({ key, members }: SelectedMember): boolean {
  return key !== '__proto__' && (members ?? []).every(hasSafeKeys);
}

/**
 * Selects the values of all root fields. An item that is an error is null in the data. Returns undefined if a value does
 * not fit its type.
 */
export function selectValues(
  members: readonly SelectedMember[],
  values: ReadonlyMap<string, readonly unknown[]>,
): OperationAnswer | undefined {
  const errors: GraphQLError[] = [];
  const data: Record<string, unknown> = {};
  for (const { key, type, members: inner } of members) {
    const items = (values.get(key) ?? []).map((value, index) => {
      if (!(value instanceof Error)) return value;
      const extensions = value instanceof GraphQLError ? value.extensions : {};
      errors.push(new GraphQLError(value.message, { path: [key, index], extensions, originalError: value }));
      return null;
    });
    const selected = selectedValue(items, type, inner);
    if (selected === undefined) return undefined;
    data[key] = selected;
  }
  return errors.length > 0 ? { data, errors } : { data };
}

function selectedValue(
  value: unknown,
  type: GraphQLOutputType | undefined,
  members: readonly SelectedMember[] | undefined,
): unknown {
  if (isNonNullType(type))
    return value === null || value === undefined ? undefined : selectedValue(value, type.ofType, members);
  if (value === null || value === undefined) return null;
  if (!members) return value;
  if (isListType(type)) {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => selectedValue(item, type.ofType as GraphQLOutputType, members));
    return items.includes(undefined) ? undefined : items;
  }
  if (!isJsonObject(value)) return undefined;
  const selected: Record<string, unknown> = {};
  for (const { key, name, constant, type: own, members: inner } of members) {
    const found =
      constant === undefined
        ? selectedValue(Object.hasOwn(value, name) ? value[name] : null, own, inner)
        : JSON.parse(constant);
    if (found === undefined) return undefined;
    selected[key] = found;
  }
  return selected;
}
