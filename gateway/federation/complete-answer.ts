import type { ObjectShape, ValueShape } from './answer-shape.ts';
import type { JoinError } from './errors.ts';
import { isList, isObject, type Json, type JsonObject } from './json.ts';
import { fieldAt, leafText } from './write-answer.ts';

type Path = readonly (string | number)[];

/** Thrown where null stands in a place that may not be null: the nearest place above that may, is null instead. */
const NULL_HERE = Symbol('null here');
type Written = string | typeof NULL_HERE;

/**
 * JSON text of any answer: what the public schema does not allow is null, with an error that says so unless one of a
 * subgraph already explains it. The text is `null` when nothing is left.
 */
export function completeAnswer(
  shape: ObjectShape,
  data: JsonObject,
  told: readonly JoinError[],
): { text: string; errors: JoinError[] } {
  const errors: JoinError[] = [];
  const toldOf = new Set<string>();
  const toldBelow = new Set<string>();
  const remember = (path: Path) => {
    const keys = prefixesOf(path);
    toldOf.add(keys.at(-1) ?? '');
    for (const key of keys) toldBelow.add(key);
  };
  for (const { path } of told) if (path) remember(path);
  const explained = (path: Path) => {
    const keys = prefixesOf(path);
    return toldBelow.has(keys.at(-1) ?? '') || keys.some((key) => toldOf.has(key));
  };
  const report = (message: string, path: Path) => {
    if (explained(path)) return;
    errors.push({ message, path, extensions: { code: 'remote-schema-error' } });
    remember(path);
  };

  const object = (target: ObjectShape, value: JsonObject, path: Path): Written => {
    let text = '{';
    for (const field of target.fields) {
      const here = [...path, field.as];
      const label = `${target.typename}.${field.name}`;
      const written = field.constant ?? complete(field.value, value[field.from], here, label);
      if (written === NULL_HERE) return NULL_HERE;
      text += field.prefix + written;
    }
    return `${text}}`;
  };

  const complete = (target: ValueShape, value: Json | undefined, path: Path, label: string): Written => {
    const written = value === null || value === undefined ? 'null' : present(target, value, path, label);
    if (written !== NULL_HERE && written !== 'null') return written;
    if (!target.nonNull) return 'null';
    report(`Cannot return null for non-nullable field ${label}.`, path);
    return NULL_HERE;
  };

  const present = (target: ValueShape, value: Json, path: Path, label: string): Written => {
    if (target.kind === 'leaf') {
      const text = leafText(target, value);
      if (text !== undefined) return text;
    } else if (target.kind === 'list') {
      if (isList(value)) {
        const items = value.map((item, index) => complete(target.item, item, [...path, index], label));
        return items.includes(NULL_HERE) ? NULL_HERE : `[${items.join(',')}]`;
      }
    } else if (isObject(value)) {
      const shape = target.shapeFor(value.__typename);
      if (shape) return object(shape, value, path);
      if (target.isHidden(value.__typename)) return 'null';
    }
    report(`The value of ${label} is none that its type allows.`, path);
    return NULL_HERE;
  };

  const text = object(shape, data, []);
  return { text: text === NULL_HERE ? 'null' : text, errors };
}

/** A key for each place from the first segment of a path down to its end. */
function prefixesOf(path: Path): string[] {
  let key = '';
  return path.map((segment) => {
    key += `/${segment}`;
    return key;
  });
}

/** Where in the client's answer a place of our data is: as deep as the client's selection goes. */
export function clientPath(shape: ObjectShape, data: JsonObject, path: Path): Path {
  const found: (string | number)[] = [];
  let object: ObjectShape | undefined = shape;
  let value: ValueShape | undefined;
  let current: Json | undefined = data;
  for (const segment of path) {
    if (typeof segment === 'number') {
      if (value?.kind !== 'list') break;
      found.push(segment);
      value = value.item;
      current = isList(current) ? current[segment] : undefined;
      continue;
    }
    if (value?.kind === 'object') object = value.shapeFor(isObject(current) ? current.__typename : undefined);
    else if (value) break;
    const field: ReturnType<typeof fieldAt> = object && fieldAt(object, segment);
    if (!field) break;
    found.push(field.as);
    value = field.value;
    current = isObject(current) ? current[segment] : undefined;
  }
  return found;
}
