import {
  type ArgumentNode,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import { directivesText } from '../../../graphql/syntax/index.ts';
import { fieldText, type SupergraphTypes } from '../../supergraph/index.ts';
import { type Conditions, isIncluded } from './client-operation.ts';
import type { Steps } from './steps.ts';

/** The number of selections that are collected in one step. */
const SELECTIONS_PER_STEP = 8;

/** A wanted field of an object. */
export interface WantedField {
  /** The key of the field's value in the data of a run. */
  readonly key: string;
  readonly name: string;
  readonly arguments: readonly ArgumentNode[];
  /** The field's name, with a number for its arguments. Equal for fields that have the same value. */
  readonly call: string;
  /** The wanted fields of the value. Undefined for a scalar or an enum. */
  readonly below: Selections | undefined;
  /** Directives of the client that services may know. */
  readonly directives: readonly DirectiveNode[];
  /** Whether the planner needs the field. The planner may fetch it from a service where clients do not see it. */
  readonly isOwn: boolean;
}

export const TYPENAME: WantedField = {
  key: '__typename',
  name: '__typename',
  arguments: [],
  call: '__typename',
  below: undefined,
  directives: [],
  isOwn: false,
};

/** A text that is equal for fields that are planned in the same way. */
export function textOfField({ key, call, below, isOwn }: WantedField): string {
  return `${isOwn ? '!' : ''}${key}:${call}:${below?.id ?? ''}`;
}

/**
 * The wanted fields of objects, by type. The client, a key or requirements may want them, or several of these together.
 */
export interface Selections {
  /** Equal ids mean equal selections. */
  readonly id: number;
  /** The wanted fields of an object of a type, in response order. */
  fieldsOf(type: string): readonly WantedField[];
}

export interface SelectionsOptions {
  readonly types: Pick<SupergraphTypes, 'isA' | 'isHidden' | 'hiddenFields' | 'directivesOf'>;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly conditions: Conditions;
  /** The key of a client's field in the data. */
  responseKey(field: FieldNode): string;
  /** The key of a field that the planner needs, such as a key field. */
  ownKey(field: FieldNode): string;
  readonly steps: Steps;
}

/** Creates the selections of one operation. Equal selections are the same object, so that they are planned once. */
export class SelectionsFactory {
  readonly #options: SelectionsOptions;
  readonly #known = new Map<string, Selections>();
  readonly #fieldSets = new Map<readonly SelectionNode[], Selections>();
  /**
   * Ids by node and by text. Selection sets with the same text have the same id, so that fragments that are spread
   * often are planned once.
   */
  readonly #ids = new Map<SelectionSetNode | string, number>();
  readonly #read = new Set<SelectionSetNode>();
  /** Calls by node and by text, so that long arguments are printed once. */
  readonly #calls = new Map<FieldNode | string, string>();
  #next = 0;

  constructor(options: SelectionsOptions) {
    this.#options = options;
  }

  /**
   * Reads the selections of the client below some selections before they are planned. Equal selections are read once.
   */
  *read(selections: readonly SelectionNode[]): Sliced<void> {
    const { fragments, steps } = this.#options;
    const unread: SelectionSetNode[] = [];
    const find = (found: readonly SelectionNode[]): void => {
      for (const selection of found) {
        const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
        const set = isSpread ? fragments.get(selection.name.value)?.selectionSet : selection.selectionSet;
        if (!set || this.#read.has(set)) continue;
        this.#read.add(set);
        find(set.selections);
        if (!isSpread) unread.push(set);
      }
    };
    find(selections);
    // Inner selection sets come first, so that each is read separately.
    for (const set of unread) {
      this.#idOf(set);
      if (steps.endSlice()) yield;
    }
  }

  /** The selections of a client: the selection sets of fields with one response key. */
  ofClient(sets: readonly SelectionSetNode[]): Selections {
    return this.#ofNodes('client', sets, (field) => this.#options.responseKey(field));
  }

  /** The selections that the planner needs: those of a field set. */
  ofFieldSet(selections: readonly SelectionNode[]): Selections {
    const known = this.#fieldSets.get(selections);
    if (known) return known;
    const set = { kind: Kind.SELECTION_SET, selections } as const;
    const made = this.#ofNodes('own', [set], (field) => this.#options.ownKey(field));
    this.#fieldSets.set(selections, made);
    return made;
  }

  /** Merges several selections. */
  merged(all: readonly Selections[]): Selections {
    const ids = [...new Set(all.map(({ id }) => id))].sort((one, other) => one - other);
    const [only] = all;
    if (only && ids.length === 1) return only;
    return this.#remember(`merged ${ids}`, (id) => ({
      id,
      fieldsOf: once((type) => this.mergedFields(all.flatMap((one) => one.fieldsOf(type)))),
    }));
  }

  /** Creates selections from fields by type. */
  ofFields(byType: ReadonlyMap<string, readonly WantedField[]>): Selections {
    const texts = [...byType].map(([type, fields]) => `${type} ${fields.map(textOfField)}`);
    return this.#remember(`fields ${texts.join(' ')}`, (id) => ({ id, fieldsOf: (type) => byType.get(type) ?? [] }));
  }

  /** Merges fields with the same key into one field. */
  mergedFields(fields: readonly WantedField[]): readonly WantedField[] {
    const merged = new Map<string, WantedField>();
    for (const field of fields) {
      const known = merged.get(field.key);
      if (!known) merged.set(field.key, field);
      else if (known.below && field.below && known.below !== field.below)
        merged.set(field.key, { ...known, below: this.merged([known.below, field.below]) });
    }
    return merged.size === fields.length ? fields : [...merged.values()];
  }

  #ofNodes(kind: string, sets: readonly SelectionSetNode[], keyOf: (field: FieldNode) => string): Selections {
    const ids = [...new Set(sets.map((one) => this.#idOf(one)))];
    return this.#remember(`${kind} ${ids}`, (id) => ({
      id,
      fieldsOf: once((type) => {
        const found: WantedField[] = [];
        // Clients see nothing of objects of hidden types, though keys and requirements may need these.
        if (kind === 'client' && this.#options.types.isHidden(type)) return found;
        for (const [key, nodes] of this.#collect(sets, type, keyOf)) {
          const [node] = nodes;
          if (!node) continue;
          const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
          found.push({
            key,
            name: node.name.value,
            arguments: node.arguments ?? [],
            call: this.callOf(node),
            below: below.length === 0 ? undefined : this.#ofNodes(kind, below, keyOf),
            directives: this.#options.types.directivesOf(node),
            isOwn: kind === 'own' && this.#options.types.hiddenFields.has(node.name.value),
          });
        }
        return found;
      }),
    }));
  }

  /** A short name for a field with its arguments and directives, which may be long. */
  callOf(field: FieldNode): string {
    const directives = this.#options.types.directivesOf(field);
    if ((field.arguments ?? []).length === 0 && directives.length === 0) return field.name.value;
    const known = this.#calls.get(field);
    if (known !== undefined) return known;
    const text = `${fieldText(field)}${directivesText(directives)}`;
    const call = this.#calls.get(text) ?? `${field.name.value}(${this.#calls.size})`;
    this.#calls.set(text, call);
    this.#calls.set(field, call);
    return call;
  }

  #remember(text: string, make: (id: number) => Selections): Selections {
    const known = this.#known.get(text);
    if (known) return known;
    const made = make(this.#next++);
    this.#known.set(text, made);
    return made;
  }

  #idOf(set: SelectionSetNode): number {
    const known = this.#ids.get(set);
    if (known !== undefined) return known;
    this.#options.steps.take(set.selections.length);
    const text = set.selections.map((one) => this.#textOf(one)).join(' ');
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    this.#ids.set(set, id);
    return id;
  }

  #textOf(selection: SelectionNode): string {
    const directives = directivesText(selection.directives);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${selection.name.value}${directives}`;
    const below = selection.selectionSet ? `{${this.#idOf(selection.selectionSet)}}` : '';
    if (selection.kind === Kind.FIELD)
      return `${selection.alias?.value ?? ''}:${this.callOf(selection)}${directives}${below}`;
    return `... on ${selection.typeCondition?.name.value ?? ''}${directives}${below}`;
  }

  /** Implements `CollectFields` (GraphQL 6.3.2). */
  #collect(
    sets: readonly SelectionSetNode[],
    type: string,
    keyOf: (field: FieldNode) => string,
  ): ReadonlyMap<string, readonly FieldNode[]> {
    const { types, conditions, fragments, steps } = this.#options;
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const applies = (condition: string | undefined) => condition === undefined || types.isA(type, condition);
    const collect = (selections: readonly SelectionNode[]): void => {
      steps.take(selections.length / SELECTIONS_PER_STEP);
      for (const selection of selections) {
        if (!isIncluded(selection.directives, conditions)) continue;
        if (selection.kind === Kind.FIELD) {
          const key = keyOf(selection);
          const known = fields.get(key);
          if (known) known.push(selection);
          else fields.set(key, [selection]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (applies(selection.typeCondition?.name.value)) collect(selection.selectionSet.selections);
        } else {
          const name = selection.name.value;
          const fragment = fragments.get(name);
          if (!fragment || spread.has(name)) continue;
          spread.add(name);
          if (applies(fragment.typeCondition.name.value)) collect(fragment.selectionSet.selections);
        }
      }
    };
    for (const { selections } of sets) collect(selections);
    return fields;
  }
}

function once<T>(make: (type: string) => T): (type: string) => T {
  const known = new Map<string, T>();
  return (type) => {
    const found = known.get(type);
    if (found !== undefined) return found;
    const made = make(type);
    known.set(type, made);
    return made;
  };
}
