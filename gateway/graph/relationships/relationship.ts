import type { GraphQLArgument, GraphQLInputType, GraphQLOutputType } from 'graphql';

/** A field on the way from the root of the target to what answers a relationship, in the graph's names. */
export interface RelationshipStep {
  readonly field: string;
  readonly arguments: readonly { readonly name: string; readonly type: GraphQLInputType; readonly value: unknown }[];
}

/** A relationship as it is in the graph, in its names. */
export interface Relationship {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The fields that have to be fetched, by the names that the values have for them. */
  readonly keys: ReadonlyMap<string, string>;
  /** The name of the source that answers it. */
  readonly target: string;
  readonly steps: readonly RelationshipStep[];
  readonly answer: GraphQLOutputType;
  /** Arguments of the last step that are left to the client. */
  readonly clientArguments: readonly GraphQLArgument[];
}
