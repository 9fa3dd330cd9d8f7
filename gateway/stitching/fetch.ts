import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { TYPENAME_FIELD } from '../syntax/index.ts';
import { answersAll, factKey, requiredFacts } from './facts.ts';
import type { Relationship } from './relationship.ts';
import type { ObjectSelection, SelectedField, SelectedOperation } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import { type SubschemaTypes, schemaField, visibleField } from './subschema-types.ts';

/** The selections of one subschema for the objects at one path, and how its response is read. */
export interface StitchedFetch {
  readonly set: SelectionSetNode;
  /** The type of the place, where it is an object type. */
  readonly typeName: string | undefined;
  readonly objects: ReadonlyMap<string, ObjectFetch>;
}

/** The same for the objects of one type. */
export interface ObjectFetch {
  readonly typeName: string;
  readonly fields: readonly FetchedField[];
  readonly facts: readonly FetchedFact[];
  /** What has to be fetched from others. */
  readonly missing: readonly SelectedField[];
}

/** What is fetched to join the objects: what it is kept under, and the response key that it is fetched under. */
export interface FetchedFact {
  readonly key: string;
  readonly alias: string;
  /** Set where the subschema lacks something below it, which has to be joined first. */
  readonly fetch?: StitchedFetch;
}

export interface FetchedField {
  readonly selected: SelectedField;
  readonly alias: string;
  readonly fetch: StitchedFetch | undefined;
}

interface RelationshipFetch {
  readonly fetch: StitchedFetch | undefined;
  readonly text: string;
}

/** A field as it is written into a request. */
interface WrittenField {
  readonly node: FieldNode;
  /** Equal texts for selections that several types can share. */
  readonly identity: string;
}

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/**
 * Computes the selections that are sent to subschemas, once for each position of an operation. Response keys are
 * generated wherever the client's could be confused with names of fields that objects are joined by.
 */
export class Fetches {
  readonly #types: SubschemaTypes;
  readonly #selected: SelectedOperation;
  readonly #ofFacts = new WeakMap<FieldNode, ObjectSelection>();
  readonly #made = new Map<StitchedSubschema, Map<string, Map<ObjectSelection, StitchedFetch>>>();
  readonly #ofRelationships = new Map<SelectedField, RelationshipFetch>();
  readonly #contentsOfSets = new WeakMap<SelectionSetNode, number>();
  readonly #contents = new Map<string, number>();
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;
  /** The types that selections are made of, for those that are written as fragments. */
  readonly typesOfSets = new WeakMap<SelectionSetNode, string>();

  constructor(types: SubschemaTypes, selected: SelectedOperation) {
    this.#types = types;
    this.#selected = selected;
  }

  /** @param type the type that the subschema has at that place. */
  at(subschema: StitchedSubschema, type: GraphQLNamedType, selection: ObjectSelection): StitchedFetch {
    const ofSubschema = this.#made.get(subschema) ?? new Map<string, Map<ObjectSelection, StitchedFetch>>();
    const ofType = ofSubschema.get(type.name) ?? new Map<ObjectSelection, StitchedFetch>();
    this.#made.set(subschema, ofSubschema.set(type.name, ofType));
    const known = ofType.get(selection);
    if (known) return known;
    const fetch = this.#make(subschema, type, selection);
    ofType.set(selection, fetch);
    return fetch;
  }

