import { type ExecutionResult, GraphQLError, type GraphQLOutputType, isListType, isNonNullType } from 'graphql';
import { MAX_RELAYED_ERRORS, OMITTED_ERRORS } from '../../errors.ts';
import { sourceError, unfitLeaf } from '../errors.ts';
import type { FieldShape, FieldShapes, ObjectShape, ResponseShape } from './response-shape.ts';

type PathSegment = string | number;

/** The role does not see the object, so null replaces it. */
const HIDDEN = Symbol('hidden');
/** An error was reported for the value, so null replaces it. */
const FAILED = Symbol('failed');
/** A non-null value was lost, so the surrounding object or list becomes null. */
const LOST = Symbol('lost');
const NO_ERRORS: readonly GraphQLError[] = [];

/**
 * Reduces a source's result to what the role sees, in the graph's names. Hidden objects become null. Hidden enum values
 * become null with an error. If a non-null value becomes null, the surrounding object or list does too.
 *
 * @param result changed in place, so it must not be shared.
 * @returns the same object if nothing had to be changed.
 */
export function visibleResponse(
  result: ExecutionResult,
  shape: ResponseShape,
  graphNames: ReadonlyMap<string, string>,
  service: string,
): ExecutionResult {
  if (!result.data) return result;
  const reader = new VisibleReader(shape.typeKey, graphNames, result.errors !== undefined);
  const isLost = reader.readObject(result.data as Record<string, unknown>, shape.root) === LOST;
  if (!reader.isChanged) return result;
  const own = reader.errors;
  const relayed = (result.errors ?? NO_ERRORS).filter(({ path }) => !path || !reader.isHidden(path));
  const errors = [...relayed, ...own].slice(0, MAX_RELAYED_ERRORS);
  if (relayed.length + own.length > MAX_RELAYED_ERRORS)
    errors.push(sourceError(service, 'remote-schema-error', OMITTED_ERRORS));
  const { errors: _, ...rest } = result;
  return { ...rest, data: isLost ? null : result.data, ...(errors.length > 0 && { errors }) };
}

class VisibleReader {
  readonly errors: GraphQLError[] = [];
  isChanged = false;
  #isSilent = false;
  readonly #typeKey: string;
  readonly #graphNames: ReadonlyMap<string, string>;
  readonly #path: PathSegment[] = [];
  /** Paths of hidden objects, as JSON. Undefined if they are not needed. */
  readonly #hidden: Set<string> | undefined;

  constructor(typeKey: string, graphNames: ReadonlyMap<string, string>, notesHidden: boolean) {
    this.#typeKey = typeKey;
    this.#graphNames = graphNames;
    this.#hidden = notesHidden ? new Set() : undefined;
  }

  /** Whether a path leads into an object that the role does not see. */
  isHidden(path: readonly PathSegment[]): boolean {
    return path.some((_, index) => this.#hidden?.has(JSON.stringify(path.slice(0, index))));
  }

  readObject(object: Record<string, unknown>, shape: ObjectShape): typeof HIDDEN | typeof LOST | undefined {
    const { visible, fields } = shape;
    const needsType = visible !== undefined || 'byType' in fields;
    const typeName = needsType ? object[this.#typeKey] : undefined;
    if (visible && !(typeof typeName === 'string' && visible.has(typeName))) {
      this.#hidden?.add(JSON.stringify(this.#path));
      return HIDDEN;
    }
    if (shape.hasAddedKey && Object.hasOwn(object, this.#typeKey)) {
      delete object[this.#typeKey];
      this.isChanged = true;
    }
    const own = 'byType' in fields ? fields.byType.get(String(typeName)) : fields;
    if (!own) return undefined;
    const parent = typeof typeName === 'string' ? (this.#graphNames.get(typeName) ?? typeName) : shape.type;
    return this.#readFields(object, own, parent);
  }

  #readFields(object: Record<string, unknown>, fields: FieldShapes, parent: string): typeof LOST | undefined {
    const isSilent = this.#isSilent;
    let isLost = false;
    for (const [key, field] of fields) {
      if (!Object.hasOwn(object, key)) continue;
      const value = object[key];
      if (field.kind === 'type-name') {
        const name = typeof value === 'string' ? this.#graphNames.get(value) : undefined;
        if (name === undefined) continue;
        object[key] = name;
        this.isChanged = true;
        continue;
      }
      this.#path.push(key);
      const read = this.#read(value, field.type, { field, parent });
      this.#path.pop();
      if (read === LOST) {
        isLost = true;
        if (!this.#goesOn()) break;
      } else if (read !== value) object[key] = read;
    }
    this.#isSilent = isSilent;
    return isLost ? LOST : undefined;
  }

  /**
   * Whether to read the rest of a value that becomes null. Errors of the source may refer to hidden objects in it. No
   * further errors are reported, since the reason is known.
   */
  #goesOn(): boolean {
    this.#isSilent = true;
    return this.#hidden !== undefined;
  }

  /** Reads a value at a place. A hidden value becomes null if the type allows it, otherwise `LOST`. */
  #read(value: unknown, type: GraphQLOutputType, place: Place): unknown {
    if (value === null || value === undefined) return value;
    const isNonNull = isNonNullType(type);
    const read = this.#readNullable(value, isNonNull ? type.ofType : type, place);
    if (read !== HIDDEN && read !== FAILED) return read;
    this.isChanged = true;
    if (!isNonNull) return null;
    if (read === HIDDEN) this.#report(`Cannot return null for non-nullable field ${coordinateOf(place)}.`, place);
    return LOST;
  }

  #readNullable(value: unknown, type: GraphQLOutputType, place: Place): unknown {
    const { field } = place;
    if (Array.isArray(value)) {
      // If the schema declares no list here, the role does not see the list.
      return isListType(type) ? this.#readList(value, type.ofType, place) : HIDDEN;
    }
    if (field.kind === 'leaf') {
      if (typeof value === 'string' && field.values.has(value)) return value;
      const { message, extensions } = unfitLeaf(coordinateOf(place), field.leaf);
      this.#report(message, place, extensions);
      return FAILED;
    }
    if (typeof value !== 'object') return field.objects.visible ? HIDDEN : value;
    const read = this.readObject(value as Record<string, unknown>, field.objects);
    if (read === undefined) return value;
    return read === LOST ? FAILED : HIDDEN;
  }

  #readList(items: unknown[], itemType: GraphQLOutputType, place: Place): unknown {
    const isSilent = this.#isSilent;
    let isLost = false;
    for (const [index, item] of items.entries()) {
      this.#path.push(index);
      const read = this.#read(item, itemType, place);
      this.#path.pop();
      if (read === LOST) {
        isLost = true;
        if (!this.#goesOn()) break;
      } else if (read !== item) items[index] = read;
    }
    this.#isSilent = isSilent;
    return isLost ? FAILED : items;
  }

  #report(message: string, { field }: Place, extensions?: GraphQLError['extensions']): void {
    this.isChanged = true;
    if (this.#isSilent || this.errors.length > MAX_RELAYED_ERRORS) return;
    const { nodes } = field;
    this.errors.push(new GraphQLError(message, { nodes, path: this.#path.slice(), ...(extensions && { extensions }) }));
  }
}

/** A field of a response and its parent type in the graph's names. */
interface Place {
  readonly field: Exclude<FieldShape, { readonly kind: 'type-name' }>;
  readonly parent: string;
}

function coordinateOf({ field, parent }: Place): string {
  return `${parent}.${field.name}`;
}
