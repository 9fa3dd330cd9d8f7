import type { ExecutionRequest, MaybeAsyncIterable } from '@graphql-tools/utils';
import type { ExecutionResult, GraphQLSchema } from 'graphql';

/** A schema that one executor answers, as a part of a stitched graph. */
export interface StitchedSubschema {
  readonly schema: GraphQLSchema;
  /** What clients see of it, where that is not all. */
  readonly visible?: GraphQLSchema;
  /** Without it, the schema is executed itself. */
  executor?(
    request: ExecutionRequest,
  ): MaybeAsyncIterable<ExecutionResult> | Promise<MaybeAsyncIterable<ExecutionResult>>;
  /** How its objects are joined with those of others, by type. */
  readonly merge?: Readonly<Record<string, MergedType>>;
}

/** How objects of a type are fetched by a key. */
export interface EntryPointConfig {
  /** What has to be known, as the text of a selection set. */
  readonly selectionSet?: string | undefined;
  /** The root field that gives them. */
  readonly fieldName?: string | undefined;
  /** Where the root field takes many: the key of one, and the arguments for several. */
  key?(object: unknown): unknown;
  argsFromKeys?(keys: readonly unknown[]): Readonly<Record<string, unknown>>;
  /** Where it takes one: the arguments for that object. */
  args?(object: unknown): Readonly<Record<string, unknown>>;
}

export interface MergedType extends EntryPointConfig {
  readonly entryPoints?: readonly EntryPointConfig[] | undefined;
  /** Fields that need something of other subschemas. */
  readonly fields?:
    | Readonly<Record<string, { readonly selectionSet?: string | undefined; readonly computed?: boolean | undefined }>>
    | undefined;
}
