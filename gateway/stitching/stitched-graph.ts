import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { fragmentsOf, type Variables } from '../syntax/index.ts';
import { completeResponse, completionSchema, RootValues } from './complete.ts';
import { conditionVariables, isSelectionIncluded } from './conditions.ts';
import { Fetches } from './fetch.ts';
import { OperationRun, type PreparedFetches } from './operation-run.ts';
import type { Relationship } from './relationship.ts';
import { SelectedOperation } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import { SubschemaTypes } from './subschema-types.ts';

/** A document of one operation and the fragments that it uses. */
export interface StitchedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** A subscription whose events several subschemas have to complete. */
export interface StitchedSubscription {
  /** What gives the source stream (GraphQL section 6.2.3.1); undefined where nothing does. */
  readonly source?: {
    readonly subschema: StitchedSubschema;
    readonly document: DocumentNode;
    readonly variables: Record<string, unknown>;
  };
  /** The event of the response stream that one of the source stream becomes. */
  complete(event: ExecutionResult, context: unknown): Promise<ExecutionResult>;
}

/** What is kept of one operation at most: it may have many conditions. */
const MAX_KEPT_CONDITIONS = 16;

/**
 * Executes operations over all subschemas of a graph. Objects of one are joined with fields of others, by keys or by
 * relationships.
 */
export class StitchedGraph {
  readonly #schema: GraphQLSchema;
  readonly #internal: GraphQLSchema;
  readonly #shown: GraphQLSchema;
  readonly #types: SubschemaTypes;
  readonly #completions = new Map<GraphQLSchema, GraphQLSchema>();

  /**
   * @param internal the schema that operations are prepared for.
   * @param executable the one that answers are checked against.
   * @param shown the one that clients see, which differs in the names of root types at most.
   */
  constructor(
    {
      internal,
      executable,
      shown = internal,
    }: { readonly internal: GraphQLSchema; readonly executable: GraphQLSchema; readonly shown?: GraphQLSchema },
    subschemas: readonly StitchedSubschema[],
    relationships: readonly Relationship[],
  ) {
    this.#schema = executable;
    this.#internal = internal;
    this.#shown = shown;
    this.#types = new SubschemaTypes(subschemas, relationships);
  }

  /** @param aboutSchema where the schema itself is asked for: the document in the names that clients see. */
  compile(
    stitched: StitchedOperation,
    aboutSchema?: DocumentNode,
  ): (variables: Variables, context: unknown) => Promise<ExecutionResult> {
    const schema = () => this.#completion(aboutSchema ? this.#shown : this.#schema);
    const prepared = this.#prepared(stitched);
    return async (variables, context) => {
      const run = new OperationRun(prepared(variables), variables, context);
      const root = new RootValues(run.rootValues());
      return completeResponse(schema(), aboutSchema ?? stitched.document, variables, root, run.beside);
    };
  }

  /** What the root field of a subscription is asked for, and what its events are made of. */
  compileSubscription(stitched: StitchedOperation): (variables: Variables) => StitchedSubscription {
    const prepared = this.#prepared(stitched);
    return (variables) => {
      const fetches = prepared(variables);
      const request = new OperationRun(fetches, variables, undefined).subscription();
      return {
        ...(request && { source: { ...request.toRun(), subschema: request.subschema } }),
        complete: async (event, context) => {
          const run = new OperationRun(fetches, variables, context);
          const root = new RootValues(await run.eventValues(event));
          return completeResponse(this.#completion(this.#schema), stitched.document, variables, root, run.beside);
        },
      };
    };
  }

  #completion(schema: GraphQLSchema): GraphQLSchema {
    const known = this.#completions.get(schema) ?? completionSchema(schema);
    this.#completions.set(schema, known);
    return known;
  }

  #prepared({ document, operation }: StitchedOperation): (variables: Variables) => PreparedFetches {
    const fragments = fragmentsOf(document);
    const conditions = conditionVariables(document);
    const kept = new Map<string, PreparedFetches>();
    return (variables) => {
      const key = conditions.map((name) => (Object.hasOwn(variables, name) ? String(variables[name]) : '')).join(' ');
      const known = kept.get(key);
      if (known) return known;
      if (kept.size >= MAX_KEPT_CONDITIONS) kept.clear();
      const selected = new SelectedOperation(this.#internal, operation, fragments, (selection) =>
        isSelectionIncluded(selection, operation, variables),
      );
      const made = { types: this.#types, selected, fetches: new Fetches(this.#types, selected) };
      kept.set(key, made);
      return made;
    };
  }
}
