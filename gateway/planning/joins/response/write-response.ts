import { isList, isObject, type Json, type JsonObject, stringText } from '../json.ts';
import type { FieldShape, ObjectShape, ValueShape } from './response-shape.ts';

/** Remembers the texts of objects that occur at several positions. */
export interface WrittenObjects {
  get(object: JsonObject): { shape: ObjectShape | undefined; text: string | undefined } | undefined;
}

/**
 * The JSON text of a response whose values all fit the public schema. Undefined at the first value that does not fit.
 * Usual responses are thus written without computing paths; `completeValues` handles the others.
 */
export function writeResponse(shape: ObjectShape, data: JsonObject, repeated?: WrittenObjects): string | undefined {
  let text = '{';
  for (const field of shape.fields) {
    if (field.isRefused && data[field.from] === undefined) return undefined;
    const written = field.constant ?? writeShapedValue(field.value, data[field.from], repeated);
    if (written === undefined) return undefined;
    text += field.prefix + written;
  }
  return `${text}}`;
}

function writeShapedValue(shape: ValueShape, value: Json | undefined, repeated?: WrittenObjects): string | undefined {
  if (value === null || value === undefined) return shape.nonNull ? undefined : 'null';
  if (shape.kind === 'leaf') return leafText(shape, value);
  if (shape.kind === 'object') {
    if (!isObject(value)) return undefined;
    const found = shape.shapeFor(value.__typename);
    if (found) return repeated ? writeOnce(found, value, repeated) : writeResponse(found, value);
    return !shape.nonNull && shape.isHidden(value.__typename) ? 'null' : undefined;
  }
  if (!isList(value)) return undefined;
  let text = '[';
  for (let at = 0; at < value.length; at++) {
    const written = writeShapedValue(shape.item, value[at], repeated);
    if (written === undefined) return undefined;
    text += at === 0 ? written : `,${written}`;
  }
  return `${text}]`;
}

/** Writes an object, or reuses its text if it was written before. */
function writeOnce(shape: ObjectShape, object: JsonObject, repeated: WrittenObjects): string | undefined {
  const known = repeated.get(object);
  if (!known) return writeResponse(shape, object, repeated);
  if (known.shape === shape) return known.text;
  known.text = writeResponse(shape, object, repeated);
  known.shape = shape;
  return known.text;
}

/** The JSON text of a scalar or enum value. Undefined if the type does not allow the value. */
export function leafText(shape: ValueShape & { kind: 'leaf' }, value: Json): string | undefined {
  if (typeof value === 'string') {
    if (!shape.values || shape.values.has(value)) return stringText(value);
    return !shape.nonNull && shape.isHidden?.(value) ? 'null' : undefined;
  }
  if (typeof value === 'object') return shape.plain ? undefined : JSON.stringify(value);
  // If a field named `constructor` is missing in the data, it is found on the object's prototype.
  if (typeof value === 'function') return shape.nonNull ? undefined : 'null';
  // `JSON.parse` reads a number that is too large as infinite, which JSON cannot represent.
  if (shape.values || value === Infinity || value === -Infinity) return undefined;
  return String(value);
}

/** The field whose response key in the merged data is `key`. */
export function fieldAt(shape: ObjectShape, key: string): FieldShape | undefined {
  return shape.fields.find((field) => field.from === key);
}
