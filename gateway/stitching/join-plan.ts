import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { type AnsweredObject, FieldFailure, type Joinable } from './answer.ts';
import { missingKey } from './errors.ts';
import { entriesFor, entriesForFact, FactSet, selectOnly } from './facts.ts';
import type { JoinBatches } from './join-batches.ts';
import type { SelectedField } from './selected.ts';
import { areFactsKnown, type EntryPoint, type SubschemaTypes } from './subschema-types.ts';

/**
 * Finds for each object the subschemas that resolve its missing fields, as far as the required keys are known.
 *
 * @returns the joins that wait for facts that are fetched first.
 */
export function planJoins(
  joinables: readonly Joinable[],
  types: SubschemaTypes,
  batches: JoinBatches,
): readonly Joinable[] {
  return joinables.flatMap(({ object, missing }): readonly Joinable[] => {
    const plan = new ObjectPlan(object, types);
    for (const field of missing) plan.add(field);
    return plan.into(batches);
  });
}

interface Asked {
  readonly fields: SelectedField[];
  readonly facts: FactSet;
}

class ObjectPlan {
  readonly #object: AnsweredObject;
  readonly #types: SubschemaTypes;
  readonly #asked = new Map<EntryPoint, Asked>();
  readonly #relationships: SelectedField[] = [];
  readonly #waiting: { readonly field: SelectedField; readonly needed: readonly SelectionSetNode[] }[] = [];

  constructor(object: AnsweredObject, types: SubschemaTypes) {
    this.#object = object;
    this.#types = types;
  }