  /** The selections for objects of one type at an entry point: its fields, and facts. */
  ofObjects(
    subschema: StitchedSubschema,
    typeName: string,
    fields: readonly SelectedField[],
    facts: readonly FieldNode[],
  ): { readonly fetch: ObjectFetch; readonly set: SelectionSetNode } {
    const aliases = new Map<string, string>();
    const { fetch, written } = this.#object(subschema, typeName, fields, { facts, aliases, isEntry: true });
    return { fetch, set: this.#set(typeName, withTypeName(written.map(({ node }) => node))) };
  }

  /** The selections of a relationship's target, and a text that is equal for equal selections. */
  ofRelationship({ target, answer }: Relationship, field: SelectedField): RelationshipFetch {
    const known = this.#ofRelationships.get(field);
    if (known) return known;
    const { node, selection } = field;
    const type = target.schema.getType(getNamedType(answer).name);
    const fetch = type && selection && isCompositeType(type) ? this.at(target, type, selection) : undefined;
    const text = `${(node.arguments ?? []).map(print).join(' ')} ${fetch ? this.#contentOf(fetch.set) : ''}`;
    const made = { fetch, text };
    this.#ofRelationships.set(field, made);
    return made;
  }

  #make(subschema: StitchedSubschema, type: GraphQLNamedType, selection: ObjectSelection): StitchedFetch {
    const objects = new Map<string, ObjectFetch>();
    if (!isAbstractType(type)) {
      const fields = selection.fieldsOf(type.name) ?? [];
      const { fetch, written } = this.#object(subschema, type.name, fields, { aliases: NO_ALIASES });
      objects.set(type.name, fetch);
      const nodes = written.map(({ node }) => node);
      const isJoined = fetch.missing.length > 0 || nodes.length === 0;
      return { set: this.#set(type.name, isJoined ? withTypeName(nodes) : nodes), typeName: type.name, objects };
    }
    const aliases = new Map<string, string>();
    const ofTypes = subschema.schema.getPossibleTypes(type).flatMap(({ name }) => {
      const fields = selection.fieldsOf(name);
      // Objects of types that clients do not see are null.
      if (!fields) return [];
      const made = this.#object(subschema, name, fields, { aliases });
      objects.set(name, made.fetch);
      return [{ name, written: made.written }];
    });
    // What all types are asked for is written once, if the abstract type has it.
    const [first, ...others] = ofTypes;
    const common = (first?.written ?? []).filter(({ node, identity }) => {
      const field = schemaField(type, node.name.value);
      const isEverywhere = others.every(({ written }) => written.some((one) => one.identity === identity));
      return field && isEverywhere && identity.endsWith(` ${String(field.type)}`);
    });
    const identities = new Set(common.map(({ identity }) => identity));
    const own = ofTypes.flatMap(({ name, written }): SelectionNode[] => {
      const rest = written.filter(({ identity }) => !identities.has(identity)).map(({ node }) => node);
      if (rest.length === 0) return [];
      const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } } as const;
      return [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: this.#set(name, rest) }];
    });
    const nodes = [...common.map(({ node }) => node), ...own];
    return { set: this.#set(type.name, withTypeName(nodes)), typeName: undefined, objects };
  }

  #object(
    subschema: StitchedSubschema,
    typeName: string,
    selected: readonly SelectedField[],
    options: {
      readonly aliases: ReadonlyMap<string, string>;
      readonly facts?: readonly FieldNode[];
      readonly isEntry?: boolean;
    },
  ): { readonly fetch: ObjectFetch; readonly written: readonly WrittenField[] } {
    const { aliases, isEntry = false } = options;
    const written: WrittenField[] = [];
    const fields: FetchedField[] = [];
    const missing: SelectedField[] = [];
    const write = (node: FieldNode, type: GraphQLOutputType, what: string): string => {
      const usual = (node.alias ?? node.name).value;
      const alias = unmistakable(usual, typeName, type, aliases);
      const named = alias === node.name.value ? node : { ...node, alias: { kind: Kind.NAME, value: alias } as const };
      written.push({ node: named, identity: `${alias} ${what} ${String(type)}` });
      return alias;
    };
    for (const one of selected) {
      const { node, selection, key } = one;
      const field = visibleField(subschema, typeName, node);
      const isNeedy = !isEntry && this.#types.requirement(subschema, typeName, node.name.value);
      if (!field || isNeedy || this.#types.relationship(typeName, node.name.value)) {
        missing.push(one);
        continue;
      }
      const named = getNamedType(field.type);
      const fetch = selection && isCompositeType(named) ? this.at(subschema, named, selection) : undefined;
      const isPlain = key === node.name.value && (node.arguments ?? []).length === 0;
      const alias = write(
        {
          kind: Kind.FIELD,
          name: node.name,
          ...(!isPlain && { alias: { kind: Kind.NAME, value: `portico_${key}` } as const }),
          arguments: node.arguments ?? [],
          directives: (node.directives ?? []).filter((directive) => isKnownTo(subschema, directive)),
          ...(fetch && { selectionSet: fetch.set }),
        },
        field.type,
        `${this.#numberOf(node)} ${selection ? this.#numberOf(selection) : ''}`,
      );
      fields.push({ selected: one, alias, fetch });
    }
    const needed = options.facts ?? requiredFacts(this.#types, subschema, typeName, missing);
    const facts = needed.flatMap((node): FetchedFact[] => {
      const field = schemaField(subschema.schema.getType(typeName), node.name.value);
      if (!field) return [];
      const fetch = this.#factFetch(subschema, getNamedType(field.type), node);
      const key = factKey(node);
      if (!fetch) return [{ key, alias: write(node, field.type, print(node)) }];
      // The client may select the same field, with other keys below it.
      const alias = { kind: Kind.NAME, value: `portico_join_${(node.alias ?? node.name).value}` } as const;
      const joined: FieldNode = { ...node, alias, selectionSet: fetch.set };
      return [{ key, alias: write(joined, field.type, print(joined)), fetch }];
    });
    return { fetch: { typeName, fields, facts, missing }, written: deduplicated(written) };
  }

  /** How a fact is fetched that the subschema has a part of; undefined where it has all of it, or there is nothing below it. */
  #factFetch(subschema: StitchedSubschema, type: GraphQLNamedType, node: FieldNode): StitchedFetch | undefined {
    if (!node.selectionSet || !isCompositeType(type) || answersAll(this.#types, subschema, type, node.selectionSet))
      return undefined;
    const known = this.#ofFacts.get(node) ?? this.#selected.selectionOf([node.selectionSet]);
    this.#ofFacts.set(node, known);
    return this.at(subschema, type, known);
  }

  #set(typeName: string, selections: readonly SelectionNode[]): SelectionSetNode {
    const set: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
    this.typesOfSets.set(set, typeName);
    return set;
  }

  /** A number for each distinct content: sets that stand in many places are gone through once. */
  #contentOf(set: SelectionSetNode): number {
    const known = this.#contentsOfSets.get(set);
    if (known !== undefined) return known;
    const text = set.selections
      .map((node) => {
        if (node.kind === Kind.FRAGMENT_SPREAD || !node.selectionSet) return print(node);
        const inner = this.#contentOf(node.selectionSet);
        return `${print({ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections: [TYPENAME_FIELD] } })} ${inner}`;
      })
      .join(' ');
    const content = this.#contents.get(text) ?? this.#contents.size;
    this.#contents.set(text, content);
    this.#contentsOfSets.set(set, content);
    return content;
  }

