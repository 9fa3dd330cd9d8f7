import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Fragments, fragmentsOf } from '../../graphql/syntax/index.ts';
import { type RoleView, sourceTypeName } from './role-view.ts';
import { type SelectedFields, SelectedObjects } from './selected-objects.ts';

/** The fields of an object that have to be checked, by response key. */
export type FieldShapes = ReadonlyMap<string, FieldShape>;

/** A field of a response that has to be checked. */
export type FieldShape =
  | { readonly kind: 'type-name'; readonly id: string }
  | (PlacedField & { readonly kind: 'leaf'; readonly leaf: string; readonly values: ReadonlySet<string> })
  | (PlacedField & { readonly kind: 'objects'; readonly objects: ObjectShape });

/** The data of a field that errors contain. */
interface PlacedField {
  /** Equal for fields that are checked in the same way. */
  readonly id: string;
  readonly type: GraphQLOutputType;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
}

/** Objects of a response that have to be checked. */
export interface ObjectShape {
  readonly id: string;
  /** The place's type in the graph's names. */
  readonly type: string;
  /** The types that the role sees at this place, in the source's names. Undefined if it sees all. */
  readonly visible: ReadonlySet<string> | undefined;
  /** Whether the objects have the added type name key, which has to be removed. */
  readonly hasAddedKey: boolean;
  /** The fields of all types, or a map by the source's name of the object's type. */
  readonly fields: FieldShapes | { readonly byType: ReadonlyMap<string, FieldShapes> };
}

/** The parts of an operation's responses that have to be checked. */
export interface ResponseShape {
  readonly root: ObjectShape;
  /** The response key that contains the type names of objects. */
  readonly typeKey: string;
  /** The selections to which this key is added. */
  readonly addedTo: ReadonlySet<SelectionSetNode>;
}

/**
 * Determines which parts of responses have to be checked: names of types that differ in the graph, and values and
 * objects that the role does not see. If a response key has different meanings in objects of different types, the type
 * of each object is selected too.
 *
 * @param whole an operation in the graph's names.
 * @returns undefined if responses can be relayed unchanged.
 */
export function responseShape(
  view: RoleView,
  whole: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
): ResponseShape | undefined {
  const { customized, narrowed } = view;
  if (!narrowed && (customized.types.size === 0 || !asksForTypeNames(whole.document))) return undefined;
  const type = customized.schema.getRootType(whole.operation.operation);
  if (!type) return undefined;
  const fragments = fragmentsOf(whole.document);
  let added: ReadonlySet<SelectionSetNode> = new Set();
  for (;;) {
    const reader = new ShapeReader(view, fragments, added);
    const root = reader.shapeOf(type, [whole.operation.selectionSet]);
    if (!root) return undefined;
    const typed = [...reader.typed];
    if (typed.every((set) => set.selections.some(isPlainTypeName)) && added.size === 0)
      return { root, typeKey: '__typename', addedTo: added };
    if (typed.every((set) => added.has(set))) return { root, typeKey: unusedKey(whole.document), addedTo: added };
    // The same selections may also add the key to objects of types that do not need it.
    added = new Set([...added, ...typed]);
  }
}

function asksForTypeNames(document: DocumentNode): boolean {
  let isAsked = false;
  visit(document, {
    Field: ({ name }) => {
      isAsked ||= name.value === '__typename';
    },
  });
  return isAsked;
}

function isPlainTypeName(node: SelectionNode): boolean {
  return (
    node.kind === Kind.FIELD && node.name.value === '__typename' && !node.alias && (node.directives ?? []).length === 0
  );
}

/** A response key that the client does not use. */
function unusedKey(document: DocumentNode): string {
  const keys = new Set<string>();
  visit(document, { Field: ({ alias, name }) => void keys.add((alias ?? name).value) });
  let key = 'portico_type';
  while (keys.has(key)) key += '_';
  return key;
}

/** Reads shapes. The same selections on the same type are visited once, however often fragments lead to them. */
class ShapeReader {
  /** Selections of objects whose types have to be known. */
  readonly typed = new Set<SelectionSetNode>();
  readonly #view: RoleView;
  readonly #selections: SelectedObjects;
  readonly #added: ReadonlySet<SelectionSetNode>;
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #ids = new Map<string, string>();
  readonly #known = new Map<string, ObjectShape | undefined>();

