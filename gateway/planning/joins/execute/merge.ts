import { MAX_RELAYED_ERRORS } from '../../../errors.ts';
import { isList, isObject, type Json, type JsonObject, type ResponsePath } from '../json.ts';
import type { SubgraphAnswer } from './services.ts';

/**
 * Merges a subgraph's response for an object into the object. Objects are merged field by field, lists item by item. A
 * value is never replaced with null. A response for an object of another type is ignored.
 * @param isAbstract whether a name is that of an interface. Interface objects report it; it never replaces an object
 *   type's name
 * @param asked the response keys that were selected from the subgraph. Others are ignored
 */
export function mergeInto(
  target: JsonObject,
  source: JsonObject,
  isAbstract: (typename: string) => boolean,
  asked?: ReadonlySet<string>,
): void {
  if (areOfTwoTypes(target.__typename, source.__typename, isAbstract)) return;
  for (const key in source) {
    const incoming = source[key];
    if (incoming === undefined || key === '__proto__' || asked?.has(key) === false) continue;
    const known = target[key];
    if (known === undefined || known === null || typeof known === 'function') target[key] = incoming;
    else if (incoming === null || incoming === known) continue;
    else if (typeof incoming !== 'object') {
      if (key !== '__typename' || !isAbstract(String(incoming))) target[key] = incoming;
    } else mergeValues(known, incoming, isAbstract);
  }
}

function areOfTwoTypes(one: Json | undefined, other: Json | undefined, isAbstract: (typename: string) => boolean) {
  if (one === other || typeof one !== 'string' || typeof other !== 'string') return false;
  return !isAbstract(one) && !isAbstract(other);
}

function mergeValues(known: Json, incoming: Json, isAbstract: (typename: string) => boolean): void {
  if (known === incoming) return;
  if (isObject(known) && isObject(incoming)) mergeInto(known, incoming, isAbstract);
  else if (isList(known) && isList(incoming)) {
    const length = Math.min(known.length, incoming.length);
    for (let at = 0; at < length; at++) {
      const [item, other] = [known[at], incoming[at]];
      if (other === undefined) continue;
      if (item === null || item === undefined) (known as Json[])[at] = other;
      else mergeValues(item, other, isAbstract);
    }
  }
}

/** Creates a copy that shares no objects with the original. Values of JSON scalars may have members of any name. */
export function copy<T extends Json>(value: T): T {
  if (isList(value)) return value.map((item) => copy(item)) as unknown as T;
  if (!isObject(value)) return value;
  const made: JsonObject = {};
  for (const key in value) {
    const member = value[key];
    const copied = member === undefined ? undefined : copy(member);
    // An assignment would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(made, key, { value: copied, enumerable: true, configurable: true, writable: true });
    else made[key] = copied;
  }
  return made as T;
}

/**
 * Removes the nulls of a response that stand for errors. If a service fails to return a value, the value is missing,
 * not null. A field that requires it is not fetched, because its service would otherwise compute with a null that the
 * object does not have.
 */
export function leaveOutFailedValues({ data, errors }: SubgraphAnswer): void {
  if (!data || errors.length === 0) return;
  // Only the first errors are read. Any of the nulls may stand for one of the others.
  if (errors.length > MAX_RELAYED_ERRORS) leaveOutNulls(data);
  else for (const { path } of errors) if (path) leaveOutNull(data, path);
}

/** An error below a null caused the null, which propagated to the nearest nullable parent. */
function leaveOutNull(data: JsonObject, path: ResponsePath): void {
  let value: Json | undefined = data;
  for (const segment of path) {
    if (!isObject(value) && !isList(value)) return;
    const members = value as { [key: string | number]: Json | undefined };
    if (!Object.hasOwn(members, segment)) return;
    value = members[segment];
    if (value === null) members[segment] = undefined;
  }
}

function leaveOutNulls(value: JsonObject | readonly Json[]): void {
  const members = value as { [key: string]: Json | undefined };
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member === null) members[key] = undefined;
    else if (isObject(member) || isList(member)) leaveOutNulls(member);
  }
}