  #numberOf(thing: object): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#numbers.set(thing, this.#count);
    return this.#count;
  }
}

/** A key that fields of other types do not have with another form of value (GraphQL section 5.3.2). */
function unmistakable(
  alias: string,
  typeName: string,
  type: GraphQLOutputType,
  aliases: ReadonlyMap<string, string>,
): string {
  const form = String(type);
  const taken = aliases.get(alias);
  if (taken === undefined && aliases !== NO_ALIASES) (aliases as Map<string, string>).set(alias, form);
  return taken === undefined || taken === form ? alias : `portico_${typeName}_${alias}`;
}

function deduplicated(written: readonly WrittenField[]): readonly WrittenField[] {
  const found = new Map<string, WrittenField>();
  for (const one of written) {
    const alias = (one.node.alias ?? one.node.name).value;
    const known = found.get(alias);
    // A field that the client selects, and that objects are joined by as well.
    if (known?.node.selectionSet && one.node.selectionSet) {
      const selections = [...known.node.selectionSet.selections, ...one.node.selectionSet.selections];
      const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
      found.set(alias, { node: { ...known.node, selectionSet }, identity: `${known.identity} ${one.identity}` });
    } else if (!known) found.set(alias, one);
  }
  return [...found.values()];
}

function withTypeName(nodes: readonly SelectionNode[]): readonly SelectionNode[] {
  return [TYPENAME_FIELD, ...nodes];
}

function isKnownTo({ schema }: StitchedSubschema, { name }: DirectiveNode): boolean {
  return name.value !== 'skip' && name.value !== 'include' && schema.getDirective(name.value) != null;
}
