import {
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
  stripIgnoredCharacters,
} from 'graphql';
import type { SelectedField } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import { type EntryPoint, isPartOfKey, type SubschemaTypes, schemaField, visibleField } from './subschema-types.ts';

/** Keys and requirements are the same nodes for each object, and printing them takes long. */
const factKeys = new WeakMap<FieldNode, string>();
const texts = new WeakMap<SelectionNode, string>();

/**
 * What a fact of an object is kept under: the name of its field. One with arguments, at any depth, has its whole text, since two
 * fields may require the same with other arguments.
 */
export function factKey(node: FieldNode): string {
  const known = factKeys.get(node);
  if (known !== undefined) return known;
  const { alias: _, ...plain } = node;
  const key = isWithArguments(node) ? stripIgnoredCharacters(print(plain)) : node.name.value;
  factKeys.set(node, key);
  return key;
}

/** Equal for facts that are fetched by equal selections. */
export function factText(node: FieldNode): string {
  const key = factKey(node);
  const { name, selectionSet } = node;
  return key === name.value && selectionSet ? `${key} { ${selectionSet.selections.map(textOf).join(' ')} }` : key;
}

function textOf(node: SelectionNode): string {
  const text = texts.get(node) ?? print(node);
  texts.set(node, text);
  return text;
}

/** Fields by what their facts are kept under, each with all that is needed of it. */
export class FactSet {
  readonly #nodes = new Map<string, FieldNode>();
  #aliases = 0;

  get nodes(): readonly FieldNode[] {
    return [...this.#nodes.values()];
  }

  add(set: SelectionSetNode): void {
    for (const node of fieldsIn(set)) {
      const key = factKey(node);
      const same = this.#nodes.get(key);
      if (same && key !== node.name.value) continue;
      const known = same?.selectionSet?.selections ?? [];
      const inner = [...known, ...(node.selectionSet?.selections ?? [])];
      const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: inner };
      const needed: FieldNode = {
        kind: Kind.FIELD,
        name: node.name,
        ...(key !== node.name.value && {
          alias: { kind: Kind.NAME, value: `portico_fact${this.#aliases++ || ''}_${node.name.value}` } as const,
          arguments: node.arguments ?? [],
        }),
        ...(inner.length > 0 && { selectionSet }),
      };
      factKeys.set(needed, key);
      this.#nodes.set(key, needed);
    }
  }
}

/** The entry points that may answer a field. */
export function entriesFor(types: SubschemaTypes, typeName: string, node: FieldNode): readonly EntryPoint[] {
  return types.entryPoints(typeName).filter(({ subschema, key }) => {
    const field = visibleField(subschema, typeName, node);
    return field && !isPartOfKey(key, field);
  });
}

/**
 * The entry points that may give a fact of an object, whether clients see it there or not; first those that need nothing but
 * their key for it.
 */
export function entriesForFact(types: SubschemaTypes, typeName: string, name: string): readonly EntryPoint[] {
  const entries = types.entryPoints(typeName).filter(({ subschema, key }) => {
    const field = schemaField(subschema.schema.getType(typeName), name);
    return field && !isPartOfKey(key, field);
  });
  const isNeedy = ({ subschema }: EntryPoint) => types.requirement(subschema, typeName, name) !== undefined;
  return [...entries.filter((entry) => !isNeedy(entry)), ...entries.filter(isNeedy)];
}

/** What an entry point has to be given for a field of an object: its key, and what the field requires. */
export function neededSets(
  types: SubschemaTypes,
  { subschema, key }: EntryPoint,
  typeName: string,
  field: string,
): readonly SelectionSetNode[] {
  const requirement = types.requirement(subschema, typeName, field);
  return [...(key ? [key] : []), ...(requirement ? [requirement] : [])];
}

/** What a subschema can say of its objects that others need to answer what is missing of them. */
export function requiredFacts(
  types: SubschemaTypes,
  subschema: StitchedSubschema,
  typeName: string,
  missing: readonly SelectedField[],
): readonly FieldNode[] {
  const facts = new FactSet();
  const type = subschema.schema.getType(typeName);
  const isAnswered = ({ name }: FieldNode) =>
    schemaField(type, name.value) !== undefined && !types.requirement(subschema, typeName, name.value);
  const looked = new Set<string>();
  /** A fact that is not here is to be fetched from another subschema, by keys that may be here. */
  const need = (set: SelectionSetNode): void => {
    facts.add(set);
    for (const node of fieldsIn(set)) {
      if (isAnswered(node) || looked.has(node.name.value)) continue;
      looked.add(node.name.value);
      for (const entry of entriesForFact(types, typeName, node.name.value))
        neededSets(types, entry, typeName, node.name.value).forEach(need);
    }
  };
  for (const { node } of missing) {
    const relationship = types.relationship(typeName, node.name.value);
    if (relationship) for (const field of relationship.keys.values()) need(selectOnly(field));
    else
      for (const entry of entriesFor(types, typeName, node))
        neededSets(types, entry, typeName, node.name.value).forEach(need);
  }
  return facts.nodes.filter(isAnswered);
}

/** Whether a subschema answers all of a selection by itself, without requirements. */
export function answersAll(
  types: SubschemaTypes,
  subschema: StitchedSubschema,
  type: GraphQLNamedType,
  { selections }: SelectionSetNode,
): boolean {
  return selections.every((node) => {
    if (node.kind === Kind.FRAGMENT_SPREAD) return true;
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition ? subschema.schema.getType(node.typeCondition.name.value) : type;
      return condition !== undefined && answersAll(types, subschema, condition, node.selectionSet);
    }
    const name = node.name.value;
    if (name === '__typename') return true;
    const field = schemaField(type, name);
    if (!field || types.requirement(subschema, type.name, name)) return false;
    return !node.selectionSet || answersAll(types, subschema, getNamedType(field.type), node.selectionSet);
  });
}

export function selectOnly(field: string): SelectionSetNode {
  const node: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: field } };
  return { kind: Kind.SELECTION_SET, selections: [node] };
}

function isWithArguments({ arguments: given = [], selectionSet }: FieldNode): boolean {
  return given.length > 0 || (selectionSet !== undefined && fieldsIn(selectionSet).some(isWithArguments));
}

/** The fields of a selection, those in fragments too. */
export function fieldsIn({ selections }: SelectionSetNode): readonly FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.INLINE_FRAGMENT) return fieldsIn(node.selectionSet);
    return node.kind === Kind.FIELD && node.name.value !== '__typename' ? [node] : [];
  });
}
