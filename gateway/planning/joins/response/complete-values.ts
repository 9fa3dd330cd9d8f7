import { MAX_RELAYED_ERRORS } from '../../../errors.ts';
import { type JoinError, UNAUTHORIZED_FIELD } from '../errors.ts';
import type { ResponsePath } from '../json.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { ObjectShape, ValueShape } from './response-shape.ts';
import { fieldAt, leafText } from './write-response.ts';

/** Returned for a non-null value that is null. The null propagates to the nearest nullable parent (GraphQL 6.4.4). */
const NULL_HERE = Symbol('null here');
type CompletedValue = string | typeof NULL_HERE;

/**
 * Completes the values of a response against the public schema (GraphQL 6.4.3) and writes them as JSON text. A value
 * that the schema does not allow becomes null, with an error unless an error of a subgraph already explains it. The
 * text is `null` if the null propagates to the root.
 *
 * @param reported the errors of subgraphs, with paths in the client's response
 * @param reached the response positions that are null because of these errors: the `reach` of each error
 */
export function completeValues(
  shape: ObjectShape,
  data: JsonObject,
  reported: readonly JoinError[],
  reached: readonly ResponsePath[],
): { text: string; errors: JoinError[] } {
  const errors: JoinError[] = [];
  /** The errors of values that are missing. */
  const missing = new Set<JoinError>();
  const reportedAt = new Set<string>();
  const reportedBelow = new Set<string>();
  const remember = (path: ResponsePath) => {
    const keys = prefixesOf(path);
    reportedAt.add(keys.at(-1) ?? '');
    for (const key of keys) reportedBelow.add(key);
  };
  for (const { path } of reported) if (path) remember(path);
  const nulls = new Set(reached.map((path) => prefixesOf(path).at(-1) ?? ''));
  const explained = (path: ResponsePath) => {
    const keys = prefixesOf(path);
    return reportedBelow.has(keys.at(-1) ?? '') || keys.some((key) => reportedAt.has(key));
  };
  /** @param reach the length of the path to the nearest nullable parent, which becomes null */
  const report = (
    message: string,
    path: ResponsePath,
    reach: number,
    code: string = 'remote-schema-error',
  ): JoinError | undefined => {
    if (
      errors.length > MAX_RELAYED_ERRORS ||
      explained(path) ||
      nulls.has(prefixesOf(path.slice(0, reach)).at(-1) ?? '')
    )
      return undefined;
    const error = { message, path, extensions: { code } };
    errors.push(error);
    remember(path);
    return error;
  };

  const object = (target: ObjectShape, value: JsonObject, path: ResponsePath, reach: number): CompletedValue => {
    let text = '{';
    for (const field of target.fields) {
      const here = [...path, field.as];
      const label = `${target.typename}.${field.name}`;
      if (field.isRefused && value[field.from] === undefined) {
        const { nonNull } = field.value;
        report(UNAUTHORIZED_FIELD.message, here, nonNull ? reach : here.length, UNAUTHORIZED_FIELD.code);
        if (nonNull) return NULL_HERE;
      }
      const written = field.constant ?? complete(field.value, value[field.from], here, label, reach);
      if (written === NULL_HERE) return NULL_HERE;
      text += field.prefix + written;
    }
    return `${text}}`;
  };

  const complete = (
    target: ValueShape,
    value: Json | undefined,
    path: ResponsePath,
    label: string,
    above: number,
  ): CompletedValue => {
    const reach = target.nonNull ? above : path.length;
    const written = value === null || value === undefined ? 'null' : present(target, value, path, label, reach);
    if (written !== NULL_HERE && written !== 'null') return written;
    if (!target.nonNull) return 'null';
    const error = report(`Cannot return null for non-nullable field ${label}.`, path, reach);
    if (error) missing.add(error);
    return NULL_HERE;
  };

  const present = (
    target: ValueShape,
    value: Json,
    path: ResponsePath,
    label: string,
    reach: number,
  ): CompletedValue => {
    if (target.kind === 'leaf') {
      const text = leafText(target, value);
      if (text !== undefined) return text;
    } else if (target.kind === 'list') {
      if (isList(value)) {
        const items = value.map((item, index) => complete(target.item, item, [...path, index], label, reach));
        return items.includes(NULL_HERE) ? NULL_HERE : `[${items.join(',')}]`;
      }
    } else if (isObject(value)) {
      const shape = target.shapeFor(value.__typename);
      if (shape) return object(shape, value, path, reach);
      if (target.isHidden(value.__typename)) return 'null';
    }
    report(`The value of ${label} is not allowed by its type.`, path, reach);
    return NULL_HERE;
  };

  const text = object(shape, data, [], 0);
  if (text !== NULL_HERE) return { text, errors };
  // If an error of a subgraph makes the whole response null, the subgraph has returned nothing for its other fields either.
  return { text: 'null', errors: nulls.has('') ? errors.filter((error) => !missing.has(error)) : errors };
}

/** A key for each prefix of a path, shortest first. */
function prefixesOf(path: ResponsePath): string[] {
  let key = '';
  return path.map((segment) => {
    key += `/${segment}`;
    return key;
  });
}

/** The position of an error in the client's response. */
export interface ErrorPlace {
  /** The path as far as the client's selection goes. */
  readonly path: ResponsePath;
  /** The position that is null because of the error: the path itself or its nearest nullable parent. */
  readonly reach: ResponsePath;
  /** The index in the path of a field that the client does not select. Undefined if it selects all of them. */
  readonly unselected: number | undefined;
}

/**
 * Maps a path in the merged data to a position in the client's response, whose keys may be other aliases. If an object
 * on the path is missing because of the error, its type is unknown, and all its possible types are searched.
 */
export function errorPlace(shape: ObjectShape, data: JsonObject, path: ResponsePath): ErrorPlace {
  const found: (string | number)[] = [];
  let reach = 0;
  let objects: readonly ObjectShape[] = [shape];
  let values: readonly ValueShape[] = [];
  let current: Json | undefined = data;
  let unselected: number | undefined;
  for (const [at, segment] of path.entries()) {
    if (typeof segment === 'number') {
      values = values.flatMap((value) => (value.kind === 'list' ? [value.item] : []));
      if (values.length === 0) break;
      found.push(segment);
      current = isList(current) ? current[segment] : undefined;
    } else {
      if (found.length > 0) objects = values.flatMap((value) => shapesOf(value, current));
      const fields = objects.flatMap((object) => fieldAt(object, segment) ?? []);
      const [field] = fields;
      if (!field) {
        unselected = at;
        break;
      }
      found.push(field.as);
      values = fields.map(({ value }) => value);
      current = isObject(current) ? current[segment] : undefined;
    }
    if (!values.some(({ nonNull }) => nonNull)) reach = found.length;
  }
  return { path: found, reach: found.slice(0, reach), unselected };
}

function shapesOf(value: ValueShape, of: Json | undefined): readonly ObjectShape[] {
  if (value.kind !== 'object') return [];
  if (!isObject(of) || of.__typename === undefined) return value.possible();
  const known = value.shapeFor(of.__typename);
  if (known) return [known];
  // The type of an interface object that could not be fetched is unknown too.
  return value.isHidden(of.__typename) ? [] : value.possible();
}
