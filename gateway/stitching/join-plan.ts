import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { type AnsweredObject, FieldFailure, type Joinable } from './answer.ts';
import { missingKey } from './errors.ts';
import { entriesFor, entriesForFact, FactSet, factKey, fieldsIn, neededSets, selectOnly } from './facts.ts';
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
  readonly entry: EntryPoint;
  readonly fields: SelectedField[];
  readonly facts: FactSet;
  /** What the entry point is given beside a key, by names of fields. */
  readonly required: Map<string, FieldNode>;
}

class ObjectPlan {
  readonly #object: AnsweredObject;
  readonly #types: SubschemaTypes;
  readonly #asked: Asked[] = [];
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
    const chosen = this.#preferred(ready);
    if (chosen) this.#askedOf(chosen, name).fields.push(field);
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
      const unknown = new Map(needed.flatMap((set) => [...unknownIn(set, this.#object)]));
      let isAsked = false;
      // A map is iterated over what is added to it meanwhile, too.
      for (const [key, name] of unknown) {
        if (asked.has(key)) {
          isAsked ||= this.#isAskedNow(key);
          continue;
        }
        const all = entriesForFact(this.#types, typeName, name);
        const entries = all.filter((one) => this.#isReady(one, name));
        const entry = this.#preferred(entries);
        if (!entry) {
          // What it is fetched by, and what it requires itself, is fetched first.
          for (const set of all.flatMap((one) => this.#needsOf(one, name))) {
            needed.push(set);
            for (const [one, itsName] of unknownIn(set, this.#object)) unknown.set(one, itsName);
          }
          continue;
        }
        asked.add(key);
        for (const set of needed) this.#askedOf(entry, name).facts.add(ofKey(set, key));
        isAsked = true;
      }
      if (isAsked) waiting.push(field);
      else this.#object.values.set(field.key, this.#unjoinable(field));
    }
    for (const { entry, fields, facts, required } of this.#asked)
      batches.addObject(this.#object, entry, { fields, facts: facts.nodes, required: [...required.values()] });
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
    return !requirement || unknownIn(requirement, this.#object).size === 0;
  }

  #needsOf(entry: EntryPoint, field: string): readonly SelectionSetNode[] {
    return neededSets(this.#types, entry, this.#object.__typename, field);
  }

  /** One that is asked anyway, else the first. */
  #preferred(entries: readonly EntryPoint[]): EntryPoint | undefined {
    return entries.find((entry) => this.#asked.some((one) => one.entry === entry)) ?? entries[0];
  }

  /** Fields that require the same with other arguments are asked for apart. */
  #askedOf(entry: EntryPoint, field: string): Asked {
    const requirement = this.#types.requirement(entry.subschema, this.#object.__typename, field);
    const nodes = requirement ? fieldsIn(requirement) : [];
    const isFitting = ({ required }: Asked) =>
      nodes.every((node) => factKey(required.get(node.name.value) ?? node) === factKey(node));
    const known = this.#asked.find((one) => one.entry === entry && isFitting(one));
    const asked = known ?? { entry, fields: [], facts: new FactSet(), required: new Map<string, FieldNode>() };
    if (!known) this.#asked.push(asked);
    for (const node of nodes) asked.required.set(node.name.value, node);
    return asked;
  }

  #isAskedNow(key: string): boolean {
    return this.#asked.some(({ facts }) => facts.nodes.some((node) => factKey(node) === key));
  }

  /** The facts that a field needs, and those that these in turn are fetched by, see `factKey`. */
  #factsFor({ node }: SelectedField): Iterable<string> {
    const { __typename: typeName } = this.#object;
    const relationship = this.#types.relationship(typeName, node.name.value);
    const sets = relationship
      ? [...relationship.keys.values()].map(selectOnly)
      : entriesFor(this.#types, typeName, node).flatMap((entry) => this.#needsOf(entry, node.name.value));
    const found = new Map(sets.flatMap((set) => [...unknownIn(set)]));
    // A map is iterated over what is added to it meanwhile, too.
    for (const name of found.values())
      for (const set of entriesForFact(this.#types, typeName, name).flatMap((entry) => this.#needsOf(entry, name)))
        for (const [key, itsName] of unknownIn(set)) found.set(key, itsName);
    return found.keys();
  }

  /** The value of a field that cannot be joined: null where a key is null, else the reason why a key is missing. */
  #unjoinable(field: SelectedField): unknown {
    const { failed, __typename: typeName, facts } = this.#object;
    const causes = [...this.#factsFor(field)].flatMap((name) => failed.get(name) ?? []);
    if (causes.length > 0) return new FieldFailure(causes, true);
    const entries = entriesFor(this.#types, typeName, field.node);
    const isNull = (set: SelectionSetNode | undefined) =>
      set?.selections.some((node) => node.kind === Kind.FIELD && facts[node.name.value] === null);
    const relationship = this.#types.relationship(typeName, field.node.name.value);
    const keys = relationship ? [...relationship.keys.values()].map(selectOnly) : entries.map(({ key }) => key);
    if (keys.some(isNull)) return null;
    return new FieldFailure([{ error: missingKey(`${typeName}.${field.node.name.value}`), path: [] }], true);
  }
}

/** The fields at the top of a selection whose values are still unknown: their names by what their facts are kept under. */
function unknownIn(
  set: SelectionSetNode,
  { facts }: Pick<AnsweredObject, 'facts'> = { facts: {} },
): Map<string, string> {
  const unknown = fieldsIn(set).filter((node) => facts[factKey(node)] === undefined);
  return new Map(unknown.map((node) => [factKey(node), node.name.value]));
}

function ofKey(set: SelectionSetNode, key: string): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections: fieldsIn(set).filter((node) => factKey(node) === key) };
}
