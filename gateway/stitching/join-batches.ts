import { type FieldNode, getNamedType, isAbstractType, Kind, type SelectionSetNode } from 'graphql';
import { isJsonObject } from '../../platform/index.ts';
import { type AnsweredObject, type AnswerReader, ErrorTree } from './answer.ts';
import { factKey, factText, fieldsIn } from './facts.ts';
import type { Fetches, StitchedFetch } from './fetch.ts';
import type { Relationship } from './relationship.ts';
import { filledIn, holdsFields } from './relationship-values.ts';
import type { SubschemaAnswer, SubschemaRequest } from './request.ts';
import type { SelectedField } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import type { EntryPoint, Facts } from './subschema-types.ts';

/** Reads what one batch was answered. */
type ReadBatch = (answer: SubschemaAnswer, reader: AnswerReader) => void;

interface JoinBatch {
  addTo(request: SubschemaRequest): ReadBatch;
}

/** What an entry point is asked for of an object. */
export interface AskedFields {
  readonly fields: readonly SelectedField[];
  readonly facts: readonly FieldNode[];
  /** What it is given beside a key, one field of a name: see `factKey`. */
  readonly required: readonly FieldNode[];
}

/** The next joins of objects: all that are for one subschema are sent in one request. */
export class JoinBatches {
  readonly bySubschema = new Map<StitchedSubschema, JoinBatch[]>();
  readonly #batches = new Map<string, EntryBatch | RelationshipBatch>();
  readonly #numbers = new Map<object, number>();
  readonly #fetches: Fetches;

  constructor(fetches: Fetches) {
    this.#fetches = fetches;
  }

  /** Fields and facts of an object that an entry point gives. */
  addObject(object: AnsweredObject, entry: EntryPoint, asked: AskedFields): void {
    const what = [entry, ...asked.fields].map((one) => this.#numberOf(one)).join(' ');
    const id = `${object.__typename} ${what} / ${asked.facts.map(factText).join(' ')} / ${asked.required.map(factKey).join(' ')}`;
    const known = this.#batches.get(id);
    const batch = known instanceof EntryBatch ? known : new EntryBatch(this.#fetches, object.__typename, entry, asked);
    if (!known) this.#add(id, entry.subschema, batch);
    batch.objects.push(object);
  }

  /** Objects with equal selections of their target are fetched together, whatever the response keys. */
  addRelationship(object: AnsweredObject, relationship: Relationship, field: SelectedField): void {
    const { text, fetch } = this.#fetches.ofRelationship(relationship, field);
    const id = `${this.#numberOf(relationship)} ${text}`;
    const known = this.#batches.get(id);
    const batch = known instanceof RelationshipBatch ? known : new RelationshipBatch(relationship, field, fetch);
    if (!known) this.#add(id, relationship.target, batch);
    batch.rows.push({ object, field, fetch });
  }

  #add(id: string, subschema: StitchedSubschema, batch: EntryBatch | RelationshipBatch): void {
    this.#batches.set(id, batch);
    this.bySubschema.set(subschema, [...(this.bySubschema.get(subschema) ?? []), batch]);
  }

  #numberOf(thing: object): number {
    const known = this.#numbers.get(thing) ?? this.#numbers.size;
    this.#numbers.set(thing, known);
    return known;
  }
}

/** Objects of one type with equal selections at one entry point. */
class EntryBatch implements JoinBatch {
  readonly objects: AnsweredObject[] = [];
  readonly #fetches: Fetches;
  readonly #typeName: string;
  readonly #entry: EntryPoint;
  readonly #asked: AskedFields;

  constructor(fetches: Fetches, typeName: string, entry: EntryPoint, asked: AskedFields) {
    this.#fetches = fetches;
    this.#typeName = typeName;
    this.#entry = entry;
    this.#asked = asked;
  }

  addTo(request: SubschemaRequest): ReadBatch {
    const { subschema, field, keyOf } = this.#entry;
    const { fields, facts, required } = this.#asked;
    const { fetch, set } = this.#fetches.ofObjects(subschema, this.#typeName, fields, facts);
    const selectionSet = isAbstractType(getNamedType(field.type)) ? inlineFragmentOn(this.#typeName, set) : set;
    const keys = this.objects.map((object) => {
      const known = withFieldNames(object.facts, required);
      return keyOf ? keyOf(known) : known;
    });
    const texts = keys.map((key) => JSON.stringify(key));
    const places = new Map<string, { readonly alias: string; readonly index: number | undefined }>();
    const add = (ofKeys: readonly unknown[]): string => {
      const alias = request.nextKey;
      const given = Object.entries(this.#entry.argumentsFor(ofKeys)).flatMap(([name, value]) => {
        const argument = field.args.find((one) => one.name === name);
        return argument ? [request.argument(name, argument.type, value)] : [];
      });
      request.add({
        kind: Kind.FIELD,
        alias: { kind: Kind.NAME, value: alias },
        name: { kind: Kind.NAME, value: field.name },
        arguments: given,
        selectionSet,
      });
      return alias;
    };
    const distinct = [...new Set(texts)];
    const keyFor = (text: string) => keys[texts.indexOf(text)];
    if (keyOf) {
      const alias = add(distinct.map(keyFor));
      for (const [index, text] of distinct.entries()) places.set(text, { alias, index });
    } else for (const text of distinct) places.set(text, { alias: add([keyFor(text)]), index: undefined });

    return ({ data, errors }, reader) => {
      for (const [at, object] of this.objects.entries()) {
        const { alias, index } = places.get(texts[at] ?? '') ?? { alias: '', index: undefined };
        const ofField = data?.[alias];
        const value = index === undefined ? ofField : (ofField as readonly unknown[] | null | undefined)?.[index];
        const own = index === undefined ? errors.child(alias) : errors.child(alias)?.child(index);
        if (typeof value === 'object' && value !== null)
          reader.readFields(object, value as Readonly<Record<string, unknown>>, fetch, own);
        else reader.readNothing(object, fetch, own ?? lost(data, alias, errors));
        if (fetch.missing.length > 0) reader.joinables.push({ object, missing: fetch.missing });
      }
    };
  }
}