  constructor(view: RoleView, fragments: Fragments, added: ReadonlySet<SelectionSetNode>) {
    this.#view = view;
    this.#selections = new SelectedObjects(view, fragments);
    this.#added = added;
  }

  shapeOf(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): ObjectShape | undefined {
    const key = `${type.name} ${sets.map((set) => this.#numberOf(set)).join()}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const shape = this.#read(type, sets);
    this.#known.set(key, shape);
    return shape;
  }

  #read(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): ObjectShape | undefined {
    const { narrowed } = this.#view;
    const hasAddedKey = sets.some((set) => this.#added.has(set));
    const made = (fields: ObjectShape['fields'], visible?: ReadonlySet<string>): ObjectShape => {
      const isByType = 'byType' in fields;
      if (visible || isByType) for (const set of sets) this.typed.add(set);
      const described = isByType
        ? [...fields.byType].map(([name, own]) => `${name}{${idOf(own)}}`).join()
        : idOf(fields);
      const id = this.#idFor(`${visible ? type.name : ''} ${hasAddedKey} ${described}`);
      return { id, type: type.name, visible, hasAddedKey, fields };
    };
    if (!isAbstractType(type)) {
      const fields = looked(this.#fieldsOf(type, this.#selections.fieldsOf(type, sets)));
      return fields.size > 0 || hasAddedKey ? made(fields) : undefined;
    }
    const visible = narrowed?.objects.get(sourceTypeName(this.#view, type.name));
    const merged = new Map<string, FieldShape | undefined>();
    let isAlike = true;
    const groups = this.#selections.alikeTypes(type, sets).map(({ types, first, selected }) => {
      const fields = this.#fieldsOf(first, selected);
      for (const [key, field] of fields) {
        if (merged.has(key) && merged.get(key)?.id !== field?.id) isAlike = false;
        merged.set(key, field);
      }
      return { types, fields };
    });
    if (!isAlike) {
      const byType = groups.flatMap(({ types, fields }) => {
        const own = looked(fields);
        return types.map(({ name }) => [sourceTypeName(this.#view, name), own] as const);
      });
      return made({ byType: new Map(byType) }, visible);
    }
    const fields = looked(merged);
    return fields.size > 0 || hasAddedKey || visible ? made(fields, visible) : undefined;
  }

  /** The fields of a type's objects, by response key. Undefined marks a field that need not be checked. */
  #fieldsOf(type: GraphQLObjectType, selected: SelectedFields): ReadonlyMap<string, FieldShape | undefined> {
    const { customized, narrowed } = this.#view;
    const shapes = new Map<string, FieldShape | undefined>();
    for (const [key, { nodes, sets: below }] of selected) {
      const name = nodes[0]?.name.value ?? key;
      if (name === '__typename') {
        shapes.set(key, customized.types.has(type.name) ? { kind: 'type-name', id: 'type-name' } : undefined);
        continue;
      }
      const field = type.getFields()[name];
      const named = field && getNamedType(field.type);
      const placed = { type: field?.type as GraphQLOutputType, name, nodes };
      const form = `${name} ${String(field?.type).replace(/\w+/, '')}`;
      if (isCompositeType(named)) {
        const objects = this.shapeOf(named, below);
        shapes.set(key, objects && { ...placed, kind: 'objects', objects, id: `${form} ${objects.id}` });
      } else {
        const values = isEnumType(named) ? narrowed?.values.get(sourceTypeName(this.#view, named.name)) : undefined;
        const leaf = named?.name ?? '';
        shapes.set(key, values && { ...placed, kind: 'leaf', leaf, values, id: `${form} ${leaf}` });
      }
    }
    return shapes;
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }

  /** A short text for each distinct description. */
  #idFor(described: string): string {
    const id = this.#ids.get(described) ?? String(this.#ids.size);
    this.#ids.set(described, id);
    return id;
  }
}

function looked(fields: ReadonlyMap<string, FieldShape | undefined>): FieldShapes {
  const found = new Map<string, FieldShape>();
  for (const [key, field] of fields) if (field) found.set(key, field);
  return found;
}

function idOf(fields: FieldShapes): string {
  return [...fields].map(([key, { id }]) => `${key}:${id}`).join();
}
