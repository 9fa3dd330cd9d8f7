import type { GraphQLArgument, GraphQLInputType, GraphQLOutputType } from 'graphql';

/** A field on the path from the target's root to the relationship's result, in the graph's names. */
export interface RelationshipStep {
  readonly field: string;
  readonly arguments: readonly { readonly name: string; readonly type: GraphQLInputType; readonly value: unknown }[];
}

/** A relationship between types of the graph, in the graph's names. */
export interface Relationship {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The fields that have to be fetched, by their names in argument values. */
  readonly keys: ReadonlyMap<string, string>;
  /** The name of the source that resolves the relationship. */
  readonly target: string;
  readonly steps: readonly RelationshipStep[];
  /** Set if the last step takes the keys of many objects in one argument and returns a list in the same order. */
  readonly objects?: {
    readonly argument: string;
    readonly type: GraphQLInputType;
    /** The fields of an object, as the text of selections. */
    readonly key: string;
  };
  readonly answer: GraphQLOutputType;
  /** Arguments of the last step that the client may set. */
  readonly clientArguments: readonly GraphQLArgument[];
}