  add(field: SelectedField): void {
    const { __typename: typeName, facts, values } = this.#object;
    const name = field.node.name.value;
    const relationship = this.#types.relationship(typeName, name);
    if (relationship) {
      const sets = [...relationship.keys.values()].map(selectOnly);
      if (sets.every((set) => areFactsKnown(facts, set))) this.#relationships.push(field);
      else this.#wait(field, [sets]);
      return;
    }
    const entries = entriesFor(this.#types, typeName, field.node);
    if (entries.length === 0) {
      const isFact = !field.selection && (field.node.arguments ?? []).length === 0;
      values.set(field.key, isFact && facts[name] !== undefined ? facts[name] : null);
      return;
    }
    const ready = entries.filter((entry) => this.#isReady(entry, name));
    const chosen = ready.find((entry) => this.#asked.has(entry)) ?? ready[0];
    if (chosen) this.#askedOf(chosen).fields.push(field);
    else
      this.#wait(
        field,
        entries.map((entry) => this.#needsOf(entry, name)),
      );
  }

  into(batches: JoinBatches): readonly Joinable[] {
    const { __typename: typeName, asked } = this.#object;
    const waiting: SelectedField[] = [];
    for (const { field, needed: sets } of this.#waiting) {
      const needed = [...sets];
      const names = new Set(needed.flatMap((set) => [...unknownIn(set, this.#object)]));
      let isAsked = false;
      // A set is iterated over what is added to it meanwhile, too.
      for (const name of names) {
        if (asked.has(name)) {
          isAsked ||= this.#isAskedNow(name);
          continue;
        }
        const all = entriesForFact(this.#types, typeName, name);
        const entries = all.filter(({ key }) => areFactsKnown(this.#object.facts, key));
        const entry = entries.find((one) => this.#asked.has(one)) ?? entries[0];
        if (!entry) {
          // The keys that it is fetched by are fetched first.
          for (const { key } of all) {
            if (!key) continue;
            needed.push(key);
            for (const one of unknownIn(key, this.#object)) names.add(one);
          }
          continue;
        }
        asked.add(name);
        for (const set of needed) this.#askedOf(entry).facts.add(ofName(set, name));
        isAsked = true;
      }
      if (isAsked) waiting.push(field);
      else this.#object.values.set(field.key, this.#unjoinable(field));
    }
    for (const [entry, { fields, facts }] of this.#asked) batches.addObject(this.#object, entry, fields, facts.nodes);
    for (const field of this.#relationships) {
      const relationship = this.#types.relationship(typeName, field.node.name.value);
      if (relationship) batches.addRelationship(this.#object, relationship, field);
    }
    return waiting.length > 0 ? [{ object: this.#object, missing: waiting }] : [];
  }

  #wait(field: SelectedField, alternatives: readonly (readonly SelectionSetNode[])[]): void {
    this.#waiting.push({ field, needed: alternatives.flat() });
  }

  #isReady(entry: EntryPoint, field: string): boolean {
    const { __typename: typeName, facts } = this.#object;
    if (!areFactsKnown(facts, entry.key)) return false;
    const requirement = this.#types.requirement(entry.subschema, typeName, field);
    return !requirement || [...unknownIn(requirement, this.#object)].length === 0;
  }

  #needsOf(entry: EntryPoint, field: string): readonly SelectionSetNode[] {
    const requirement = this.#types.requirement(entry.subschema, this.#object.__typename, field);
    return [...(entry.key ? [entry.key] : []), ...(requirement ? [requirement] : [])];
  }

  #askedOf(entry: EntryPoint): Asked {
    const known = this.#asked.get(entry);
    if (known) return known;
    const made = { fields: [], facts: new FactSet() };
    this.#asked.set(entry, made);
    return made;
  }

  #isAskedNow(name: string): boolean {
    return [...this.#asked.values()].some(({ facts }) => facts.nodes.some((node) => node.name.value === name));
  }

  /** Names of the facts that a field needs, and of those that these in turn are fetched by. */
  #factsFor({ node }: SelectedField): ReadonlySet<string> {
    const { __typename: typeName } = this.#object;
    const relationship = this.#types.relationship(typeName, node.name.value);
    const sets = relationship
      ? [...relationship.keys.values()].map(selectOnly)
      : entriesFor(this.#types, typeName, node).flatMap((entry) => this.#needsOf(entry, node.name.value));
    const names = new Set(sets.flatMap((set) => [...selectedNames(set)]));
    // A set is iterated over what is added to it meanwhile, too.
    for (const name of names)
      for (const { key } of entriesForFact(this.#types, typeName, name))
        for (const needed of key ? selectedNames(key) : []) names.add(needed);
    return names;
  }

  /** The value of a field that cannot be joined: null where a key is null, else the reason why a key is missing. */
  #unjoinable(field: SelectedField): unknown {
    const { failed, __typename: typeName, facts } = this.#object;
    const causes = [...this.#factsFor(field)].flatMap((name) => failed.get(name) ?? []);
    if (causes.length > 0) return new FieldFailure(causes);
    const entries = entriesFor(this.#types, typeName, field.node);
    const isNull = (set: SelectionSetNode | undefined) =>
      set?.selections.some((node) => node.kind === Kind.FIELD && facts[node.name.value] === null);
    const relationship = this.#types.relationship(typeName, field.node.name.value);
    const keys = relationship ? [...relationship.keys.values()].map(selectOnly) : entries.map(({ key }) => key);
    if (keys.some(isNull)) return null;
    return new FieldFailure([{ error: missingKey(`${typeName}.${field.node.name.value}`), path: [] }]);
  }
}

/** Names of all fields at the top of a selection. */
function selectedNames(set: SelectionSetNode): ReadonlySet<string> {
  return unknownIn(set, { facts: {} });
}

/** Names of fields at the top of a selection whose values are still unknown. */
function unknownIn({ selections }: SelectionSetNode, { facts }: Pick<AnsweredObject, 'facts'>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) for (const name of unknownIn(node.selectionSet, { facts })) names.add(name);
    if (node.kind === Kind.FIELD && node.name.value !== '__typename' && facts[node.name.value] === undefined)
      names.add(node.name.value);
  }
  return names;
}

function ofName(set: SelectionSetNode, name: string): SelectionSetNode {
  const isOfName = (node: FieldNode) => node.name.value === name;
  const selections = set.selections.flatMap((node) => {
    if (node.kind === Kind.INLINE_FRAGMENT) return ofName(node.selectionSet, name).selections;
    return node.kind === Kind.FIELD && isOfName(node) ? [node] : [];
  });
  return { kind: Kind.SELECTION_SET, selections };
}
