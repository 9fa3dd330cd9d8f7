import { isList, isObject, type Json, type JsonObject, stringText } from '../json.ts';
import type { FieldShape, ObjectShape, ValueShape } from './response-shape.ts';

/** Remembers the texts of objects that occur at several positions. */
export interface WrittenObjects {
  get(object: JsonObject): { shape: ObjectShape | undefined; text: string | undefined } | undefined;
}

/** The length at which a part of a text ends. Memory for long texts is requested from the system each time. */
const PART_LENGTH = 32 * 1024;

/**
 * The JSON text of a response whose values all fit the public schema, in parts. Undefined at the first value that does
 * not fit. Usual responses are thus written without computing paths; `completeValues` handles the others.
 */
export function writeResponse(
  shape: ObjectShape,
  data: JsonObject,
  repeated?: WrittenObjects,
): readonly string[] | undefined {
  const parts: string[] = [];
  const last = writeObject(shape, data, '', parts, repeated);
  if (last === undefined) return undefined;
  parts.push(last);
  return parts;
}

/**
 * Appends an object to a text.
 * @param parts receives the text when it is long. If undefined, the text is not divided
 * @returns the rest of the text
 */
function writeObject(
  shape: ObjectShape,
  object: JsonObject,
  before: string,
  parts: string[] | undefined,
  repeated: WrittenObjects | undefined,
): string | undefined {
  let text = `${before}{`;
  for (const { from, prefix, value: shapeOfField, constant, isRefused } of shape.fields) {
    const value = object[from];
    if (isRefused && value === undefined) return undefined;
    if (constant !== undefined) text += prefix + constant;
    else if (value === null || value === undefined) {
      if (shapeOfField.nonNull) return undefined;
      text += `${prefix}null`;
    } else if (shapeOfField.kind === 'leaf') {
      const written = leafText(shapeOfField, value);
      if (written === undefined) return undefined;
      text += prefix + written;
    } else {
      const written = writeValue(shapeOfField, value, text + prefix, parts, repeated);
      if (written === undefined) return undefined;
      text = written;
    }
  }
  return `${text}}`;
}

function writeValue(
  shape: ValueShape,
  value: Json | undefined,
  before: string,
  parts: string[] | undefined,
  repeated: WrittenObjects | undefined,
): string | undefined {
  if (value === null || value === undefined) return shape.nonNull ? undefined : `${before}null`;
  if (shape.kind === 'leaf') {
    const written = leafText(shape, value);
    return written === undefined ? undefined : before + written;
  }
  if (shape.kind === 'object') {
    if (!isObject(value)) return undefined;
    const found = shape.shapeFor(value.__typename);
    if (found) {
      const known = repeated?.get(value);
      if (!known) return writeObject(found, value, before, parts, repeated);
      const written = writeOnce(found, value, known, repeated);
      return written === undefined ? undefined : before + written;
    }
    return !shape.nonNull && shape.isHidden(value.__typename) ? `${before}null` : undefined;
  }
  if (!isList(value)) return undefined;
  let text = `${before}[`;
  for (let at = 0; at < value.length; at++) {
    if (parts !== undefined && text.length > PART_LENGTH) {
      parts.push(text);
      text = '';
    }
    const written = writeValue(shape.item, value[at], at === 0 ? text : `${text},`, parts, repeated);
    if (written === undefined) return undefined;
    text = written;
  }
  return `${text}]`;
}

/** Writes an object, or reuses its text if it was written before. */
function writeOnce(
  shape: ObjectShape,
  object: JsonObject,
  known: NonNullable<ReturnType<WrittenObjects['get']>>,
  repeated: WrittenObjects | undefined,
): string | undefined {
  if (known.shape === shape) return known.text;
  known.text = writeObject(shape, object, '', undefined, repeated);
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