/** Objects with a relationship whose target has equal selections. */
class RelationshipBatch implements JoinBatch {
  readonly rows: {
    readonly object: AnsweredObject;
    readonly field: SelectedField;
    readonly fetch: StitchedFetch | undefined;
  }[] = [];
  readonly #relationship: Relationship;
  readonly #field: SelectedField;
  readonly #fetch: StitchedFetch | undefined;

  constructor(relationship: Relationship, field: SelectedField, fetch: StitchedFetch | undefined) {
    this.#relationship = relationship;
    this.#field = field;
    this.#fetch = fetch;
  }

  addTo(request: SubschemaRequest): ReadBatch {
    const { steps, keys } = this.#relationship;
    const { node } = this.#field;
    const set = this.#fetch?.set;
    const shared = new Map<object, ReturnType<SubschemaRequest['argument']>>();
    const aliases = new Map<string, string>();
    const rows = this.rows.map(({ object, field, fetch }) => {
      const read = (field: string) => object.facts[keys.get(field) ?? ''];
      const given = steps.map((step) => step.arguments.map(({ value }) => filledIn(value, read)));
      const text = JSON.stringify(given);
      if (!aliases.has(text)) {
        const alias = request.nextKey;
        const last = steps.length - 1;
        const root = steps.reduceRight<FieldNode | undefined>((inner, step, index) => {
          const own = step.arguments.map((argument, at) => {
            if (holdsFields(argument.value)) return request.argument(argument.name, argument.type, given[index]?.[at]);
            const made = shared.get(argument) ?? request.argument(argument.name, argument.type, argument.value);
            shared.set(argument, made);
            return made;
          });
          const selectionSet: SelectionSetNode | undefined =
            index === last ? set : inner && { kind: Kind.SELECTION_SET, selections: [inner] };
          return {
            kind: Kind.FIELD,
            name: { kind: Kind.NAME, value: step.field },
            arguments: index === last ? [...own, ...(node.arguments ?? [])] : own,
            ...(index === 0 && { alias: { kind: Kind.NAME, value: alias } as const }),
            ...(selectionSet && { selectionSet }),
          };
        }, undefined);
        if (root) request.add(root);
        aliases.set(text, alias);
      }
      return { object, field, fetch, alias: aliases.get(text) ?? '' };
    });

    return ({ data, errors }, reader) => {
      for (const { object, field, fetch, alias } of rows) {
        let value: unknown = data?.[alias];
        let own: ErrorTree | undefined = errors.child(alias) ?? lost(data, alias, errors);
        for (const { field: step } of steps.slice(1)) {
          if (value === null || value === undefined) break;
          value = (value as Readonly<Record<string, unknown>>)[step];
          own = own?.child(step);
        }
        object.values.set(field.key, reader.read(value, fetch, own));
      }
    };
  }
}

/** Facts of an object, those that are required with arguments under the names of their fields, beside what is known below these. */
function withFieldNames(facts: Facts, required: readonly FieldNode[]): Facts {
  const withArguments = required.filter((node) => factKey(node) !== node.name.value);
  if (withArguments.length === 0) return facts;
  const named: Record<string, unknown> = { ...facts };
  for (const node of withArguments) {
    const name = node.name.value;
    named[name] = laidOver(named[name], facts[factKey(node)], node);
  }
  return named;
}

/** A value with what is known of the same object beside it, such as a key; a field with arguments of its own has another object. */
function laidOver(known: unknown, value: unknown, node: FieldNode): unknown {
  const { arguments: given = [], selectionSet } = node;
  if (given.length > 0 || !selectionSet) return value;
  if (Array.isArray(known) && Array.isArray(value) && known.length === value.length)
    return value.map((item, index) => laidOver(known[index], item, node));
  if (!isJsonObject(known)) return value;
  if (!isJsonObject(value)) return value ?? known;
  const all: Record<string, unknown> = { ...known, ...value };
  for (const inner of fieldsIn(selectionSet)) {
    const name = inner.name.value;
    if (value[name] !== undefined) all[name] = laidOver(known[name], value[name], inner);
  }
  return all;
}

function inlineFragmentOn(typeName: string, selectionSet: SelectionSetNode): SelectionSetNode {
  const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: typeName } } as const;
  const fragment = { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet } as const;
  return { kind: Kind.SELECTION_SET, selections: [fragment] };
}

/** Why a root field has no answer that failed not itself: the errors of the request, or the first of other fields. */
function lost(data: unknown, alias: string, errors: ErrorTree): ErrorTree | undefined {
  const ofField = errors.child(alias);
  const reported = ofField ? [...ofField.all()] : [...errors.all()];
  const pathless = errors.here.length > 0 ? errors.here : reported.slice(0, 1).map(({ error }) => error);
  const isLost = data === undefined || ofField !== undefined || errors.here.length > 0;
  if (!isLost || pathless.length === 0) return undefined;
  const tree = new ErrorTree();
  for (const error of pathless) tree.add(error, []);
  return tree;
}
