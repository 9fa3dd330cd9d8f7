import { isList, isObject, type Json } from '../json.ts';
import type { SubgraphAnswer } from './services.ts';

/**
 * Removes the nulls of a response that stand for errors. A value that a service failed to return is missing, not null: a field that
 * requires it is not asked for, since its service would compute with a null that the object does not have.
 */
export function leaveOutFailedValues({ data, errors }: SubgraphAnswer): void {
  for (const { path } of data ? errors : []) {
    let value: Json | undefined = data;
    for (const segment of path ?? []) {
      // An error below a null is the reason of the null: it propagates to the nearest nullable parent.
      const parent: Json | undefined = value;
      if (!isObject(parent) && !isList(parent)) break;
      const members = parent as { [key: string | number]: Json | undefined };
      if (!Object.hasOwn(members, segment)) break;
      value = members[segment];
      if (value === null) members[segment] = undefined;
    }
  }
}
