import { isList, isObject, type Json } from '../json.ts';
import type { SubgraphAnswer } from './services.ts';

/**
 * Removes the nulls of a response that stand for errors. If a service fails to return a value, the value is missing,
 * not null. A field that requires it is not fetched, because its service would otherwise compute with a null that the
 * object does not have.
 */
export function leaveOutFailedValues({ data, errors }: SubgraphAnswer): void {
  for (const { path } of data ? errors : []) {
    let value: Json | undefined = data;
    for (const segment of path ?? []) {
      // An error below a null caused the null, which propagated to the nearest nullable parent.
      const parent: Json | undefined = value;
      if (!isObject(parent) && !isList(parent)) break;
      const members = parent as { [key: string | number]: Json | undefined };
      if (!Object.hasOwn(members, segment)) break;
      value = members[segment];
      if (value === null) members[segment] = undefined;
    }
  }
}
