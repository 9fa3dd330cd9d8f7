import type { GraphQLError } from 'graphql';
import { isJsonObject } from '../../platform/index.ts';
import type { ObjectFetch, StitchedFetch } from './fetch.ts';
import type { SelectedField } from './selected.ts';

type AnswerJson = Readonly<Record<string, unknown>>;
export type PathSegment = string | number;

/** An object of the response, with the fields fetched so far. */
export class AnsweredObject {
  readonly __typename: string;
  /** By response key: leaves as sources answered them, objects and lists of these, null, or a `FieldFailure`. */
  readonly values = new Map<string, unknown>();
  /** What it is joined by, see `factKey`. */
  readonly facts: Record<string, unknown>;
  /** Errors of fetching facts, by the same keys. */
  readonly failed = new Map<string, readonly FailureCause[]>();
  /** Facts that were requested from other subschemas, by the same keys. */
  readonly asked = new Set<string>();

  constructor(typeName: string) {
    this.__typename = typeName;
    this.facts = { __typename: typeName };
  }

  addFailed(fact: string, causes: readonly FailureCause[]): void {
    this.failed.set(fact, [...(this.failed.get(fact) ?? []), ...causes]);
  }
}

/** An object, and what of it has to be fetched from others. */
export interface Joinable {
  readonly object: AnsweredObject;
  readonly missing: readonly SelectedField[];
}

/** What went wrong, and where below the field that is null for it. */
export interface FailureCause {
  readonly error: GraphQLError;
  readonly path: readonly PathSegment[];
  /** The response key of the field beside this one that it went wrong for. */
  readonly beside?: string;
}

/** Why a field is null. It has no path: graphql-js adds that of the field. */
export class FieldFailure extends Error {
  readonly causes: readonly FailureCause[];
  /** Whether no subschema answered it, not even with null. */
  readonly isUnanswered: boolean;

  constructor(causes: readonly FailureCause[], isUnanswered = false) {
    super(causes.map(({ error }) => error.message).join('; '));
    this.name = 'FieldFailure';
    this.causes = causes;
    this.isUnanswered = isUnanswered;
  }
}

/** The errors of an answer by their paths. */
export class ErrorTree {
  readonly here: GraphQLError[] = [];
  readonly #children = new Map<PathSegment, ErrorTree>();

  add(error: GraphQLError, path: readonly PathSegment[]): void {
    const [first, ...rest] = path;
    if (first === undefined) this.here.push(error);
    else {
      const child = this.#children.get(first) ?? new ErrorTree();
      this.#children.set(first, child);
      child.add(error, rest);
    }
  }

  child(segment: PathSegment): ErrorTree | undefined {
    return this.#children.get(segment);
  }

  get children(): ReadonlyMap<PathSegment, ErrorTree> {
    return this.#children;
  }

  get isEmpty(): boolean {
    return this.here.length === 0 && this.#children.size === 0;
  }

  /** Every error in it, with the path that leads there from here. */
  *all(): Generator<{ readonly error: GraphQLError; readonly path: readonly PathSegment[] }> {
    for (const error of this.here) yield { error, path: [] };
    for (const [segment, child] of this.#children)
      for (const { error, path } of child.all()) yield { error, path: [segment, ...path] };
  }
}

/** Reads answers of subschemas into objects. */
export class AnswerReader {
  /** Objects that others have to be asked about. */
  readonly joinables: Joinable[] = [];
  /** Errors of places that are not null. */
  readonly beside: GraphQLError[] = [];
  /** Facts whose own objects have to be joined first, and their reader. */
  lateFacts: { readonly reader: AnswerReader; readonly facts: LateFact[] } | undefined;

  read(value: unknown, fetch: StitchedFetch | undefined, errors: ErrorTree | undefined): unknown {
    if (value === null || value === undefined) return errors ? fieldFailure(errors, fetch) : null;
    if (errors) this.beside.push(...errors.here);
    if (Array.isArray(value)) return value.map((item, index) => this.read(item, fetch, errors?.child(index)));
    if (!fetch) return value;
    const object = value as AnswerJson;
    const typeName = fetch.typeName ?? (typeof object.__typename === 'string' ? object.__typename : undefined);
    const ofType = typeName === undefined ? undefined : fetch.objects.get(typeName);
    if (typeof value !== 'object' || typeName === undefined || !ofType) return null;
    const answered = new AnsweredObject(typeName);
    this.readFields(answered, object, ofType, errors);
    if (ofType.missing.length > 0) this.joinables.push({ object: answered, missing: ofType.missing });
    return answered;
  }

