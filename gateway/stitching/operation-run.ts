import { type ExecutionResult, type FieldNode, getNamedType, isCompositeType, Kind, OperationTypeNode } from 'graphql';
import type { Variables } from '../syntax/index.ts';
import {
  AnswerReader,
  clientPath,
  type ErrorTree,
  FieldFailure,
  fieldFailure,
  type Joinable,
  type PathSegment,
  settleFacts,
} from './answer.ts';
import type { Fetches, StitchedFetch } from './fetch.ts';
import { JoinBatches } from './join-batches.ts';
import { planJoins } from './join-plan.ts';
import { failedRequest, readSubschemaAnswer, type SubschemaAnswer, SubschemaRequest } from './request.ts';
import type { SelectedField, SelectedOperation } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import { type SubschemaTypes, visibleRootField } from './subschema-types.ts';

/** Records the joins of an operation: called at the start and the end of each. */
export interface JoinObserver {
  /** So many requests are sent for what objects are joined with. @returns their context, and the end of the join. */
  beginJoin(requests: number): { readonly context: unknown; end(): void } | undefined;
}

function joinObserverOf(context: unknown): JoinObserver | undefined {
  const observer = context as Partial<JoinObserver> | undefined;
  return observer?.beginJoin ? (observer as JoinObserver) : undefined;
}

/** What is the same in all runs of an operation that select the same of it. */
export interface PreparedFetches {
  readonly types: SubschemaTypes;
  readonly selected: SelectedOperation;
  readonly fetches: Fetches;
}

/** One run of an operation: calls the subschemas and joins their responses. */
export class OperationRun {
  readonly #prepared: PreparedFetches;
  readonly #variables: Variables;
  readonly #context: unknown;
  /** Errors of places that are not null, and of none. */
  readonly beside: AnswerReader['beside'] = [];

  constructor(prepared: PreparedFetches, variables: Variables, context: unknown) {
    this.#prepared = prepared;
    this.#variables = variables;
    this.#context = context;
  }

  /** The root fields by their response keys: those of queries are asked for at once, each subschema once. */
  rootValues(): (key: string) => Promise<unknown> | unknown {
    const fields = this.#rootFields();
    const values = new Map<string, () => Promise<unknown>>();
    if (this.#prepared.selected.operation.operation === OperationTypeNode.QUERY) {
      for (const [subschema, group] of this.#byOwner(fields)) {
        const answered = this.#root(subschema, group);
        // Reading the first field rejects with it.
        answered.catch(() => {});
        for (const { key } of group) values.set(key, async () => (await answered).get(key));
      }
    } else {
      for (const [subschema, group] of this.#byOwner(fields))
        for (const field of group)
          values.set(field.key, async () => (await this.#root(subschema, [field])).get(field.key));
    }
    return (key) => values.get(key)?.() ?? null;
  }

  /** The request of a subscription; undefined where no source has its root field. */
  subscription(): SubschemaRequest | undefined {
    const [owned] = this.#byOwner(this.#rootFields());
    return owned && this.#rootRequest(...owned);
  }

  /** The root field of one event of a subscription. */
  async eventValues(event: ExecutionResult): Promise<(key: string) => unknown> {
    const [owned] = this.#byOwner(this.#rootFields());
    const values = owned && (await this.#rootAnswer(...owned, readSubschemaAnswer(event)));
    return (key) => values?.get(key) ?? null;
  }

  #rootFields(): readonly SelectedField[] {
    return this.#prepared.selected.root.fieldsOf(this.#rootType()) ?? [];
  }

  #rootType(): string {
    const { schema, operation } = this.#prepared.selected;
    return schema.getRootType(operation.operation)?.name ?? '';
  }

  #byOwner(fields: readonly SelectedField[]): ReadonlyMap<StitchedSubschema, readonly SelectedField[]> {
    const { types, selected } = this.#prepared;
    const groups = new Map<StitchedSubschema, SelectedField[]>();
    for (const field of fields) {
      const owner = types.subschemas.find((one) => visibleRootField(one, selected.operation.operation, field.node));
      if (owner) groups.set(owner, [...(groups.get(owner) ?? []), field]);
    }
    return groups;
  }

  async #root(subschema: StitchedSubschema, fields: readonly SelectedField[]): Promise<ReadonlyMap<string, unknown>> {
    return this.#rootAnswer(subschema, fields, await this.#send(this.#rootRequest(subschema, fields)));
  }

