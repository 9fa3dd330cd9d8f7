import { isAsyncIterable } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { type Call, callOfOneEvent, mapEvents, SourceEventsEnded, type Subschema } from '../../sources/index.ts';
import type { Relationship } from '../relationships.ts';
import { completed, completionSchema, RootValues } from './complete.ts';
import { Fetches } from './fetch.ts';
import { OperationRun, type PreparedFetches } from './operation-run.ts';
import type { SubschemaRequest } from './request.ts';
import { type IsIncluded, SelectedOperation } from './selected.ts';
import { SubschemaTypes } from './subschema-types.ts';

type Variables = Readonly<Record<string, unknown>>;

/** A document of one operation, and what of it is there in a run. */
export interface StitchedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether `@skip` and `@include` leave a selection. */
  readonly isIncluded: (variables: Variables) => IsIncluded;
  /** The variables that they depend on. */
  readonly conditions: readonly string[];
}

/** What is kept of one operation at most: it may have many conditions. */
const MAX_KEPT = 16;

/**
 * Executes operations over all subschemas of a graph, where objects of one are joined with what others have of them, by
 * keys or by relationships.
 */
export class StitchedGraph {
  readonly #schema: GraphQLSchema;
  readonly #shown: GraphQLSchema;
  readonly #types: SubschemaTypes;
  readonly #completions = new Map<GraphQLSchema, GraphQLSchema>();

  /**
   * @param shown the schema that documents are validated against.
   * @param executable the one that answers are checked against.
   */
  constructor(
    { shown, executable }: { readonly shown: GraphQLSchema; readonly executable: GraphQLSchema },
    subschemas: readonly Subschema[],
    relationships: readonly Relationship[],
  ) {
    this.#schema = executable;
    this.#shown = shown;
    this.#types = new SubschemaTypes(subschemas, relationships);
  }

  /** @param isAboutSchema whether the schema itself is asked for. */
  prepare(
    stitched: StitchedOperation,
    isAboutSchema: boolean,
  ): (variables: Variables, call: Call) => Promise<ExecutionResult> {
    const schema = () => this.#completion(isAboutSchema ? this.#shown : this.#schema);
    const prepared = this.#prepared(stitched);
    return async (variables, call) => {
      const run = new OperationRun(prepared(variables), variables, call);
      const root = new RootValues(run.rootValues());
      return completed(schema(), stitched.document, variables, root, run.beside);
    };
  }

  /** The events of a subscription: each is what its source says, with what others have to add. */
  prepareSubscription(
    stitched: StitchedOperation,
  ): (variables: Variables, call: Call) => AsyncIterableIterator<ExecutionResult> {
    const prepared = this.#prepared(stitched);
    return (variables, call) => {
      const fetches = prepared(variables);
      const source = new OperationRun(fetches, variables, call).subscription();
      return mapEvents(sourceEvents(source, call), async (event) => {
        // What sources say about HTTP does not pile up.
        const ofEvent = callOfOneEvent(call);
        const run = new OperationRun(fetches, variables, ofEvent);
        const root = new RootValues(await run.eventValues(event));
        return completed(this.#completion(this.#schema), stitched.document, variables, root, run.beside);
      });
    };
  }

  #completion(schema: GraphQLSchema): GraphQLSchema {
    const known = this.#completions.get(schema) ?? completionSchema(schema);
    this.#completions.set(schema, known);
    return known;
  }

  #prepared({
    document,
    operation,
    isIncluded,
    conditions,
  }: StitchedOperation): (variables: Variables) => PreparedFetches {
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    const kept = new Map<string, PreparedFetches>();
    return (variables) => {
      const key = conditions.map((name) => (Object.hasOwn(variables, name) ? String(variables[name]) : '')).join(' ');
      const known = kept.get(key);
      if (known) return known;
      if (kept.size >= MAX_KEPT) kept.clear();
      const selected = new SelectedOperation(this.#shown, operation, fragments, isIncluded(variables));
      const made = { types: this.#types, selected, fetches: new Fetches(this.#types) };
      kept.set(key, made);
      return made;
    };
  }
}

/** The source stream of a subscription's root field (GraphQL section 6.2.3.1). */
function sourceEvents(request: SubschemaRequest | undefined, call: Call): AsyncIterator<ExecutionResult> {
  const opened = open(request, call);
  // Whoever asks for the first event is told.
  opened.catch(() => {});
  return {
    next: async () => (await opened).next(),
    return: async () => {
      const stream = await opened.catch(() => undefined);
      await stream?.return?.();
      return { done: true, value: undefined };
    },
  };
}

async function open(request: SubschemaRequest | undefined, call: Call): Promise<AsyncIterator<ExecutionResult>> {
  if (!request?.subschema.executor) throw new SourceEventsEnded([new GraphQLError('no source has this subscription')]);
  const { document, variables } = request.toRun();
  const { executor } = request.subschema;
  const result = await executor({ document, variables, operationType: OperationTypeNode.SUBSCRIPTION, context: call });
  if (isAsyncIterable(result)) return result[Symbol.asyncIterator]() as AsyncIterator<ExecutionResult>;
  throw new SourceEventsEnded(result.errors ?? []);
}