  readFields(object: AnsweredObject, value: AnswerJson, { fields, facts }: ObjectFetch, errors?: ErrorTree): void {
    for (const { selected, alias, fetch } of fields)
      object.values.set(selected.key, this.read(value[alias], fetch, errors?.child(alias)));
    for (const { key, alias, fetch } of facts) {
      const failed = errors?.child(alias);
      if (fetch) {
        this.lateFacts ??= { reader: new AnswerReader(), facts: [] };
        const read = this.lateFacts.reader.read(value[alias], fetch, failed);
        this.lateFacts.facts.push({ object, key, value: read });
        continue;
      }
      object.facts[key] = mergeFacts(object.facts[key], value[alias] ?? null);
      if (failed)
        object.addFailed(
          key,
          [...failed.all()].map(({ error }) => ({ error, path: [] })),
        );
    }
  }

  /** An entry point that returned nothing for an object: all of its selected fields are null. */
  readNothing(object: AnsweredObject, { fields, facts }: ObjectFetch, errors: ErrorTree | undefined): void {
    const causes = errorCauses(errors, fields);
    for (const { key } of facts) {
      // Fields that require what failed must not be asked for as if it were null.
      if (causes.length === 0) object.facts[key] ??= null;
      object.addFailed(key, causes);
    }
    for (const { selected, alias, fetch } of fields) {
      const own = errors?.child(alias);
      if (own) object.values.set(selected.key, fieldFailure(own, fetch));
      else object.values.set(selected.key, causes.length > 0 ? new FieldFailure(causes, true) : null);
    }
  }
}

/** A fact with objects that are joined with others. */
export interface LateFact {
  readonly object: AnsweredObject;
  readonly key: string;
  readonly value: unknown;
}

/** Makes facts known whose objects have been joined. */
export function settleFacts(facts: readonly LateFact[]): void {
  for (const { object, key, value } of facts) {
    const failures: FieldFailure[] = [];
    const plain = plainValue(value, failures);
    if (!failures.some(({ isUnanswered }) => isUnanswered))
      object.facts[key] = mergeFacts(object.facts[key], plain ?? null);
    const causes = failures.flatMap((failure) => failure.causes.map(({ error }) => ({ error, path: [] })));
    if (causes.length > 0) object.addFailed(key, causes);
  }
}

/** A value as a service would answer it. */
function plainValue(value: unknown, failures: FieldFailure[]): unknown {
  if (value instanceof FieldFailure) {
    failures.push(value);
    return null;
  }
  if (Array.isArray(value)) return value.map((item) => plainValue(item, failures));
  if (!(value instanceof AnsweredObject)) return value;
  const fields = [...value.values].map(([key, inner]) => [key, plainValue(inner, failures)] as const);
  return { __typename: value.__typename, ...Object.fromEntries(fields) };
}

/** The errors of all fields of an object, as seen from another field of it. */
function errorCauses(errors: ErrorTree | undefined, fields: ObjectFetch['fields']): readonly FailureCause[] {
  if (!errors) return [];
  const causes: FailureCause[] = errors.here.map((error) => ({ error, path: [] }));
  for (const [segment, child] of errors.children) {
    const field = fields.find(({ alias }) => alias === segment);
    for (const { error, path } of child.all())
      causes.push(
        field ? { error, path: clientPath(path, field.fetch), beside: field.selected.key } : { error, path: [] },
      );
  }
  return causes;
}

export function fieldFailure(errors: ErrorTree, fetch: StitchedFetch | undefined): FieldFailure | null {
  const causes = [...errors.all()].map(({ error, path }) => ({ error, path: clientPath(path, fetch) }));
  return causes.length > 0 ? new FieldFailure(causes) : null;
}

/** A path in the client's keys, as far as it leads to something that the client selects. */
export function clientPath(path: readonly PathSegment[], fetch: StitchedFetch | undefined): readonly PathSegment[] {
  const found: PathSegment[] = [];
  let fetches: ReadonlySet<StitchedFetch> = new Set(fetch && [fetch]);
  for (const segment of path) {
    if (typeof segment === 'number') {
      found.push(segment);
      continue;
    }
    // Objects that are null have no type any more, so the path is followed through all types that have the field.
    const fields = [...fetches].flatMap(({ objects }) =>
      [...objects.values()].flatMap((object) => object.fields.filter(({ alias }) => alias === segment)),
    );
    const [first] = fields;
    if (!first) break;
    found.push(first.selected.key);
    fetches = new Set(fields.flatMap((field) => field.fetch ?? []));
  }
  return found;
}

/** All that is known of a fact; of lists, item by item. */
function mergeFacts(known: unknown, more: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(more) && known.length === more.length)
    return more.map((item, index) => mergeFacts(known[index], item));
  if (!isJsonObject(known) || !isJsonObject(more)) return more ?? known ?? null;
  const all: Record<string, unknown> = { ...known };
  for (const [key, value] of Object.entries(more)) all[key] = mergeFacts(all[key], value);
  return all;
}