  #rootRequest(subschema: StitchedSubschema, fields: readonly SelectedField[]): SubschemaRequest {
    const request = this.#request(subschema, this.#prepared.selected.operation.operation);
    for (const field of fields) request.add(this.#rootField(subschema, field));
    return request;
  }

  #rootField(subschema: StitchedSubschema, field: SelectedField): FieldNode {
    const { key, node } = field;
    const fetch = this.#rootFetch(subschema, field);
    return {
      kind: Kind.FIELD,
      name: node.name,
      ...(key !== node.name.value && { alias: { kind: Kind.NAME, value: key } as const }),
      arguments: node.arguments ?? [],
      directives: (node.directives ?? []).filter(
        ({ name }) => name.value !== 'skip' && name.value !== 'include' && subschema.schema.getDirective(name.value),
      ),
      ...(fetch && { selectionSet: fetch.set }),
    };
  }

  #rootFetch(subschema: StitchedSubschema, { node, selection }: SelectedField) {
    const { fetches, selected } = this.#prepared;
    const field = visibleRootField(subschema, selected.operation.operation, node);
    const type = field && subschema.schema.getType(getNamedType(field.type).name);
    return type && selection && isCompositeType(type) ? fetches.at(subschema, type, selection) : undefined;
  }

  async #rootAnswer(
    subschema: StitchedSubschema,
    fields: readonly SelectedField[],
    { data, errors }: SubschemaAnswer,
  ): Promise<ReadonlyMap<string, unknown>> {
    const reader = new AnswerReader();
    const values = new Map<string, unknown>();
    const fetchOf = (key: PathSegment) => {
      const field = fields.find((one) => one.key === key);
      return field && this.#rootFetch(subschema, field);
    };
    for (const field of fields) {
      const fetch = fetchOf(field.key);
      if (data) values.set(field.key, reader.read(data[field.key], fetch, errors.child(field.key)));
      else values.set(field.key, lostRoot(field.key, errors, fetchOf));
    }
    if (data) this.beside.push(...errors.here);
    await this.#settle(reader);
    return values;
  }

  /** Joins objects, and those that the joins return, until none is left. */
  async #settle(reader: AnswerReader): Promise<void> {
    if (reader.lateFacts) await this.#settleFacts(reader);
    const { joinables, beside } = reader;
    this.beside.push(...beside);
    const later: Promise<void>[] = [];
    let open: readonly Joinable[] = joinables;
    while (open.length > 0) {
      const { types, fetches } = this.#prepared;
      const batches = new JoinBatches(fetches);
      open = planJoins(open, types, batches);
      const join = joinObserverOf(this.#context)?.beginJoin(batches.bySubschema.size);
      const asked = [...batches.bySubschema].map(async ([subschema, groups]) => {
        const request = this.#request(subschema, OperationTypeNode.QUERY);
        const readers = groups.map((group) => group.addTo(request));
        const answer = await this.#send(request, join?.context);
        const reader = new AnswerReader();
        for (const read of readers) read(answer, reader);
        // The next joins of the same objects may wait for them.
        if (reader.lateFacts) await this.#settleFacts(reader);
        later.push(this.#settle(reader));
      });
      await Promise.all(asked).finally(() => join?.end());
    }
    await Promise.all(later);
  }

  /** Joins the objects of facts, which makes these known. */
  async #settleFacts(reader: AnswerReader): Promise<void> {
    const { lateFacts } = reader;
    reader.lateFacts = undefined;
    if (!lateFacts) return;
    await this.#settle(lateFacts.reader);
    settleFacts(lateFacts.facts);
  }

  #request(subschema: StitchedSubschema, type: OperationTypeNode): SubschemaRequest {
    const { selected, fetches } = this.#prepared;
    const client = { operation: selected.operation, variables: this.#variables };
    return new SubschemaRequest(subschema, type, client, fetches.typesOfSets);
  }

  #send(request: SubschemaRequest, context: unknown = this.#context): Promise<SubschemaAnswer> {
    return request.send(context).catch(failedRequest);
  }
}

/** A root field of an answer without data: it failed itself, or another did that must not be null. */
function lostRoot(
  key: string,
  errors: ErrorTree,
  fetchOf: (key: PathSegment) => StitchedFetch | undefined,
): FieldFailure | null {
  const own = errors.child(key);
  if (own) return fieldFailure(own, fetchOf(key));
  const causes = [...errors.all()].map(({ error, path: [first, ...path] }) => ({
    error,
    path: first === undefined ? [] : clientPath(path, fetchOf(first)),
    ...(typeof first === 'string' && { beside: first }),
  }));
  return causes.length > 0 ? new FieldFailure(causes) : null;
}
